#include "testcam/hw/camera.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/testing/seed.h"
#include "softgpu/hw/testing/fake_host.h"
#include "testcam/proto/testcam_format.h"

namespace testcam {
namespace {

using softgpu::FakeHost;

constexpr uint32_t kInterval = 333'333;
constexpr uint64_t kIntervalNs = kInterval * 100ull;
constexpr uint32_t kWidth = 160, kHeight = 120, kSlots = 3;
constexpr Shape kShape{TESTCAM_FORMAT_YUY2, kWidth, kHeight};

class CameraTest : public ::testing::Test {
 protected:
  uint32_t get(uint32_t offset) { return static_cast<uint32_t>(camera.read(offset, 4)); }
  void set(uint32_t offset, uint32_t value) { camera.write(offset, 4, value); }
  uint32_t get(uint32_t channel, uint32_t offset) { return get(TESTCAM_REG_CHANNEL(channel) + offset); }
  void set(uint32_t channel, uint32_t offset, uint32_t value) { set(TESTCAM_REG_CHANNEL(channel) + offset, value); }

  static uint32_t picture_bytes() { return testcam_frame_bytes(kShape.format, kShape.width, kShape.height); }
  static uint32_t slot_bytes() { return static_cast<uint32_t>(sizeof(TESTCAM_SLOT)) + picture_bytes(); }
  static uint64_t ring(uint32_t channel) { return uint64_t{channel} * kSlots * slot_bytes(); }

  void program(uint32_t channel, uint32_t interval = kInterval) {
    set(TESTCAM_REG_INT_ENABLE, TESTCAM_INT_ALL);
    set(channel, TESTCAM_CHANNEL_FORMAT, kShape.format);
    set(channel, TESTCAM_CHANNEL_WIDTH, kShape.width);
    set(channel, TESTCAM_CHANNEL_HEIGHT, kShape.height);
    set(channel, TESTCAM_CHANNEL_INTERVAL, interval);
    set(channel, TESTCAM_CHANNEL_SLOT_BYTES, slot_bytes());
    camera.write(TESTCAM_REG_CHANNEL(channel) + TESTCAM_CHANNEL_RING_BASE, 8, FakeHost::kRam + ring(channel));
    set(channel, TESTCAM_CHANNEL_SLOTS, kSlots);
  }
  void run(uint32_t channel, uint32_t interval = kInterval) {
    program(channel, interval);
    set(channel, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_RUN);
  }
  void pass(uint64_t time_ns) {
    const uint64_t until = host.now + time_ns;
    while (host.wake <= until) {
      host.now = std::max(host.now, host.wake);
      host.wake = DRYDOCK_DEVICE_NEVER;
      camera.step(host.now);
    }
    host.now = until;
  }
  uint32_t acknowledge() {
    const uint32_t causes = get(TESTCAM_REG_INT_STATUS);
    set(TESTCAM_REG_INT_ACK, causes);
    return causes;
  }
  TESTCAM_SLOT slot(uint32_t channel, uint32_t index) {
    TESTCAM_SLOT head;
    std::memcpy(&head, host.ram(ring(channel) + uint64_t{index} * slot_bytes()), sizeof(head));
    return head;
  }
  std::vector<uint8_t> pixels(uint32_t channel, uint32_t index) {
    const uint8_t* at = host.ram(ring(channel) + uint64_t{index} * slot_bytes() + sizeof(TESTCAM_SLOT));
    return {at, at + picture_bytes()};
  }

  FakeHost host;
  Camera camera{host.services()};
};

TEST_F(CameraTest, ReportsItsIdentityAndTime) {
  EXPECT_EQ(get(TESTCAM_REG_ID), TESTCAM_ID);
  EXPECT_EQ(get(TESTCAM_REG_VERSION), TESTCAM_VERSION);
  host.now = 0x1'2345'6789;
  EXPECT_EQ(camera.read(TESTCAM_REG_TIME, 8), 0x1'2345'6789u);
  EXPECT_EQ(get(TESTCAM_REG_TIME + 4), 1u);
}

TEST_F(CameraTest, WritesAPictureEachInterval) {
  const uint64_t began = host.now;
  run(0);
  pass(kIntervalNs - 1);
  EXPECT_FALSE(host.raised);
  pass(1);
  EXPECT_TRUE(host.raised);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), 1u);
  pass(kIntervalNs);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), 2u);
  for (uint32_t i = 0; i < 2; ++i) {
    const TESTCAM_SLOT head = slot(0, i);
    EXPECT_EQ(head.number, i);
    EXPECT_EQ(head.time_ns, began + (i + 1) * kIntervalNs);
    EXPECT_EQ(head.bytes, picture_bytes());
    EXPECT_EQ(pixels(0, i), render({head.number, head.time_ns}, kShape));
  }
}

TEST_F(CameraTest, PicturesHaveTheirTimesHoweverLateTheStep) {
  const uint64_t began = host.now;
  run(0);
  host.now += 2 * kIntervalNs + 5;
  camera.step(host.now);
  EXPECT_EQ(slot(0, 1).time_ns, began + 2 * kIntervalNs);
}

TEST_F(CameraTest, AnInterruptIsAcknowledged) {
  run(0);
  pass(kIntervalNs);
  EXPECT_EQ(acknowledge(), TESTCAM_INT_CHANNEL(0));
  EXPECT_FALSE(host.raised);
  pass(kIntervalNs);
  EXPECT_EQ(host.interrupts, 2);
}

TEST_F(CameraTest, WhatIsNotAcknowledgedInterruptsAgain) {
  run(0);
  run(1);
  pass(kIntervalNs);
  set(TESTCAM_REG_INT_ACK, TESTCAM_INT_CHANNEL(0));
  EXPECT_TRUE(host.raised);
  EXPECT_EQ(host.interrupts, 2);
  EXPECT_EQ(acknowledge(), TESTCAM_INT_CHANNEL(1));
}

TEST_F(CameraTest, NothingInterruptsUnlessItIsEnabled) {
  run(0);
  set(TESTCAM_REG_INT_ENABLE, 0);
  pass(kIntervalNs);
  EXPECT_FALSE(host.raised);
  set(TESTCAM_REG_INT_ENABLE, TESTCAM_INT_ALL);
  EXPECT_TRUE(host.raised);
}

TEST_F(CameraTest, AFullRingDropsPictures) {
  run(0);
  pass(5 * kIntervalNs);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), kSlots);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_DROPPED), 2u);
  set(0, TESTCAM_CHANNEL_READ, 1);
  pass(kIntervalNs);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), kSlots + 1);
  EXPECT_EQ(slot(0, 0).number, 5u);  // the dropped ones had numbers too
}

TEST_F(CameraTest, ReadsBeyondWhatIsWrittenDoNotCount) {
  run(0);
  pass(2 * kIntervalNs);
  set(0, TESTCAM_CHANNEL_READ, 3);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_READ), 0u);
  set(0, TESTCAM_CHANNEL_READ, 2);
  set(0, TESTCAM_CHANNEL_READ, 1);  // nor back again
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_READ), 2u);
}

TEST_F(CameraTest, APauseKeepsEverything) {
  run(0);
  pass(kIntervalNs);
  set(0, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_PAUSE);
  pass(10 * kIntervalNs);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), 1u);
  set(0, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_RUN);
  const uint64_t resumed = host.now;
  pass(kIntervalNs);
  EXPECT_EQ(slot(0, 1).number, 1u);
  EXPECT_EQ(slot(0, 1).time_ns, resumed + kIntervalNs);
}

TEST_F(CameraTest, AStopForgetsEverything) {
  run(0);
  pass(5 * kIntervalNs);
  set(0, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_STOP);
  EXPECT_EQ(host.wake, DRYDOCK_DEVICE_NEVER);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), 0u);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_DROPPED), 0u);
  set(0, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_RUN);
  pass(kIntervalNs);
  EXPECT_EQ(slot(0, 0).number, 0u);
}

TEST_F(CameraTest, ChannelsHaveRatesOfTheirOwn) {
  run(0, TESTCAM_MAX_INTERVAL);
  run(1, TESTCAM_MIN_INTERVAL);
  pass(TESTCAM_MAX_INTERVAL * 100ull);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), 1u);
  EXPECT_EQ(get(1, TESTCAM_CHANNEL_WRITTEN) + get(1, TESTCAM_CHANNEL_DROPPED), 12u);
}

TEST_F(CameraTest, SettingsThatMakeNoSenseAreAFault) {
  const uint32_t wrong[][2] = {{TESTCAM_CHANNEL_FORMAT, TESTCAM_FORMATS},
                               {TESTCAM_CHANNEL_WIDTH, 161},
                               {TESTCAM_CHANNEL_HEIGHT, 0},
                               {TESTCAM_CHANNEL_INTERVAL, 0},
                               {TESTCAM_CHANNEL_SLOTS, 0},
                               {TESTCAM_CHANNEL_SLOTS, TESTCAM_MAX_SLOTS + 1},
                               {TESTCAM_CHANNEL_SLOT_BYTES, slot_bytes() - 1}};
  for (auto [offset, value] : wrong) {
    program(0);
    set(0, offset, value);
    set(0, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_RUN);
    EXPECT_EQ(get(0, TESTCAM_CHANNEL_CONTROL), TESTCAM_CONTROL_FAULT) << offset;
    set(0, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_RUN);
    EXPECT_EQ(get(0, TESTCAM_CHANNEL_CONTROL), TESTCAM_CONTROL_FAULT) << offset;
    set(0, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_STOP);
    EXPECT_EQ(get(0, TESTCAM_CHANNEL_CONTROL), TESTCAM_CONTROL_STOP) << offset;
  }
}

TEST_F(CameraTest, SettingsCountWhileItIsStopped) {
  run(0);
  set(0, TESTCAM_CHANNEL_WIDTH, 320);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WIDTH), kWidth);
}

TEST_F(CameraTest, MemoryThatDoesNotAnswerIsAFault) {
  program(0);
  camera.write(TESTCAM_REG_CHANNEL(0) + TESTCAM_CHANNEL_RING_BASE, 8, 0x1000);
  set(0, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_RUN);
  pass(kIntervalNs);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_CONTROL), TESTCAM_CONTROL_FAULT);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), 0u);
  EXPECT_TRUE(host.raised);
  EXPECT_EQ(host.wake, DRYDOCK_DEVICE_NEVER);
}

TEST_F(CameraTest, TheSceneIsWhatTheRegistersSay) {
  set(TESTCAM_REG_BRIGHTNESS, static_cast<uint32_t>(-5000));
  set(TESTCAM_REG_ZOOM, 40);
  run(0);
  pass(kIntervalNs);
  EXPECT_EQ(pixels(0, 0), render({0, slot(0, 0).time_ns, -5000, 40}, kShape));
  set(TESTCAM_REG_ZOOM, 0);
  EXPECT_EQ(get(TESTCAM_REG_ZOOM), uint32_t{TESTCAM_MIN_ZOOM});
}

TEST_F(CameraTest, AResetIsAllButPowerOn) {
  run(0);
  set(TESTCAM_HOOK_DROP_PICTURE, 1);
  pass(kIntervalNs);
  set(TESTCAM_REG_RESET, 1);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_CONTROL), TESTCAM_CONTROL_RUN);
  set(TESTCAM_REG_RESET, TESTCAM_RESET_KEY);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_CONTROL), TESTCAM_CONTROL_STOP);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WIDTH), 0u);
  EXPECT_FALSE(host.raised);
  EXPECT_EQ(host.wake, DRYDOCK_DEVICE_NEVER);
  run(0);
  pass(kIntervalNs);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_DROPPED), 1u);
}

TEST_F(CameraTest, HookLosesInterrupts) {
  set(TESTCAM_HOOK_LOSE_INTERRUPT, 2);
  run(0);
  pass(kIntervalNs);
  acknowledge();
  pass(kIntervalNs);
  EXPECT_FALSE(host.raised);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_WRITTEN), 2u);
  pass(kIntervalNs);
  EXPECT_TRUE(host.raised);
}

TEST_F(CameraTest, HookDropsPictures) {
  set(TESTCAM_HOOK_DROP_PICTURE, 3);
  run(0);
  pass(4 * kIntervalNs);
  EXPECT_EQ(get(0, TESTCAM_CHANNEL_DROPPED), 1u);
  EXPECT_EQ(slot(0, 2).number, 3u);
}

TEST_F(CameraTest, PulledOutItIsGone) {
  run(0);
  pass(kIntervalNs);
  set(TESTCAM_HOOK_PULL_OUT, 1);
  EXPECT_FALSE(host.raised);
  EXPECT_EQ(host.wake, DRYDOCK_DEVICE_NEVER);
  EXPECT_EQ(get(TESTCAM_REG_ID), 0xFFFF'FFFFu);
  EXPECT_EQ(camera.read(TESTCAM_REG_TIME, 8), ~uint64_t{0});
  run(0);
  set(TESTCAM_HOOK_PULL_OUT, 0);
  EXPECT_EQ(host.wake, DRYDOCK_DEVICE_NEVER);
  EXPECT_EQ(get(TESTCAM_REG_ID), 0xFFFF'FFFFu);
}

// Random writes to all registers: no crash, the counts agree, and time goes on.
TEST_F(CameraTest, SurvivesAnything) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  std::mt19937 random(seed);
  const uint32_t values[] = {0, 1, 2, 3, 16, kWidth, kHeight, kInterval, slot_bytes(), 0x8000'0000, 0xFFFF'FFFF};
  for (int i = 0; i < 3'000; ++i) {
    uint32_t offset = random() % 0x80 * 4;
    if (offset == TESTCAM_REG_RESET) offset = TESTCAM_REG_CHANNEL(1);
    if (random() % 20 == 0) {
      const auto channel = static_cast<uint32_t>(random() % TESTCAM_CHANNELS);
      set(channel, TESTCAM_CHANNEL_CONTROL, TESTCAM_CONTROL_STOP);
      run(channel);
    }
    set(offset, random() % 2 ? values[random() % std::size(values)] : random());
    if (random() % 4 == 0) pass(random() % (2 * kIntervalNs));
    for (uint32_t channel = 0; channel < TESTCAM_CHANNELS; ++channel) {
      const uint32_t waiting = get(channel, TESTCAM_CHANNEL_WRITTEN) - get(channel, TESTCAM_CHANNEL_READ);
      ASSERT_LE(waiting, TESTCAM_MAX_SLOTS) << "seed " << seed;
      ASSERT_LE(get(channel, TESTCAM_CHANNEL_CONTROL), TESTCAM_CONTROL_FAULT) << "seed " << seed;
    }
    ASSERT_EQ(host.raised, (get(TESTCAM_REG_INT_STATUS) & get(TESTCAM_REG_INT_ENABLE)) != 0) << "seed " << seed;
  }
  EXPECT_GT(host.interrupts, 10) << "seed " << seed;
}

}  // namespace
}  // namespace testcam
