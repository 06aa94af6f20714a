#include "softgpu/hw/pixel_pipe.h"

#include <algorithm>
#include <functional>

#include "softgpu/hw/pixel_format.h"

namespace softgpu {
namespace {

uint32_t channel_mask(uint8_t write_mask) {
  uint32_t mask = 0;
  if (write_mask & SOFTGPU_WRITE_RED) mask |= 0x00FF0000u;
  if (write_mask & SOFTGPU_WRITE_GREEN) mask |= 0x0000FF00u;
  if (write_mask & SOFTGPU_WRITE_BLUE) mask |= 0x000000FFu;
  if (write_mask & SOFTGPU_WRITE_ALPHA) mask |= 0xFF000000u;
  return mask;
}

int shift_of(int channel) { return channel == 3 ? 24 : 16 - 8 * channel; }

float value_at(const Span& span, int varying, int pixel) {
  return span.start[varying] + span.step[varying] * static_cast<float>(pixel);
}

Span piece_of(const Span& span, int from) {
  Span piece = span;
  piece.x += from;
  piece.count = std::min(kPixels, span.count - from);
  for (int i = 0; i < kVaryings; ++i) piece.start[i] = value_at(span, i, from);
  return piece;
}

float combine(uint8_t how, float diffuse, float texel) {
  switch (how) {
    case SOFTGPU_COMBINE_DIFFUSE:
      return diffuse;
    case SOFTGPU_COMBINE_TEXTURE:
      return texel;
    case SOFTGPU_COMBINE_MODULATE:
      return diffuse * texel;
    default:
      return clamp_to_one(diffuse + texel);
  }
}

}  // namespace

void PixelPipe::begin(const SOFTGPU_DRAW& draw, const View& view) {
  draw_ = &draw;
  view_ = view;
  const uint32_t format = draw.target_surface.format;
  pixel_bytes_ = softgpu_pixel_bytes(format);
  write_bits_ = uses(SOFTGPU_DRAW_TARGET) ? from_argb(format, channel_mask(draw.write_mask)) : 0;
  bool on_target = draw.position_kind == SOFTGPU_POSITION_SCREEN;
  lowest_depth_ = on_target ? 0 : clamp_to_one(std::min(draw.viewport.min_z, draw.viewport.max_z));
  highest_depth_ = on_target ? 1 : clamp_to_one(std::max(draw.viewport.min_z, draw.viewport.max_z));
  if (uses(SOFTGPU_DRAW_TEXTURE)) sampler_.begin(draw, view);
}

Outcome PixelPipe::draw(const Span& span) {
  if (span.count <= kPixels) return draw_piece(span);
  for (int from = 0; from < span.count; from += kPixels) {
    if (Outcome fault = draw_piece(piece_of(span, from))) return fault;
  }
  return {};
}

Outcome PixelPipe::draw_piece(const Span& span) {
  live_count_ = span.count;
  if (uses(SOFTGPU_DRAW_DEPTH | SOFTGPU_DRAW_ALPHA_TEST)) std::fill_n(live_.begin(), span.count, uint8_t{1});
  if (uses(SOFTGPU_DRAW_DEPTH)) {
    if (Outcome fault = test_depth(span)) return fault;
    if (live_count_ == 0) return {};
  }
  if (!is_solid(span)) {
    shade(span);
    if (uses(SOFTGPU_DRAW_TEXTURE)) {
      apply_texture(span);
      if (sampler_.fault()) return sampler_.fault();
    }
    if (uses(SOFTGPU_DRAW_ALPHA_TEST)) test_alpha(span);
    if (live_count_ == 0) return {};
  }
  if (uses(SOFTGPU_DRAW_DEPTH_WRITE)) {
    if (Outcome fault = write_depth(span)) return fault;
  }
  return write_bits_ != 0 ? write_colors(span) : Outcome();
}

// --- Tests ---

// Of the live pixels those stay that pass: test(i, compare) compares.
template <typename Test>
void PixelPipe::keep(uint8_t function, int count, Test test) {
  auto keep_by = [&](auto compare) {
    int live = 0;
    for (int i = 0; i < count; ++i) {
      live_[i] &= static_cast<uint8_t>(test(i, compare));
      live += live_[i];
    }
    live_count_ = live;
  };
  switch (function) {
    case SOFTGPU_COMPARE_NEVER:
      return keep_by([](auto, auto) { return false; });
    case SOFTGPU_COMPARE_LESS:
      return keep_by(std::less<>());
    case SOFTGPU_COMPARE_EQUAL:
      return keep_by(std::equal_to<>());
    case SOFTGPU_COMPARE_LESS_EQUAL:
      return keep_by(std::less_equal<>());
    case SOFTGPU_COMPARE_GREATER:
      return keep_by(std::greater<>());
    case SOFTGPU_COMPARE_NOT_EQUAL:
      return keep_by(std::not_equal_to<>());
    case SOFTGPU_COMPARE_GREATER_EQUAL:
      return keep_by(std::greater_equal<>());
    default:
      return keep_by([](auto, auto) { return true; });
  }
}

Outcome PixelPipe::test_depth(const Span& span) {
  uint64_t address = draw_->depth + uint64_t{draw_->depth_pitch} * span.y + uint64_t{4} * span.x;
  if (Outcome fault = memory_.read(view_, address, old_depth_.data(), size_t{4} * span.count)) return fault;
  for (int i = 0; i < span.count; ++i) {
    float depth = value_at(span, kDepth, i);
    depth = depth > lowest_depth_ ? depth : lowest_depth_;  // and so is what is no number
    depth_[i] = depth < highest_depth_ ? depth : highest_depth_;
  }
  keep(draw_->depth_function, span.count, [this](int i, auto compare) { return compare(depth_[i], old_depth_[i]); });
  return {};
}

Outcome PixelPipe::write_depth(const Span& span) {
  for (int i = 0; i < span.count; ++i) depth_[i] = live_[i] ? depth_[i] : old_depth_[i];
  uint64_t address = draw_->depth + uint64_t{draw_->depth_pitch} * span.y + uint64_t{4} * span.x;
  return memory_.write(view_, address, depth_.data(), size_t{4} * span.count);
}

void PixelPipe::test_alpha(const Span& span) {
  const float* alpha = colors_.channels[3];
  const uint32_t reference = draw_->alpha_reference;
  keep(draw_->alpha_function, span.count,
       [alpha, reference](int i, auto compare) { return compare(to_byte(alpha[i]), reference); });
}

// --- Colours ---

// One colour, which nothing will change any more.
bool PixelPipe::is_solid(const Span& span) const {
  return span.shading.constant_colors && !uses(SOFTGPU_DRAW_TEXTURE | SOFTGPU_DRAW_BLEND | SOFTGPU_DRAW_ALPHA_TEST);
}

float PixelPipe::inverse_of(const Span& span, int pixel) const { return span.shading.perspective ? w_[pixel] : 1; }

void PixelPipe::shade(const Span& span) {
  if (span.shading.perspective) {
    for (int i = 0; i < span.count; ++i) w_[i] = 1 / value_at(span, kInverseW, i);
  }
  for (int channel = 0; channel < 4; ++channel) {
    float* out = colors_.channels[channel];
    if (span.shading.constant_colors) {
      std::fill_n(out, span.count, clamp_to_one(span.start[kFirstColor + channel]));
    } else if (span.shading.perspective) {
      for (int i = 0; i < span.count; ++i) out[i] = clamp_to_one(value_at(span, kFirstColor + channel, i) * w_[i]);
    } else {
      for (int i = 0; i < span.count; ++i) out[i] = clamp_to_one(value_at(span, kFirstColor + channel, i));
    }
  }
}

void PixelPipe::find_texels(const Span& span) {
  const bool bilinear = uses(SOFTGPU_DRAW_BILINEAR);
  const bool tested = uses(SOFTGPU_DRAW_DEPTH);
  for (int i = 0; i < span.count; ++i) {
    if (tested && !live_[i]) continue;
    float w = inverse_of(span, i);
    float u = value_at(span, kU, i) * w, v = value_at(span, kV, i) * w;
    texels_[i] = bilinear ? sampler_.bilinear(u, v) : sampler_.nearest(u, v);
  }
}

void PixelPipe::apply_texture(const Span& span) {
  find_texels(span);
  for (int channel = 0; channel < 4; ++channel) {
    const uint8_t how = channel == 3 ? draw_->combine_alpha : draw_->combine_color;
    const int shift = shift_of(channel);
    float* out = colors_.channels[channel];
    for (int i = 0; i < span.count; ++i) {
      float texel = static_cast<float>(static_cast<int32_t>(texels_[i] >> shift & 0xFF)) * (1.0f / 255.0f);
      out[i] = combine(how, out[i], texel);
    }
  }
}

// --- The target ---

uint64_t PixelPipe::address_of(const Span& span) const {
  return draw_->target + uint64_t{draw_->target_surface.pitch} * span.y + uint64_t{pixel_bytes_} * span.x;
}

Outcome PixelPipe::read_row(const Span& span) {
  if (pixel_bytes_ == 4) return memory_.read(view_, address_of(span), row_.data(), size_t{4} * span.count);
  if (Outcome fault = memory_.read(view_, address_of(span), narrow_.data(), size_t{2} * span.count)) return fault;
  std::copy_n(narrow_.begin(), span.count, row_.begin());
  return {};
}

Outcome PixelPipe::write_row(const Span& span) {
  if (pixel_bytes_ == 4) return memory_.write(view_, address_of(span), packed_.data(), size_t{4} * span.count);
  for (int i = 0; i < span.count; ++i) narrow_[i] = static_cast<uint16_t>(packed_[i]);
  return memory_.write(view_, address_of(span), narrow_.data(), size_t{2} * span.count);
}

void PixelPipe::blend_with_row(const Span& span) {
  const uint32_t format = draw_->target_surface.format;
  for (int i = 0; i < span.count; ++i) texels_[i] = to_argb(format, row_[i]);
  for (int channel = 0; channel < 4; ++channel) {
    const int shift = shift_of(channel);
    for (int i = 0; i < span.count; ++i) {
      there_.channels[channel][i] =
          static_cast<float>(static_cast<int32_t>(texels_[i] >> shift & 0xFF)) * (1.0f / 255.0f);
    }
  }
  blend(*draw_, there_, span.count, &colors_);
}

void PixelPipe::pack(const Span& span) {
  const uint32_t format = draw_->target_surface.format;
  if (is_solid(span)) {
    uint32_t argb = 0;
    for (int channel = 0; channel < 4; ++channel)
      argb |= to_byte(clamp_to_one(span.start[kFirstColor + channel])) << shift_of(channel);
    std::fill_n(packed_.begin(), span.count, from_argb(format, argb));
    return;
  }
  const auto& channels = colors_.channels;
  for (int i = 0; i < span.count; ++i) {
    packed_[i] = to_byte(channels[0][i]) << 16 | to_byte(channels[1][i]) << 8 | to_byte(channels[2][i]) |
                 to_byte(channels[3][i]) << 24;
  }
  if (format == SOFTGPU_FORMAT_A8R8G8B8 || format == SOFTGPU_FORMAT_X8R8G8B8) return;
  for (int i = 0; i < span.count; ++i) packed_[i] = from_argb(format, packed_[i]);
}

Outcome PixelPipe::write_colors(const Span& span) {
  const uint32_t all_bits = pixel_bytes_ == 4 ? 0xFFFFFFFFu : 0xFFFFu;
  const bool some_die = live_count_ != span.count, some_bits = write_bits_ != all_bits;
  if (uses(SOFTGPU_DRAW_BLEND) || some_die || some_bits) {
    if (Outcome fault = read_row(span)) return fault;
  }
  if (uses(SOFTGPU_DRAW_BLEND)) blend_with_row(span);
  pack(span);
  if (some_die || some_bits) {
    for (int i = 0; i < span.count; ++i) {
      uint32_t bits = some_die && !live_[i] ? 0 : write_bits_;
      packed_[i] = (packed_[i] & bits) | (row_[i] & ~bits);
    }
  }
  return write_row(span);
}

}  // namespace softgpu
