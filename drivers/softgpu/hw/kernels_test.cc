#include "softgpu/hw/kernels.h"

#include <gtest/gtest.h>

#include <cstring>

#include "softgpu/hw/testing/card.h"

namespace softgpu {
namespace {

class KernelsTest : public CardTest {
 protected:
  static constexpr uint64_t kA = kFree, kB = kFree + 0x10000, kD = kFree + 0x20000;
  static constexpr uint32_t kCount = 2500;  // more than two blocks, and no multiple of one

  KernelsTest() {
    for (uint32_t i = 0; i < kCount; ++i) {
      card.poke(kA + 4 * i, i * 2654435761u, 4);
      card.poke(kB + 4 * i, i + 7, 4);
    }
  }
  void run(uint32_t which, uint32_t count, uint32_t scalar = 0) {
    card.submit(kRender, kernel(which, local(kA), local(kB), local(kD), count, scalar));
    card.run_all();
    ASSERT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
  }
  uint32_t at(uint64_t base, uint32_t index) { return static_cast<uint32_t>(card.peek(base + 4 * index, 4)); }
  template <typename Function>
  void expect_each(Function function) {
    for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(at(kD, i), function(at(kA, i), at(kB, i))) << i;
    EXPECT_EQ(at(kD, kCount), 0xCCCCCCCCu);
  }
};

TEST_F(KernelsTest, Adds) {
  run(SOFTGPU_KERNEL_ADD, kCount);
  expect_each([](uint32_t a, uint32_t b) { return a + b; });
}

TEST_F(KernelsTest, Xors) {
  run(SOFTGPU_KERNEL_XOR, kCount);
  expect_each([](uint32_t a, uint32_t b) { return a ^ b; });
}

TEST_F(KernelsTest, MultipliesAndAdds) {
  run(SOFTGPU_KERNEL_MAD, kCount, 31);
  expect_each([](uint32_t a, uint32_t b) { return a * 31 + b; });
}

TEST_F(KernelsTest, Iterates) {
  run(SOFTGPU_KERNEL_ITERATE, kCount, 2);
  expect_each([](uint32_t a, uint32_t) { return (a * 1664525u + 1013904223u) * 1664525u + 1013904223u; });
}

// The check values of zlib's crc32().
TEST_F(KernelsTest, ComputesTheUsualCrc) {
  uint64_t text;
  std::memcpy(&text, "12345678", 8);
  card.poke(kA, text);
  run(SOFTGPU_KERNEL_CRC32, 2);
  EXPECT_EQ(at(kD, 0), 0x9AE0DAAFu);
  run(SOFTGPU_KERNEL_CRC32, 0);
  EXPECT_EQ(at(kD, 0), 0u);
}

TEST_F(KernelsTest, TakeAsLongAsTheirWork) {
  card.submit(kRender, kernel(SOFTGPU_KERNEL_ITERATE, local(kA), 0, local(kD), 1000, 1000));
  card.run(200'000);
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_RUNNING);
  EXPECT_EQ(at(kD, 0), 0xCCCCCCCCu);
  card.run(100'000);
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
}

TEST_F(KernelsTest, OperandsAreAligned) {
  for (Qwords bad : {kernel(SOFTGPU_KERNEL_ADD, local(kA + 2), local(kB), local(kD), 1),
                     kernel(SOFTGPU_KERNEL_ADD, local(kA), local(kB + 1), local(kD), 1),
                     kernel(SOFTGPU_KERNEL_CRC32, local(kA), 0, local(kD + 2), 1)}) {
    card.control(kRender, SOFTGPU_CONTROL_RESET);
    card.start(kRender);
    card.submit(kRender, bad);
    card.run_all();
    EXPECT_EQ(card.fault_kind(kRender), SOFTGPU_FAULT_ADDRESS);
  }
}

}  // namespace
}  // namespace softgpu
