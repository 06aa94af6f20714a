#include "softgpu/hw/vertex_fetcher.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "softgpu/hw/pixel_format.h"
#include "softgpu/proto/softgpu_draw_check.h"

namespace softgpu {
namespace {

uint32_t end_of(uint32_t offset, uint32_t bytes) { return offset == SOFTGPU_ABSENT ? 0 : offset + bytes; }

bool is_number(double value) { return value - value == 0; }

void unpack(uint32_t argb, float (&color)[4]) {
  for (int i = 0; i < 3; ++i) color[i] = static_cast<float>(argb >> (16 - 8 * i) & 0xFF) / 255.0f;
  color[3] = static_cast<float>(argb >> 24) / 255.0f;
}

void clamp(float (&color)[4]) {
  for (float& channel : color) channel = clamp_to_one(channel);
}

void make_one_long(float (&vector)[3]) {
  float length = std::sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
  if (!(length > 0)) return;
  for (float& part : vector) part /= length;
}

}  // namespace

void VertexFetcher::begin(const SOFTGPU_DRAW& draw, const View& view) {
  draw_ = &draw;
  view_ = view;
  used_bytes_ = std::max(
      {end_of(draw.position_offset, softgpu_position_bytes(draw.position_kind)), end_of(draw.normal_offset, 12),
       end_of(draw.diffuse_offset, softgpu_color_bytes(draw.diffuse_kind)), end_of(draw.texcoord_offset, 8)});
  center_ = softgpu_draw_uses(&draw, SOFTGPU_DRAW_WHOLE_CENTERS) ? 0.5 : 0;
  index_count_ = 0;
  numbers_.fill(kNone);
}

Outcome VertexFetcher::fetch(uint32_t nth, Vertex* vertex) {
  int64_t number = 0;
  if (Outcome fault = number_of(nth, &number)) return fault;
  if (number < 0 || number >= draw_->vertex_count) {
    *vertex = Vertex();
    return {};
  }
  auto slot = static_cast<size_t>(number % kCached);
  if (numbers_[slot] != number) {
    numbers_[slot] = kNone;
    if (Outcome fault = read(number, &cached_[slot])) return fault;
    numbers_[slot] = number;
  }
  *vertex = cached_[slot];
  return {};
}

Outcome VertexFetcher::number_of(uint32_t nth, int64_t* number) {
  if (!softgpu_draw_uses(draw_, SOFTGPU_DRAW_INDEXED)) {
    *number = int64_t{draw_->first} + nth;
    return {};
  }
  const uint32_t size = draw_->index_bytes;
  if (index_count_ == 0 || nth < first_index_ || nth - first_index_ >= index_count_) {
    first_index_ = nth;
    index_count_ = std::min(kIndices, draw_->count - nth);
    uint64_t address = draw_->indices + (uint64_t{draw_->first} + nth) * size;
    if (Outcome fault = memory_.read(view_, address, indices_.data(), size_t{index_count_} * size)) return fault;
  }
  uint32_t index = 0;
  std::memcpy(&index, indices_.data() + size_t{nth - first_index_} * size, size);
  *number = int64_t{draw_->base_vertex} + index;
  return {};
}

template <typename T>
void VertexFetcher::take(uint32_t offset, T* value) const {
  std::memcpy(value, bytes_.data() + offset, sizeof(T));
}

Outcome VertexFetcher::read(int64_t number, Vertex* vertex) {
  uint64_t address = draw_->vertices + static_cast<uint64_t>(number) * draw_->stride;
  if (Outcome fault = memory_.read(view_, address, bytes_.data(), used_bytes_)) return fault;
  *vertex = Vertex();
  read_position(vertex);
  read_colors(vertex);
  if (draw_->texcoord_offset != SOFTGPU_ABSENT) take(draw_->texcoord_offset, &vertex->texcoord);
  return {};
}

void VertexFetcher::read_position(Vertex* vertex) const {
  float position[4] = {0, 0, 0, 1};
  std::memcpy(position, bytes_.data() + draw_->position_offset, softgpu_position_bytes(draw_->position_kind));
  if (draw_->position_kind == SOFTGPU_POSITION_SCREEN) {
    place_on_target(position, vertex);
  } else {
    transform(position, vertex);
  }
  vertex->drawable = is_number(vertex->x) && is_number(vertex->y) && is_number(vertex->z) && is_number(vertex->w);
}

// In double precision, where no product of floats overflows.
void VertexFetcher::transform(const float (&position)[4], Vertex* vertex) const {
  double clip[4] = {};
  for (int row = 0; row < 4; ++row) {
    for (int i = 0; i < 4; ++i) clip[i] += double{position[row]} * double{draw_->transform[4 * row + i]};
  }
  const SOFTGPU_VIEWPORT& viewport = draw_->viewport;
  double half_width = double{viewport.width} / 2, half_height = double{viewport.height} / 2;
  vertex->x = clip[0] * half_width + clip[3] * (double{viewport.x} + half_width + center_);
  vertex->y = clip[3] * (double{viewport.y} + half_height + center_) - clip[1] * half_height;
  vertex->z = clip[2];
  vertex->w = clip[3];
}

void VertexFetcher::place_on_target(const float (&position)[4], Vertex* vertex) const {
  double inverse = is_number(position[3]) && position[3] > 0 ? double{position[3]} : 1;
  vertex->w = 1 / inverse;
  vertex->x = (double{position[0]} + center_) * vertex->w;
  vertex->y = (double{position[1]} + center_) * vertex->w;
  vertex->z = double{position[2]} * vertex->w;
}

void VertexFetcher::read_diffuse(float (&color)[4]) const {
  if (draw_->diffuse_offset == SOFTGPU_ABSENT) {
    std::copy_n(draw_->color, 4, color);
  } else if (draw_->diffuse_kind == SOFTGPU_COLOR_FLOAT4) {
    take(draw_->diffuse_offset, &color);
  } else {
    uint32_t pixel = 0;
    take(draw_->diffuse_offset, &pixel);
    unpack(draw_->diffuse_kind == SOFTGPU_COLOR_ARGB ? pixel : swap_red_and_blue(pixel), color);
  }
}

void VertexFetcher::read_colors(Vertex* vertex) const {
  read_diffuse(vertex->color);
  if (softgpu_draw_uses(draw_, SOFTGPU_DRAW_LIGHTING)) {
    float normal[3] = {};
    if (draw_->normal_offset != SOFTGPU_ABSENT) take(draw_->normal_offset, &normal);
    float diffuse[4];
    std::copy_n(vertex->color, 4, diffuse);
    light(normal, diffuse, vertex);
  }
  clamp(vertex->color);
}

void VertexFetcher::light(const float (&normal)[3], const float (&diffuse)[4], Vertex* vertex) const {
  float turned[3] = {};
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 3; ++i) turned[i] += normal[row] * draw_->normal_transform[3 * row + i];
  }
  if (softgpu_draw_uses(draw_, SOFTGPU_DRAW_NORMALIZE)) make_one_long(turned);

  const float* of_diffuse =
      softgpu_draw_uses(draw_, SOFTGPU_DRAW_DIFFUSE_FROM_VERTEX) ? diffuse : draw_->material_diffuse;
  const float* of_ambient =
      softgpu_draw_uses(draw_, SOFTGPU_DRAW_AMBIENT_FROM_VERTEX) ? diffuse : draw_->material_ambient;
  for (int i = 0; i < 3; ++i) vertex->color[i] = draw_->material_emissive[i] + draw_->ambient[i] * of_ambient[i];
  vertex->color[3] = of_diffuse[3];
  for (uint32_t n = 0; n < draw_->light_count; ++n) {
    const SOFTGPU_LIGHT& lamp = draw_->lights[n];
    float facing = -(lamp.direction[0] * turned[0] + lamp.direction[1] * turned[1] + lamp.direction[2] * turned[2]);
    if (!(facing > 0)) continue;
    for (int i = 0; i < 3; ++i) vertex->color[i] += facing * lamp.diffuse[i] * of_diffuse[i];
  }
}

}  // namespace softgpu
