// The test pattern: what the camera sees, as a pure function of what is asked. A capture test renders the picture that
// it expects and compares every byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testcam/proto/testcam_regs.h"

namespace testcam {

// What is looked at.
struct Scene {
  uint64_t number = 0;   // of the picture: what the counter shows, and where the box is
  uint64_t time_ns = 0;  // what the clock shows
  int32_t brightness = TESTCAM_DEFAULT_BRIGHTNESS;
  int32_t zoom = TESTCAM_DEFAULT_ZOOM;
};

// How it is looked at: TESTCAM_FORMAT_…, and a size that testcam_frame_bytes() has an answer for.
struct Shape {
  uint32_t format;
  uint32_t width;
  uint32_t height;
};

// Fills testcam_frame_bytes() bytes.
void render(const Scene& scene, const Shape& shape, uint8_t* bytes);
std::vector<uint8_t> render(const Scene& scene, const Shape& shape);

// The two lines of text, in white on black: the counter above the clock.
std::string counter_text(uint64_t number);  // eight digits
std::string clock_text(uint64_t time_ns);   // HH:MM:SS.mmm

// Where a line's first character begins, and how many pixels a dot of the font is wide and high.
struct TextPlace {
  uint32_t x;
  uint32_t y;
  uint32_t scale;
};
TextPlace counter_place(uint32_t width, uint32_t height);
TextPlace clock_place(uint32_t width, uint32_t height);

}  // namespace testcam
