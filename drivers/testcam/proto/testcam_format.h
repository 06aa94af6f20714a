/* The pictures of testcam: formats, sizes and intervals, and how many bytes a picture has; C11 and C++17, for the
 * driver, the hardware and tests alike.
 *
 * RGB is bottom-up, as a bitmap with a positive height: the first bytes are the lowest row. The rows of YUY2, UYVY and
 * NV12 go from the top. NV12 is a plane of Y, then one of U and V in turn, of half the height. */
#ifndef TESTCAM_FORMAT_H
#define TESTCAM_FORMAT_H

#include <stdint.h>

#define TESTCAM_FORMAT_YUY2 0u
#define TESTCAM_FORMAT_UYVY 1u
#define TESTCAM_FORMAT_NV12 2u
#define TESTCAM_FORMAT_RGB24 3u
#define TESTCAM_FORMAT_RGB32 4u
#define TESTCAM_FORMATS 5u

/* A width or height is a multiple of its step, between the limits. */
#define TESTCAM_MIN_WIDTH 160u
#define TESTCAM_MAX_WIDTH 1280u
#define TESTCAM_WIDTH_STEP 16u
#define TESTCAM_MIN_HEIGHT 120u
#define TESTCAM_MAX_HEIGHT 720u
#define TESTCAM_HEIGHT_STEP 8u

/* Between two pictures, in units of 100 ns: 60 to 5 pictures a second. */
#define TESTCAM_MIN_INTERVAL 166666u
#define TESTCAM_MAX_INTERVAL 2000000u

#define TESTCAM_MAX_FRAME_BYTES (TESTCAM_MAX_WIDTH * TESTCAM_MAX_HEIGHT * 4u)

/* Average bits of a pixel; 0 when there is no such format. */
static inline uint32_t testcam_bits_per_pixel(uint32_t format) {
  switch (format) {
    case TESTCAM_FORMAT_YUY2:
    case TESTCAM_FORMAT_UYVY:
      return 16;
    case TESTCAM_FORMAT_NV12:
      return 12;
    case TESTCAM_FORMAT_RGB24:
      return 24;
    case TESTCAM_FORMAT_RGB32:
      return 32;
    default:
      return 0;
  }
}

static inline int testcam_size_valid(uint32_t width, uint32_t height) {
  return width >= TESTCAM_MIN_WIDTH && width <= TESTCAM_MAX_WIDTH && width % TESTCAM_WIDTH_STEP == 0 &&
         height >= TESTCAM_MIN_HEIGHT && height <= TESTCAM_MAX_HEIGHT && height % TESTCAM_HEIGHT_STEP == 0;
}

static inline int testcam_interval_valid(int64_t interval) {
  return interval >= TESTCAM_MIN_INTERVAL && interval <= TESTCAM_MAX_INTERVAL;
}

/* Bytes of a picture; 0 when there is no such format or size. No product can be too large: the limits come first. Rows
 * of RGB24 need no padding: a valid width makes them multiples of four bytes. */
static inline uint32_t testcam_frame_bytes(uint32_t format, uint32_t width, uint32_t height) {
  return testcam_size_valid(width, height) ? width * height * testcam_bits_per_pixel(format) / 8 : 0;
}

#endif
