#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "softgpu/hw/device.h"
#include "softgpu/hw/testing/fake_host.h"
#include "softgpu/hw/testing/packets.h"
#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {

// For tests: a device and its host, driven as a driver would. Rings lie at the start of local memory.
class Card {
 public:
  static constexpr uint32_t kRingBytes = SOFTGPU_RING_MIN_BYTES;
  static constexpr uint64_t kFree = 0x10'0000;  // local memory from here on is the test's
  static constexpr uint32_t kRender = SOFTGPU_ENGINE_RENDER, kCopy = SOFTGPU_ENGINE_COPY;

  FakeHost host;
  LocalMemory memory;
  Device device{host.services(), memory};

  // --- Registers and memory ---
  uint32_t get(uint32_t offset) { return static_cast<uint32_t>(device.read(SOFTGPU_REGISTER_BAR, offset, 4)); }
  void set(uint32_t offset, uint32_t value) { device.write(SOFTGPU_REGISTER_BAR, offset, 4, value); }
  uint64_t get64(uint32_t offset) { return device.read(SOFTGPU_REGISTER_BAR, offset, 8); }
  void set64(uint32_t offset, uint64_t value) { device.write(SOFTGPU_REGISTER_BAR, offset, 8, value); }
  uint32_t get(uint32_t engine, uint32_t offset) { return get(SOFTGPU_REG_ENGINE(engine) + offset); }
  uint64_t get64(uint32_t engine, uint32_t offset) { return get64(SOFTGPU_REG_ENGINE(engine) + offset); }
  void set(uint32_t engine, uint32_t offset, uint32_t value) { set(SOFTGPU_REG_ENGINE(engine) + offset, value); }
  void set64(uint32_t engine, uint32_t offset, uint64_t value) { set64(SOFTGPU_REG_ENGINE(engine) + offset, value); }
  void hook(uint32_t engine, uint32_t offset, uint32_t value) { set(SOFTGPU_REG_HOOKS(engine) + offset, value); }
  void control(uint32_t engine, uint32_t command) { set(engine, SOFTGPU_ENGINE_CONTROL, command); }

  uint64_t peek(uint64_t offset, uint32_t width = 8) { return device.read(SOFTGPU_LOCAL_BAR, offset, width); }
  void poke(uint64_t offset, uint64_t value, uint32_t width = 8) {
    device.write(SOFTGPU_LOCAL_BAR, offset, width, value);
  }
  // Returns how many bytes it put there.
  uint64_t put(uint64_t offset, const Qwords& qwords) {
    for (size_t i = 0; i < qwords.size(); ++i) poke(offset + 8 * i, qwords[i]);
    return 8 * qwords.size();
  }

  // --- Work ---
  static uint64_t ring(uint32_t engine) { return engine * kRingBytes; }
  void start(uint32_t engine, uint64_t fence_address = 0) {
    set64(engine, SOFTGPU_ENGINE_RING_BASE, local(ring(engine)));
    set(engine, SOFTGPU_ENGINE_RING_SIZE, kRingBytes);
    set64(engine, SOFTGPU_ENGINE_FENCE_ADDRESS, fence_address);
    control(engine, SOFTGPU_CONTROL_ENABLE);
    tails_[engine] = 0;
  }
  void start_all() {
    set(SOFTGPU_REG_INT_ENABLE, SOFTGPU_INT_ALL);
    for (uint32_t engine = 0; engine < SOFTGPU_ENGINES; ++engine) start(engine);
  }
  // Puts packets into the ring and rings the doorbell.
  void submit(uint32_t engine, const Qwords& qwords) {
    for (uint64_t qword : qwords) {
      poke(ring(engine) + tails_[engine], qword);
      tails_[engine] = (tails_[engine] + 8) % kRingBytes;
    }
    set(engine, SOFTGPU_ENGINE_RING_TAIL, tails_[engine]);
  }
  uint32_t state(uint32_t engine) { return get(engine, SOFTGPU_ENGINE_STATE); }
  uint64_t fence_of(uint32_t engine) { return get64(engine, SOFTGPU_ENGINE_FENCE_CURRENT); }
  uint32_t fault_kind(uint32_t engine) { return get(engine, SOFTGPU_ENGINE_FAULT_STATUS) & SOFTGPU_FAULT_KIND_MASK; }

  // --- Time ---
  void run_until(uint64_t time) {
    while (host.wake <= time) {
      host.now = std::max(host.now, host.wake);
      host.wake = kNever;
      device.step(host.now);
    }
    host.now = time;
  }
  void run(uint64_t time_ns) { run_until(host.now + time_ns); }
  // As long as something is due; not for engines that wait.
  void run_all() {
    while (host.wake != kNever) run_until(host.wake);
  }

  // What a driver's interrupt routine does first.
  uint32_t take_interrupts() {
    uint32_t causes = get(SOFTGPU_REG_INT_STATUS);
    set(SOFTGPU_REG_INT_ACK, causes);
    return causes;
  }

 private:
  std::array<uint32_t, SOFTGPU_ENGINES> tails_{};
};

// A test of a card whose engines are enabled.
class CardTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kRender = Card::kRender, kCopy = Card::kCopy;
  static constexpr uint64_t kFree = Card::kFree;

  CardTest() { card.start_all(); }

  Card card;
};

}  // namespace softgpu
