#include "testcam/hw/pattern.h"

#include <gtest/gtest.h>

#include <random>

#include "base/testing/seed.h"
#include "testcam/hw/testing/picture.h"
#include "testcam/proto/testcam_format.h"

namespace testcam {
namespace {

constexpr uint32_t kAll[] = {TESTCAM_FORMAT_YUY2, TESTCAM_FORMAT_UYVY, TESTCAM_FORMAT_NV12, TESTCAM_FORMAT_RGB24,
                             TESTCAM_FORMAT_RGB32};

Shape any_shape(std::mt19937& random) {
  auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  return {kAll[below(5)], 160 + 16 * below(71), 120 + 8 * below(76)};
}

uint32_t bar_middle(uint32_t bar, uint32_t width) { return (2 * bar + 1) * width / 14; }

TEST(Pattern, HasSevenBars) {
  const Pixel yuv[7] = {{180, 128, 128}, {162, 44, 142}, {131, 156, 44}, {112, 72, 58},
                        {84, 184, 198},  {65, 100, 212}, {35, 212, 114}};
  const Pixel rgb[7] = {{191, 191, 191}, {191, 191, 0}, {0, 191, 191}, {0, 191, 0},
                        {191, 0, 191},   {191, 0, 0},   {0, 0, 191}};
  for (uint32_t format : kAll) {
    const Picture picture(Scene{}, {format, 320, 240});
    for (uint32_t bar = 0; bar < 7; ++bar) {
      const Pixel seen = picture.at(bar_middle(bar, 320), 150);
      if (format < TESTCAM_FORMAT_RGB24) {
        EXPECT_EQ(seen, yuv[bar]) << format << ' ' << bar;
      } else {
        EXPECT_NEAR(seen.a, rgb[bar].a, 2) << bar;
        EXPECT_NEAR(seen.b, rgb[bar].b, 2) << bar;
        EXPECT_NEAR(seen.c, rgb[bar].c, 2) << bar;
      }
    }
  }
}

TEST(Pattern, BelowThemAreTheirReverseAndARamp) {
  const Picture picture(Scene{}, {TESTCAM_FORMAT_NV12, 640, 480});
  EXPECT_EQ(picture.at(bar_middle(0, 640), 340), (Pixel{35, 212, 114}));
  EXPECT_EQ(picture.at(bar_middle(1, 640), 340), (Pixel{16, 128, 128}));
  EXPECT_EQ(picture.at(32, 460), (Pixel{235, 128, 128}));
  EXPECT_EQ(picture.at(96, 460), (Pixel{16, 128, 128}));
  for (uint32_t x = 160; x < 608; x += 64) EXPECT_LT(picture.at(x, 460).a, picture.at(x + 64, 460).a) << x;
}

TEST(Pattern, FormatsShowTheSamePicture) {
  const Scene scene{77, 123'456'789'000, 900, 15};
  const Picture yuy2(scene, {TESTCAM_FORMAT_YUY2, 176, 144}), uyvy(scene, {TESTCAM_FORMAT_UYVY, 176, 144}),
      nv12(scene, {TESTCAM_FORMAT_NV12, 176, 144}), rgb24(scene, {TESTCAM_FORMAT_RGB24, 176, 144}),
      rgb32(scene, {TESTCAM_FORMAT_RGB32, 176, 144});
  for (uint32_t y = 0; y < 144; ++y) {
    for (uint32_t x = 0; x < 176; ++x) {
      ASSERT_EQ(yuy2.at(x, y), uyvy.at(x, y)) << x << ' ' << y;
      ASSERT_EQ(yuy2.at(x, y).a, nv12.at(x, y).a) << x << ' ' << y;
      if (y % 2 == 0) {
        ASSERT_EQ(yuy2.at(x, y), nv12.at(x, y)) << x << ' ' << y;
      }
      ASSERT_EQ(rgb24.at(x, y), rgb32.at(x, y)) << x << ' ' << y;
    }
  }
}

TEST(Pattern, CounterAndClockCanBeReadBack) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  std::mt19937 random(seed);
  for (int i = 0; i < 100; ++i) {
    const Scene scene{random(), uint64_t{random()} << 18};
    const Shape shape = any_shape(random);
    const Picture picture(scene, shape);
    ASSERT_EQ(picture.counter(), counter_text(scene.number)) << "seed " << seed;
    ASSERT_EQ(picture.clock(), clock_text(scene.time_ns)) << "seed " << seed;
  }
}

TEST(Pattern, TextIsPlain) {
  EXPECT_EQ(counter_text(0), "00000000");
  EXPECT_EQ(counter_text(1'234'567'890), "34567890");
  EXPECT_EQ(clock_text(0), "00:00:00.000");
  EXPECT_EQ(clock_text(((12 * 60 + 34) * 60 + 56) * 1'000'000'000ull + 789'999'999), "12:34:56.789");
  EXPECT_EQ(clock_text(UINT64_MAX).size(), 12u);
}

TEST(Pattern, WritesItsBytesAndNoMore) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  std::mt19937 random(seed);
  for (int i = 0; i < 60; ++i) {
    const Shape shape = any_shape(random);
    const uint32_t bytes = testcam_frame_bytes(shape.format, shape.width, shape.height);
    std::vector<uint8_t> buffer(bytes + 16, 0xCD);
    render({random(), random(), static_cast<int32_t>(random() % 20'001) - 10'000,
            10 + static_cast<int32_t>(random() % 591)},
           shape, buffer.data());
    ASSERT_EQ(std::vector<uint8_t>(buffer.begin() + bytes, buffer.end()), std::vector<uint8_t>(16, 0xCD))
        << "seed " << seed;
  }
}

TEST(Pattern, TheBoxMoves) {
  const Shape shape{TESTCAM_FORMAT_RGB32, 320, 240};
  const Picture first(Scene{0}, shape), later(Scene{20}, shape);
  EXPECT_EQ(first.at(10, 10), (Pixel{255, 255, 255}));
  EXPECT_FALSE(later.at(10, 10) == (Pixel{255, 255, 255}));
  EXPECT_EQ(later.at(90, 90), (Pixel{255, 255, 255}));
}

TEST(Pattern, BrightnessMovesEveryLuminance) {
  const Shape shape{TESTCAM_FORMAT_YUY2, 320, 240};
  const Picture normal(Scene{0, 0, TESTCAM_DEFAULT_BRIGHTNESS}, shape), brighter(Scene{0, 0, 2'750}, shape),
      darkest(Scene{0, 0, TESTCAM_MIN_BRIGHTNESS}, shape), brightest(Scene{0, 0, TESTCAM_MAX_BRIGHTNESS}, shape);
  for (uint32_t bar = 0; bar < 7; ++bar) {
    const uint32_t x = bar_middle(bar, 320);
    EXPECT_EQ(brighter.at(x, 150).a, normal.at(x, 150).a + 43) << bar;
    EXPECT_EQ(darkest.at(x, 150).a, 0) << bar;
    EXPECT_GE(brightest.at(x, 150).a, 235) << bar;
  }
}

TEST(Pattern, ZoomEnlargesTheMiddle) {
  const Shape shape{TESTCAM_FORMAT_YUY2, 320, 240};
  const Picture far(Scene{0, 0, TESTCAM_DEFAULT_BRIGHTNESS, TESTCAM_MAX_ZOOM}, shape);
  for (uint32_t x = 0; x < 320; ++x) ASSERT_EQ(far.at(x, 150), (Pixel{112, 72, 58})) << x;
}

}  // namespace
}  // namespace testcam
