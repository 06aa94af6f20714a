#include "softgpu/hw/rectangles.h"

#include <gtest/gtest.h>

#include <functional>

#include "softgpu/hw/testing/card.h"
#include "softgpu/proto/softgpu_build.h"

namespace softgpu {
namespace {

class RectanglesTest : public CardTest {
 protected:
  static constexpr uint64_t kSource = kFree, kDestination = kFree + 0x10000;
  static constexpr uint32_t kPitch = 80;  // 16 pixels of four bytes, and some room

  using Build = std::function<void(SOFTGPU_BUILDER*)>;

  void submit(const Build& build) {
    std::vector<uint64_t> qwords(16);
    SOFTGPU_BUILDER builder = softgpu_builder(reinterpret_cast<uint8_t*>(qwords.data()), 128);
    build(&builder);
    qwords.resize(builder.used / 8);
    card.submit(kRender, qwords);
    card.run_all();
  }
  void run(const Build& build) {
    submit(build);
    ASSERT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
  }
  void expect_fault(const Build& build, uint32_t kind) {
    submit(build);
    EXPECT_EQ(card.fault_kind(kRender), kind);
    card.control(kRender, SOFTGPU_CONTROL_RESET);
    card.start(kRender);
  }
  void fill_surface(uint64_t surface, uint32_t seed) {
    for (uint32_t i = 0; i < 0x1000; i += 4) card.poke(surface + i, seed + i / 4, 4);
  }
  uint32_t byte(uint64_t surface, uint32_t offset) { return static_cast<uint32_t>(card.peek(surface + offset, 1)); }
};

TEST_F(RectanglesTest, ClearsExactlyTheRectangle) {
  for (uint32_t pixel_bytes : {1u, 2u, 4u}) {
    fill_surface(kDestination, 0);
    const SOFTGPU_RECT rect{3, 2, 11, 7};
    run([&](SOFTGPU_BUILDER* b) {
      softgpu_add_clear_rect(b, local(kDestination), kPitch, pixel_bytes, rect, 0xA1B2C3D4);
    });
    for (uint32_t y = 0; y < 12; ++y) {
      for (uint32_t at = 0; at < kPitch; ++at) {
        bool inside = y >= 2 && y < 7 && at >= 3 * pixel_bytes && at < 11 * pixel_bytes;
        uint32_t offset = y * kPitch + at;
        uint32_t before = (offset / 4) >> (offset % 4 * 8) & 0xFF;
        uint32_t cleared = 0xA1B2C3D4u >> (at % pixel_bytes * 8) & 0xFF;
        ASSERT_EQ(byte(kDestination, offset), inside ? cleared : before) << pixel_bytes << ": " << at << ", " << y;
      }
    }
  }
}

TEST_F(RectanglesTest, CopiesExactlyTheRectangle) {
  for (uint32_t pixel_bytes : {1u, 2u, 4u}) {
    fill_surface(kSource, 0x11110000);
    fill_surface(kDestination, 0x22220000);
    run([&](SOFTGPU_BUILDER* b) {
      softgpu_add_copy_rect(b, local(kSource), kPitch, {1, 4, 9, 10}, local(kDestination), kPitch + 16, 5, 2,
                            pixel_bytes);
    });
    for (uint32_t y = 0; y < 12; ++y) {
      for (uint32_t at = 0; at < kPitch + 16; ++at) {
        bool inside = y >= 2 && y < 8 && at >= 5 * pixel_bytes && at < 13 * pixel_bytes;
        uint32_t offset = y * (kPitch + 16) + at, from = (y + 2) * kPitch + at - 4 * pixel_bytes;
        uint32_t before = (0x22220000 + offset / 4) >> (offset % 4 * 8) & 0xFF;
        ASSERT_EQ(byte(kDestination, offset), inside ? byte(kSource, from) : before)
            << pixel_bytes << ": " << at << ", " << y;
      }
    }
  }
}

TEST_F(RectanglesTest, StretchesToTheNearestPixel) {
  for (uint32_t i = 0; i < 4; ++i) card.poke(kSource + 4 * i, 0x01000000 + i, 4);
  auto stretch_to = [&](int32_t width, uint32_t source_format, uint32_t destination_format) {
    run([&](SOFTGPU_BUILDER* b) {
      softgpu_add_stretch_rect(b, local(kSource), 16, source_format, {0, 0, 4, 1}, local(kDestination), kPitch,
                               destination_format, {1, 1, 1 + width, 3});
    });
  };
  auto row = [&](uint32_t y, uint32_t count) {
    std::vector<uint64_t> pixels;
    for (uint32_t x = 1; x <= count; ++x) pixels.push_back(card.peek(kDestination + y * kPitch + 4 * x, 4) & 0xFF);
    return pixels;
  };
  stretch_to(8, SOFTGPU_FORMAT_A8R8G8B8, SOFTGPU_FORMAT_A8R8G8B8);
  EXPECT_EQ(row(1, 8), (std::vector<uint64_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(row(2, 8), row(1, 8));
  EXPECT_EQ(card.peek(kDestination + kPitch + 4, 4), 0x01000000u);
  EXPECT_EQ(card.peek(kDestination + kPitch, 4), 0xCCCCCCCCu);
  EXPECT_EQ(card.peek(kDestination + kPitch + 36, 4), 0xCCCCCCCCu);
  stretch_to(2, SOFTGPU_FORMAT_X8R8G8B8, SOFTGPU_FORMAT_A8R8G8B8);
  EXPECT_EQ(row(1, 2), (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(card.peek(kDestination + kPitch + 4, 4), 0xFF000001u);
}

TEST_F(RectanglesTest, EmptyOnesTouchNothing) {
  run([](SOFTGPU_BUILDER* b) { softgpu_add_clear_rect(b, local(SOFTGPU_LOCAL_BYTES), 16, 4, {2, 2, 2, 9}, 0); });
  run([](SOFTGPU_BUILDER* b) {
    softgpu_add_copy_rect(b, local(SOFTGPU_LOCAL_BYTES), 16, {0, 0, 0, 4}, local(SOFTGPU_LOCAL_BYTES), 16, 0, 0, 4);
  });
  run([](SOFTGPU_BUILDER* b) {
    softgpu_add_stretch_rect(b, local(SOFTGPU_LOCAL_BYTES), 16, SOFTGPU_FORMAT_A8R8G8B8, {0, 0, 0, 0},
                             local(SOFTGPU_LOCAL_BYTES), 16, SOFTGPU_FORMAT_A8R8G8B8, {0, 0, 4, 0});
  });
}

TEST_F(RectanglesTest, WhatMakesNoSenseIsRefused) {
  auto clear = [](uint64_t at, uint32_t pitch, uint32_t pixel_bytes, SOFTGPU_RECT rect) {
    return [=](SOFTGPU_BUILDER* b) { softgpu_add_clear_rect(b, local(at), pitch, pixel_bytes, rect, 0); };
  };
  expect_fault(clear(kFree, 64, 3, {0, 0, 4, 4}), SOFTGPU_FAULT_COMMAND);
  expect_fault(clear(kFree, 64, 4, {0, 0, 17, 4}), SOFTGPU_FAULT_COMMAND);
  expect_fault(clear(kFree, 66, 4, {0, 0, 4, 4}), SOFTGPU_FAULT_COMMAND);
  expect_fault(clear(kFree, 0x20000, 4, {0, 0, 4, 4}), SOFTGPU_FAULT_COMMAND);
  expect_fault(clear(kFree, 64, 4, {4, 0, 2, 4}), SOFTGPU_FAULT_COMMAND);  // a negative width
  expect_fault(clear(kFree, 64, 4, {0, 4096, 4, 4097}), SOFTGPU_FAULT_COMMAND);
  expect_fault(clear(kFree + 2, 64, 4, {0, 0, 4, 4}), SOFTGPU_FAULT_ADDRESS);
  expect_fault(clear(SOFTGPU_LOCAL_BYTES - 64, 64, 4, {0, 1, 1, 2}), SOFTGPU_FAULT_ADDRESS);

  auto copy = [](uint32_t source_pitch, uint32_t destination_pitch, uint32_t x, uint32_t pixel_bytes) {
    return [=](SOFTGPU_BUILDER* b) {
      softgpu_add_copy_rect(b, local(kSource), source_pitch, {0, 0, 8, 8}, local(kDestination), destination_pitch, x, 0,
                            pixel_bytes);
    };
  };
  expect_fault(copy(28, 64, 0, 4), SOFTGPU_FAULT_COMMAND);
  expect_fault(copy(64, 64, 9, 4), SOFTGPU_FAULT_COMMAND);
  expect_fault(copy(64, 64, 0xFFFFFFFC, 4), SOFTGPU_FAULT_COMMAND);
  expect_fault(copy(64, 64, 0, 8), SOFTGPU_FAULT_COMMAND);

  auto stretch = [](uint32_t format, SOFTGPU_RECT from) {
    return [=](SOFTGPU_BUILDER* b) {
      softgpu_add_stretch_rect(b, local(kSource), 64, format, from, local(kDestination), 64, SOFTGPU_FORMAT_A8R8G8B8,
                               {0, 0, 8, 8});
    };
  };
  expect_fault(stretch(SOFTGPU_FORMAT_R5G6B5, {0, 0, 8, 8}), SOFTGPU_FAULT_COMMAND);
  expect_fault(stretch(SOFTGPU_FORMAT_A8R8G8B8, {0, 0, 0, 8}), SOFTGPU_FAULT_COMMAND);
  expect_fault(stretch(SOFTGPU_FORMAT_A8R8G8B8, {0, 0, 17, 8}), SOFTGPU_FAULT_COMMAND);
}

TEST_F(RectanglesTest, CostAsMuchAsTheirPixels) {
  auto cost = [&](int32_t height) {
    uint64_t before = card.host.now;
    run([&](SOFTGPU_BUILDER* b) { softgpu_add_clear_rect(b, local(kFree), 4096, 4, {0, 0, 1024, height}, 0); });
    return card.host.now - before;
  };
  EXPECT_EQ(cost(65) - cost(1), 64u * 4096 / 16);
}

}  // namespace
}  // namespace softgpu
