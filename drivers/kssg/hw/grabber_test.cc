#include "kssg/hw/grabber.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/testing/seed.h"
#include "kssg/hw/pattern.h"
#include "softgpu/hw/testing/fake_host.h"

namespace kssg {
namespace {

using softgpu::FakeHost;

constexpr uint32_t kInterval = 333'333;
constexpr uint64_t kIntervalNs = kInterval * 100ull;
constexpr uint32_t kWidth = 32, kHeight = 8, kPictureBytes = kWidth * kHeight * 2;
constexpr uint32_t kEntries = 8;
constexpr uint64_t kRing = 0, kPictures = 0x1000;       // in the host's memory
constexpr uint64_t kNowhere = FakeHost::kRam - 0x1000;  // where no memory answers

struct Piece {
  uint64_t address;
  uint32_t bytes;
};

class GrabberTest : public ::testing::Test {
 protected:
  uint32_t get(uint32_t offset) { return static_cast<uint32_t>(grabber.read(offset, 4)); }
  void set(uint32_t offset, uint32_t value) { grabber.write(offset, 4, value); }

  void program(uint32_t head = 0) {
    set(KSSG_REG_INT_ENABLE, KSSG_INT_ALL);
    set(KSSG_REG_WIDTH, kWidth);
    set(KSSG_REG_HEIGHT, kHeight);
    set(KSSG_REG_INTERVAL, kInterval);
    grabber.write(KSSG_REG_RING_BASE, 8, FakeHost::kRam + kRing);
    set(KSSG_REG_RING_ENTRIES, kEntries);
    set(KSSG_REG_HEAD, head);
    tail = head;
  }
  void run(uint32_t head = 0) {
    program(head);
    set(KSSG_REG_CONTROL, KSSG_CONTROL_RUN);
  }
  void pass(uint64_t time_ns) {
    const uint64_t until = host.now + time_ns;
    while (host.wake <= until) {
      host.now = std::max(host.now, host.wake);
      host.wake = DRYDOCK_DEVICE_NEVER;
      grabber.step(host.now);
    }
    host.now = until;
  }

  uint8_t* entry(uint32_t count) { return host.ram(kRing + uint64_t{count % kEntries} * sizeof(KSSG_DESCRIPTOR)); }
  void put(const Piece& piece, uint32_t flags) {
    const KSSG_DESCRIPTOR descriptor{piece.address, piece.bytes, flags, 0, 0, 0};
    std::memcpy(entry(tail++), &descriptor, sizeof(descriptor));
  }
  // The count of its last descriptor.
  uint32_t give(const std::vector<Piece>& list) {
    for (size_t i = 0; i < list.size(); ++i) put(list[i], i + 1 == list.size() ? KSSG_DESCRIPTOR_LAST : 0);
    set(KSSG_REG_TAIL, tail);
    return tail - 1;
  }
  KSSG_DESCRIPTOR result(uint32_t last) {
    KSSG_DESCRIPTOR descriptor;
    std::memcpy(&descriptor, entry(last), sizeof(descriptor));
    return descriptor;
  }
  std::vector<uint8_t> memory(uint64_t offset, size_t bytes) { return {host.ram(offset), host.ram(offset) + bytes}; }
  static Piece whole(uint64_t offset = kPictures) { return {FakeHost::kRam + offset, kPictureBytes}; }

  FakeHost host;
  Grabber grabber{host.services()};
  uint32_t tail = 0;
};

TEST_F(GrabberTest, ReportsItsIdentityAndTime) {
  EXPECT_EQ(get(KSSG_REG_ID), KSSG_ID);
  EXPECT_EQ(get(KSSG_REG_VERSION), KSSG_VERSION);
  host.now = 0x1'2345'6789;
  EXPECT_EQ(grabber.read(KSSG_REG_TIME, 8), 0x1'2345'6789u);
}

TEST_F(GrabberTest, WritesAPictureIntoOnePiece) {
  const uint64_t began = host.now;
  run();
  const uint32_t last = give({whole()});
  pass(kIntervalNs - 1);
  EXPECT_FALSE(host.raised);
  EXPECT_EQ(result(last).result, 0u);
  pass(1);
  EXPECT_TRUE(host.raised);
  EXPECT_EQ(get(KSSG_REG_INT_STATUS), KSSG_INT_PICTURE);
  EXPECT_EQ(result(last).result, KSSG_RESULT_DONE);
  EXPECT_EQ(result(last).number, 0u);
  EXPECT_EQ(result(last).time_ns, began + kIntervalNs);
  EXPECT_EQ(get(KSSG_REG_HEAD), 1u);
  EXPECT_EQ(memory(kPictures, kPictureBytes), render(0, kWidth, kHeight));
}

TEST_F(GrabberTest, GathersPiecesOfAnySizeInAnyOrder) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  run();
  for (uint32_t number = 0; number < 50; ++number) {
    std::vector<Piece> list;
    uint32_t left = kPictureBytes;
    while (left != 0) {
      const bool closes = list.size() + 1 == kEntries;
      const uint32_t bytes = closes ? left : 1 + random() % left;
      // Backwards in memory, with a gap between.
      list.push_back({FakeHost::kRam + kPictures + (kEntries - list.size()) * 0x1000 + random() % 7, bytes});
      left -= bytes;
    }
    const uint32_t last = give(list);
    pass(kIntervalNs);
    ASSERT_EQ(result(last).result, KSSG_RESULT_DONE);
    ASSERT_EQ(result(last).number, number);
    std::vector<uint8_t> gathered;
    for (const Piece& piece : list) {
      const std::vector<uint8_t> part = memory(piece.address - FakeHost::kRam, piece.bytes);
      gathered.insert(gathered.end(), part.begin(), part.end());
    }
    ASSERT_EQ(gathered, render(number, kWidth, kHeight));
  }
  EXPECT_EQ(get(KSSG_REG_BUS_ERRORS), 0u);
}

TEST_F(GrabberTest, CountsMayWrapAround) {
  run(UINT32_MAX);
  give({whole()});
  const uint32_t last = give({whole()});
  pass(2 * kIntervalNs);
  EXPECT_EQ(get(KSSG_REG_HEAD), 1u);
  EXPECT_EQ(result(last).number, 1u);
}

TEST_F(GrabberTest, DropsPicturesWithoutAList) {
  run();
  pass(2 * kIntervalNs);
  EXPECT_EQ(get(KSSG_REG_DROPPED), 2u);
  EXPECT_EQ(get(KSSG_REG_INT_STATUS), KSSG_INT_DROPPED);
  const uint32_t last = give({whole()});
  pass(kIntervalNs);
  EXPECT_EQ(result(last).number, 2u);
}

TEST_F(GrabberTest, WaitsForTheRestOfAList) {
  run();
  put({FakeHost::kRam + kPictures, 16}, 0);
  set(KSSG_REG_TAIL, tail);
  pass(kIntervalNs);
  EXPECT_EQ(get(KSSG_REG_HEAD), 0u);
  EXPECT_EQ(get(KSSG_REG_DROPPED), 1u);
  const uint32_t last = give({{FakeHost::kRam + kPictures + 16, kPictureBytes - 16}});
  pass(kIntervalNs);
  EXPECT_EQ(result(last).result, KSSG_RESULT_DONE);
  EXPECT_EQ(get(KSSG_REG_HEAD), 2u);
}

TEST_F(GrabberTest, ATailBeyondTheRingIsIgnored) {
  run();
  set(KSSG_REG_TAIL, kEntries + 1);
  EXPECT_EQ(get(KSSG_REG_TAIL), 0u);
  set(KSSG_REG_TAIL, kEntries);
  EXPECT_EQ(get(KSSG_REG_TAIL), kEntries);
}

TEST_F(GrabberTest, SaysThatAListWasTooShort) {
  run();
  const uint32_t last = give({{FakeHost::kRam + kPictures, kPictureBytes - 1}});
  pass(kIntervalNs);
  EXPECT_EQ(result(last).result, KSSG_RESULT_SHORT);
}

TEST_F(GrabberTest, LeavesWhatIsBehindThePicture) {
  run();
  *host.ram(kPictures + kPictureBytes) = 0xA5;
  const uint32_t last = give({{FakeHost::kRam + kPictures, kPictureBytes + 1}, {kNowhere, 16}});
  pass(kIntervalNs);
  EXPECT_EQ(result(last).result, KSSG_RESULT_DONE);
  EXPECT_EQ(*host.ram(kPictures + kPictureBytes), 0xA5);
}

TEST_F(GrabberTest, APieceThatDoesNotAnswerIsCountedAndPassedOver) {
  run();
  const uint32_t last = give({{kNowhere, 16}, {FakeHost::kRam + kPictures, kPictureBytes - 16}});
  pass(kIntervalNs);
  EXPECT_EQ(result(last).result, KSSG_RESULT_BUS_ERROR);
  EXPECT_EQ(get(KSSG_REG_BUS_ERRORS), 1u);
  const std::vector<uint8_t> picture = render(0, kWidth, kHeight);
  EXPECT_EQ(memory(kPictures, kPictureBytes - 16), std::vector<uint8_t>(picture.begin() + 16, picture.end()));
  EXPECT_EQ(get(KSSG_REG_CONTROL), KSSG_CONTROL_RUN);
}

TEST_F(GrabberTest, ARingThatDoesNotAnswerStopsIt) {
  program();
  grabber.write(KSSG_REG_RING_BASE, 8, kNowhere);
  set(KSSG_REG_CONTROL, KSSG_CONTROL_RUN);
  set(KSSG_REG_TAIL, 1);
  pass(2 * kIntervalNs);
  EXPECT_EQ(get(KSSG_REG_CONTROL), KSSG_CONTROL_FAULT);
  EXPECT_EQ(get(KSSG_REG_BUS_ERRORS), 1u);
  EXPECT_EQ(get(KSSG_REG_INT_STATUS), KSSG_INT_FAULT);
  set(KSSG_REG_CONTROL, KSSG_CONTROL_RUN);
  EXPECT_EQ(get(KSSG_REG_CONTROL), KSSG_CONTROL_FAULT) << "until it is stopped";
  set(KSSG_REG_CONTROL, KSSG_CONTROL_STOP);
  EXPECT_EQ(get(KSSG_REG_CONTROL), KSSG_CONTROL_STOP);
}

TEST_F(GrabberTest, RefusesSettingsThatMakeNoSense) {
  for (auto [offset, value] : {std::pair{KSSG_REG_WIDTH, 0u},
                               {KSSG_REG_WIDTH, 31u},
                               {KSSG_REG_HEIGHT, 481u},
                               {KSSG_REG_INTERVAL, 0u},
                               {KSSG_REG_RING_ENTRIES, 6u}}) {
    set(KSSG_REG_RESET, KSSG_RESET_KEY);
    program();
    set(offset, value);
    set(KSSG_REG_CONTROL, KSSG_CONTROL_RUN);
    EXPECT_EQ(get(KSSG_REG_CONTROL), KSSG_CONTROL_FAULT) << offset << " = " << value;
    EXPECT_EQ(host.wake, DRYDOCK_DEVICE_NEVER);
  }
}

TEST_F(GrabberTest, SettingsCountWhileItIsStopped) {
  run();
  set(KSSG_REG_WIDTH, kWidth / 2);
  EXPECT_EQ(get(KSSG_REG_WIDTH), kWidth);
  set(KSSG_REG_CONTROL, KSSG_CONTROL_STOP);
  set(KSSG_REG_WIDTH, kWidth / 2);
  EXPECT_EQ(get(KSSG_REG_WIDTH), kWidth / 2);
}

TEST_F(GrabberTest, StoppingKeepsTheRingAndBeginsTheNumbersAgain) {
  run();
  give({whole()});
  pass(kIntervalNs);
  set(KSSG_REG_CONTROL, KSSG_CONTROL_STOP);
  pass(5 * kIntervalNs);
  EXPECT_EQ(get(KSSG_REG_DROPPED), 0u);
  EXPECT_EQ(get(KSSG_REG_HEAD), 1u);
  const uint32_t last = give({whole()});
  pass(kIntervalNs);
  EXPECT_EQ(result(last).result, 0u);
  set(KSSG_REG_CONTROL, KSSG_CONTROL_RUN);
  pass(kIntervalNs);
  EXPECT_EQ(result(last).result, KSSG_RESULT_DONE);
  EXPECT_EQ(result(last).number, 0u);
}

TEST_F(GrabberTest, AnInterruptIsAcknowledged) {
  run();
  pass(kIntervalNs);
  EXPECT_EQ(host.interrupts, 1);
  pass(kIntervalNs);
  EXPECT_EQ(host.interrupts, 1) << "the line was still raised";
  set(KSSG_REG_INT_ACK, KSSG_INT_DROPPED);
  EXPECT_FALSE(host.raised);
  pass(kIntervalNs);
  EXPECT_EQ(host.interrupts, 2);
  set(KSSG_REG_RESET, KSSG_RESET_KEY);
  EXPECT_FALSE(host.raised);
  EXPECT_EQ(host.wake, DRYDOCK_DEVICE_NEVER);
}

}  // namespace
}  // namespace kssg
