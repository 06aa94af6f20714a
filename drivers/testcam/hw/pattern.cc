// Drawn in two steps: a canvas of palette indices, which is the same for every format, and its conversion.
//
//   |  seven bars, 75 % colours  |   two thirds
//   |  their reverse, with black |   a twelfth
//   |  white, black, grey ramp   |   the rest
//
// with a white box that bounces around, the counter and the clock on top.
#include "testcam/hw/pattern.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "testcam/hw/font.h"
#include "testcam/proto/testcam_format.h"

namespace testcam {
namespace {

// Digital video levels: Y from 16 to 235, U and V around 128.
struct Color {
  uint8_t y, u, v;
};

enum Index : uint8_t { kGrey, kYellow, kCyan, kGreen, kMagenta, kRed, kBlue, kBlack, kWhite, kRamp };
constexpr uint32_t kRampSteps = 8;
constexpr uint32_t kColors = kRamp + kRampSteps;
constexpr uint32_t kBars = 7;

constexpr Color kPalette[kRamp] = {
    {180, 128, 128}, {162, 44, 142}, {131, 156, 44}, {112, 72, 58},   {84, 184, 198},
    {65, 100, 212},  {35, 212, 114}, {16, 128, 128}, {235, 128, 128},
};
constexpr Index kReverse[kBars] = {kBlue, kBlack, kMagenta, kBlack, kCyan, kBlack, kGrey};

uint8_t clamp_to_byte(int32_t value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

// The palette under this light. Brightness moves every luminance by the same amount: 10000 is the whole range.
std::array<Color, kColors> palette_of(int32_t brightness) {
  const int32_t shift = (brightness - TESTCAM_DEFAULT_BRIGHTNESS) * 219 / 10000;
  std::array<Color, kColors> palette;
  for (uint32_t i = 0; i < kColors; ++i) {
    Color color =
        i < kRamp ? kPalette[i] : Color{static_cast<uint8_t>(16 + 219 * (i - kRamp) / (kRampSteps - 1)), 128, 128};
    color.y = clamp_to_byte(color.y + shift);
    palette[i] = color;
  }
  return palette;
}

struct Rgb {
  uint8_t r, g, b;
};

// BT.601, in 256ths.
Rgb rgb_of(Color color) {
  const int32_t y = 298 * (color.y - 16) + 128, u = color.u - 128, v = color.v - 128;
  return {clamp_to_byte((y + 409 * v) >> 8), clamp_to_byte((y - 100 * u - 208 * v) >> 8),
          clamp_to_byte((y + 516 * u) >> 8)};
}

// --- The canvas ---

class Canvas {
 public:
  Canvas(uint32_t width, uint32_t height) : width_(width), height_(height), pixels_(size_t{width} * height) {}

  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  const uint8_t* row(uint32_t y) const { return pixels_.data() + size_t{y} * width_; }
  bool same_rows(uint32_t a, uint32_t b) const { return std::memcmp(row(a), row(b), width_) == 0; }

  void fill(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint8_t index) {
    for (uint32_t i = 0; i < height; ++i) std::memset(pixels_.data() + size_t{y + i} * width_ + x, index, width);
  }
  // Rows [from, to) all get these pixels.
  void fill_rows(uint32_t from, uint32_t to, const std::vector<uint8_t>& pixels) {
    for (uint32_t y = from; y < to; ++y) std::copy(pixels.begin(), pixels.end(), pixels_.begin() + size_t{y} * width_);
  }

 private:
  uint32_t width_;
  uint32_t height_;
  std::vector<uint8_t> pixels_;
};

// Which of `count` equal parts of the scene is seen at column x: the longer the lens, the smaller the part around the
// middle that fills the picture.
uint32_t part_at(uint32_t x, uint32_t width, int32_t zoom, uint32_t count) {
  const auto middle = static_cast<int32_t>(width) / 2;
  const int32_t seen = (static_cast<int32_t>(x) - middle) * TESTCAM_MIN_ZOOM / zoom + middle;
  return static_cast<uint32_t>(seen) * count / width;
}

// Of the lowest strip's parts.
uint8_t lowest_index(uint32_t part) {
  if (part == 0) return kWhite;
  if (part == 1) return kBlack;
  return static_cast<uint8_t>(kRamp + (part - 2));
}

void draw_bars(Canvas& canvas, int32_t zoom) {
  const uint32_t width = canvas.width(), height = canvas.height();
  const uint32_t reverse = height * 2 / 3, lowest = height * 3 / 4;
  std::vector<uint8_t> bars(width), reversed(width), ramp(width);
  for (uint32_t x = 0; x < width; ++x) {
    uint32_t bar = part_at(x, width, zoom, kBars);
    bars[x] = static_cast<uint8_t>(bar);
    reversed[x] = kReverse[bar];
    uint32_t part = part_at(x, width, zoom, 2 + kRampSteps);
    ramp[x] = lowest_index(part);
  }
  canvas.fill_rows(0, reverse, bars);
  canvas.fill_rows(reverse, lowest, reversed);
  canvas.fill_rows(lowest, height, ramp);
}

// A number that goes up to `limit` and back, a step for each picture.
uint32_t bounce(uint64_t position, uint32_t limit) {
  const auto in_period = static_cast<uint32_t>(position % (2 * limit));
  return in_period <= limit ? in_period : 2 * limit - in_period;
}

void draw_box(Canvas& canvas, uint64_t number) {
  const uint32_t side = canvas.height() / 8, speed = canvas.width() / 80;
  uint32_t x = bounce(number * speed, canvas.width() - side);
  uint32_t y = bounce(number * speed, canvas.height() - side);
  canvas.fill(x, y, side, side, kBlack);
  canvas.fill(x + 1, y + 1, side - 2, side - 2, kWhite);
}

void draw_text(Canvas& canvas, const TextPlace& place, const std::string& text) {
  const uint32_t scale = place.scale;
  canvas.fill(place.x - scale, place.y - scale, (static_cast<uint32_t>(text.size()) * kGlyphAdvance + 1) * scale,
              (kGlyphHeight + 2) * scale, kBlack);
  uint32_t left = place.x;
  for (char character : text) {
    const Glyph& glyph = glyph_of(character);
    for (uint32_t y = 0; y < kGlyphHeight; ++y) {
      for (uint32_t x = 0; x < kGlyphWidth; ++x) {
        if (lit(glyph, x, y)) canvas.fill(left + x * scale, place.y + y * scale, scale, scale, kWhite);
      }
    }
    left += kGlyphAdvance * scale;
  }
}

// A line in the middle of the picture; `line` counts from the top one.
TextPlace place_of(uint32_t width, uint32_t height, size_t characters, uint32_t line) {
  const uint32_t scale = std::max(1u, std::min(width / 160, height / 120));
  const uint32_t text_width = (static_cast<uint32_t>(characters) * kGlyphAdvance - 1) * scale;
  return {(width - text_width) / 2, height / 4 + line * (kGlyphHeight + 3) * scale, scale};
}

// --- The conversion ---

// Two neighbours share the chrominance of the left one.
void convert_packed_row(const uint8_t* row, uint32_t width, const std::array<Color, kColors>& palette, bool y_first,
                        uint8_t* out) {
  for (uint32_t x = 0; x < width; x += 2, out += 4) {
    const Color left = palette[row[x]], right = palette[row[x + 1]];
    const uint8_t yuy2[4] = {left.y, left.u, right.y, left.v};
    const uint8_t uyvy[4] = {left.u, left.y, left.v, right.y};
    std::memcpy(out, y_first ? yuy2 : uyvy, 4);
  }
}

void convert_rgb_row(const uint8_t* row, uint32_t width, const std::array<Rgb, kColors>& colors, uint32_t pixel_bytes,
                     uint8_t* out) {
  for (uint32_t x = 0; x < width; ++x, out += pixel_bytes) {
    const Rgb color = colors[row[x]];
    out[0] = color.b;
    out[1] = color.g;
    out[2] = color.r;
    if (pixel_bytes == 4) out[3] = 0;
  }
}

// Calls convert(row, out) for rows in the order of `out`, and copies what a row would repeat: most are like the last.
template <typename Convert>
void convert_rows(const Canvas& canvas, uint32_t step, bool bottom_up, uint32_t row_bytes, uint8_t* out,
                  Convert&& convert) {
  const uint32_t rows = canvas.height() / step;
  uint32_t last = 0;
  for (uint32_t i = 0; i < rows; ++i, out += row_bytes) {
    const uint32_t y = bottom_up ? canvas.height() - 1 - i * step : i * step;
    if (i > 0 && canvas.same_rows(y, last)) {
      std::memcpy(out, out - row_bytes, row_bytes);
    } else {
      convert(canvas.row(y), out);
    }
    last = y;
  }
}

// Four neighbours share the chrominance of the upper left one.
void convert_nv12(const Canvas& canvas, const std::array<Color, kColors>& palette, uint8_t* out) {
  const uint32_t width = canvas.width();
  convert_rows(canvas, 1, false, width, out, [&](const uint8_t* row, uint8_t* to) {
    for (uint32_t x = 0; x < width; ++x) to[x] = palette[row[x]].y;
  });
  out += size_t{width} * canvas.height();
  convert_rows(canvas, 2, false, width, out, [&](const uint8_t* row, uint8_t* to) {
    for (uint32_t x = 0; x < width; x += 2) {
      to[x] = palette[row[x]].u;
      to[x + 1] = palette[row[x]].v;
    }
  });
}

void convert_rgb(const Canvas& canvas, const std::array<Color, kColors>& palette, uint32_t pixel_bytes, uint8_t* out) {
  std::array<Rgb, kColors> colors;
  std::transform(palette.begin(), palette.end(), colors.begin(), rgb_of);
  convert_rows(canvas, 1, true, canvas.width() * pixel_bytes, out,
               [&](const uint8_t* row, uint8_t* to) { convert_rgb_row(row, canvas.width(), colors, pixel_bytes, to); });
}

void convert(const Canvas& canvas, const std::array<Color, kColors>& palette, uint32_t format, uint8_t* out) {
  switch (format) {
    case TESTCAM_FORMAT_NV12:
      return convert_nv12(canvas, palette, out);
    case TESTCAM_FORMAT_RGB24:
      return convert_rgb(canvas, palette, 3, out);
    case TESTCAM_FORMAT_RGB32:
      return convert_rgb(canvas, palette, 4, out);
    default:
      convert_rows(canvas, 1, false, canvas.width() * 2, out, [&](const uint8_t* row, uint8_t* to) {
        convert_packed_row(row, canvas.width(), palette, format == TESTCAM_FORMAT_YUY2, to);
      });
  }
}

}  // namespace

std::string counter_text(uint64_t number) {
  char text[9];
  std::snprintf(text, sizeof(text), "%08u", static_cast<unsigned>(number % 100'000'000));
  return text;
}

std::string clock_text(uint64_t time_ns) {
  const uint64_t milliseconds = time_ns / 1'000'000, seconds = milliseconds / 1000;
  char text[13];
  std::snprintf(text, sizeof(text), "%02u:%02u:%02u.%03u", static_cast<unsigned>(seconds / 3600 % 100),
                static_cast<unsigned>(seconds / 60 % 60), static_cast<unsigned>(seconds % 60),
                static_cast<unsigned>(milliseconds % 1000));
  return text;
}

TextPlace counter_place(uint32_t width, uint32_t height) { return place_of(width, height, counter_text(0).size(), 0); }
TextPlace clock_place(uint32_t width, uint32_t height) { return place_of(width, height, clock_text(0).size(), 1); }

void render(const Scene& scene, const Shape& shape, uint8_t* bytes) {
  Canvas canvas(shape.width, shape.height);
  draw_bars(canvas, scene.zoom);
  draw_box(canvas, scene.number);
  draw_text(canvas, counter_place(shape.width, shape.height), counter_text(scene.number));
  draw_text(canvas, clock_place(shape.width, shape.height), clock_text(scene.time_ns));
  convert(canvas, palette_of(scene.brightness), shape.format, bytes);
}

std::vector<uint8_t> render(const Scene& scene, const Shape& shape) {
  std::vector<uint8_t> bytes(testcam_frame_bytes(shape.format, shape.width, shape.height));
  render(scene, shape, bytes.data());
  return bytes;
}

}  // namespace testcam
