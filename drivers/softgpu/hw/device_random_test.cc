// Whatever software writes into it, the hardware stays hardware: it faults, halts and can be reset, and does the same
// again from the same seed.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "softgpu/hw/device.h"
#include "softgpu/hw/testing/card.h"
#include "softgpu/proto/softgpu_build.h"

namespace softgpu {
namespace {

class RandomDriver {
 public:
  explicit RandomDriver(uint64_t seed) : rng_(seed) {
    for (uint64_t at = kTables; at < kTables + kTableBytes; at += 8) card.poke(at, any_entry());
    card.start_all();
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
  }

  Card card;

 private:
  static constexpr uint64_t kFree = Card::kFree;
  static constexpr uint64_t kTables = kFree, kTableBytes = 8 * SOFTGPU_TABLE_BYTES;
  static constexpr uint64_t kBuffers = kFree + 0x10000, kBufferBytes = 0x1000, kBufferCount = 8;

  void step() {
    uint32_t engine = static_cast<uint32_t>(rng_.below(SOFTGPU_ENGINES));
    switch (rng_.below(24)) {
      case 0:
        return write_any_register();
      case 1:
        card.get(static_cast<uint32_t>(4 * rng_.below(SOFTGPU_REGISTER_BAR_BYTES / 4)));
        return;
      case 2:
        return card.control(engine, static_cast<uint32_t>(rng_.below(9)));
      case 3:
        return scribble();
      case 4:
        card.take_interrupts();
        return;
      case 5:
        return set_up_memory();
      case 6:
        card.submit(engine, {rng_.next(), rng_.next()});
        return;
      case 7:
        return card.hook(engine, SOFTGPU_HOOK_HANG, static_cast<uint32_t>(rng_.below(50)));
      case 8:
      case 9:
      case 10:
        return write_buffer();
      case 11:
      case 12:
      case 13:
      case 14:
        return revive(engine);
      case 15:
      case 16:
      case 17:
      case 18:
        card.run(rng_.below(20'000));
        return;
      default:
        card.submit(engine, row({any_packet(), call(), fence(rng_.below(1000))}));
    }
  }

  void write_any_register() {
    constexpr uint32_t kBlocks[] = {0,
                                    SOFTGPU_REG_INT_STATUS,
                                    SOFTGPU_REG_VMID(1),
                                    SOFTGPU_REG_TLB_INVALIDATE,
                                    SOFTGPU_REG_ENGINE(0),
                                    SOFTGPU_REG_ENGINE(1),
                                    SOFTGPU_REG_HOOKS(0)};
    uint32_t width = rng_.below(4) == 0 ? 8 : 4;
    uint64_t offset = kBlocks[rng_.below(std::size(kBlocks))] + width * rng_.below(0x30 / width);
    card.device.write(SOFTGPU_REGISTER_BAR, offset, width, rng_.below(2) ? rng_.below(8192) : any_address());
  }

  // Garbage where packets and tables are read from.
  void scribble() {
    uint64_t at = kFree + 8 * rng_.below(0x3000);
    for (uint64_t i = 0; i < 16; ++i) card.poke(at + 8 * i, rng_.next());
  }

  void write_buffer() {
    Qwords packets;
    while (packets.size() < 64) {
      Qwords more = rng_.below(12) ? any_packet() : end();
      packets.insert(packets.end(), more.begin(), more.end());
    }
    card.put(kBuffers + kBufferBytes * rng_.below(kBufferCount), packets);
  }
  Qwords call() {
    uint64_t offset = kBufferBytes * rng_.below(kBufferCount);
    bool as_user = rng_.below(2);
    return indirect(as_user ? any_address() & ~7ull : local(kBuffers + offset), 8 * rng_.below(80),
                    static_cast<uint32_t>(rng_.below(4)), as_user ? SOFTGPU_FLAG_UNPRIVILEGED : 0);
  }

  void revive(uint32_t engine) {
    if (card.state(engine) == SOFTGPU_STATE_RUNNING || card.state(engine) == SOFTGPU_STATE_IDLE) return;
    card.set(SOFTGPU_HOOK_FEATURES_OFF, 0);
    card.hook(engine, SOFTGPU_HOOK_RESET_FAILS, 0);
    card.hook(engine, SOFTGPU_HOOK_DELAY_NS, 0);
    card.hook(engine, SOFTGPU_HOOK_SLOWDOWN, 0);
    card.control(engine, SOFTGPU_CONTROL_RESET);
    card.start(engine, rng_.below(4) ? 0 : any_address() & ~7ull);
  }

  void set_up_memory() {
    for (uint32_t vmid = 0; vmid < 4; ++vmid) {
      card.set64(SOFTGPU_REG_VMID(vmid) + SOFTGPU_VMID_ROOT, local(kTables + vmid * SOFTGPU_TABLE_BYTES));
      card.set(SOFTGPU_REG_VMID(vmid) + SOFTGPU_VMID_ENTRIES, 512);
    }
    for (uint64_t i = 0; i < 16; ++i)
      card.poke(kFree + 0x9000 + 8 * i, softgpu_aperture_entry(FakeHost::kRam + 4096 * rng_.below(300)));
    card.set64(SOFTGPU_REG_APERTURE_BASE, local(kFree + 0x9000));
    card.set(SOFTGPU_REG_APERTURE_ENTRIES, 16);
    card.set(SOFTGPU_REG_TLB_INVALIDATE, SOFTGPU_TLB_ALL);
  }

  // Most lead back to the tables themselves: walks go in circles, and writes change where they lead.
  uint64_t any_entry() {
    uint64_t frame = (kTables >> 12) + rng_.below(8);
    uint64_t flags = SOFTGPU_PTE_VALID | (rng_.below(16) ? 0 : rng_.below(0x200));
    uint32_t segment = rng_.below(16) ? SOFTGPU_SEGMENT_LOCAL : static_cast<uint32_t>(rng_.below(4));
    return softgpu_pte(segment, frame, flags);
  }

  uint64_t any_address() {
    switch (rng_.below(12)) {
      case 0:
        return rng_.next();
      case 1:
        return bus(FakeHost::kRam + rng_.below(FakeHost::kRamBytes));
      case 2:
        return aperture(rng_.below(0x11000));
      case 3:
      case 4:
        return rng_.next() & SOFTGPU_ADDRESS_OFFSET_MASK & ~7ull;
      case 5:
        return local(SOFTGPU_LOCAL_BYTES - 16 + rng_.below(32));
      default:
        return local(kFree + 0xA000 + 8 * rng_.below(0x1000));
    }
  }

  uint64_t any_size() { return rng_.below(64) == 0 ? rng_.next() : rng_.below(20'000); }

  Qwords any_packet() {
    Qwords qwords = plausible_packet();
    if (rng_.below(32) == 0) qwords[rng_.below(qwords.size())] ^= uint64_t{1} << rng_.below(64);
    return qwords;
  }

  Qwords any_draw() {
    SOFTGPU_DRAW draw = softgpu_draw({16, 16, 64, SOFTGPU_FORMAT_A8R8G8B8});
    uint32_t flags = static_cast<uint32_t>(rng_.next()) & SOFTGPU_DRAW_FLAGS;
    draw.target = flags & SOFTGPU_DRAW_TARGET ? any_address() & ~3ull : 0;
    draw.depth = flags & SOFTGPU_DRAW_DEPTH ? any_address() & ~3ull : 0;
    draw.texture = flags & SOFTGPU_DRAW_TEXTURE ? any_address() & ~3ull : 0;
    draw.vertices = any_address();
    draw.indices = flags & SOFTGPU_DRAW_INDEXED ? any_address() : 0;
    draw.texture_surface = draw.target_surface;
    draw.depth_pitch = 64;
    draw.vertex_count = static_cast<uint32_t>(rng_.below(0x10000));
    draw.count = static_cast<uint32_t>(rng_.below(30));
    draw.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(draw), flags);
    Qwords qwords(sizeof(draw) / 8);
    std::memcpy(qwords.data(), &draw, sizeof(draw));
    return qwords;
  }

  Qwords plausible_packet() {
    switch (rng_.below(17)) {
      case 0:
        return fill(any_address(), any_size(), static_cast<uint32_t>(rng_.next()));
      case 1:
        return copy(any_address(), any_address(), any_size());
      case 2:
        return copy_pages(any_address(), 4096, static_cast<uint32_t>(1 + rng_.below(4095)),
                          {any_address() & ~0xFFFull, any_address() & ~0xFFFull}, rng_.below(2) ? 0x10 : 0);
      case 3:
        return kernel(static_cast<uint32_t>(rng_.below(SOFTGPU_KERNELS)), any_address() & ~3ull, any_address() & ~3ull,
                      any_address() & ~3ull, static_cast<uint32_t>(rng_.below(3000)),
                      static_cast<uint32_t>(rng_.below(100)));
      case 4:
        return call();
      case 5:
        return write_ptes(any_address() & ~7ull, {any_entry(), any_entry()});
      case 6:
        return repeat_pte(any_address() & ~7ull, any_entry(), static_cast<uint32_t>(rng_.below(600)));
      case 7:
        return tlb_flush(static_cast<uint32_t>(rng_.below(SOFTGPU_VMIDS)), rng_.next(), rng_.next());
      case 8:
        return set_root(static_cast<uint32_t>(rng_.below(SOFTGPU_VMIDS)), local(kFree), rng_.below(513));
      case 9:
        return signal(any_address() & ~7ull, rng_.below(10), rng_.below(2) ? SOFTGPU_FLAG_INTERRUPT : 0);
      case 10:
        return wait(any_address() & ~7ull, rng_.below(10));
      case 11:
        return timestamp(any_address() & ~7ull);
      case 12:
        return add_state(static_cast<uint32_t>(rng_.below(SOFTGPU_CONTEXT_REGISTERS)), rng_.next());
      case 13:
        return save_state(rng_.below(4));
      case 14:
        return rng_.below(2) ? clear_state() : restore_state(1 + rng_.below(3), any_address() & ~7ull);
      case 15:  // most of them fault
        return rng_.below(4) ? fence(rng_.below(1000)) : any_draw();
      default:
        return fence(rng_.below(1000));
    }
  }

  base::Rng rng_;
};

// All that can be seen from outside, as one number.
uint64_t digest(Card& card) {
  uint64_t hash = 14695981039346656037u;
  auto add = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
  add(card.host.now);
  add(card.host.wake);
  add(static_cast<uint64_t>(card.host.interrupts));
  for (uint32_t offset = 0; offset < SOFTGPU_REGISTER_BAR_BYTES; offset += 4) add(card.get(offset));
  for (uint64_t offset = 0; offset < 0x20000; offset += 8) add(card.peek(Card::kFree + offset));
  for (uint64_t offset = 0; offset < FakeHost::kRamBytes; ++offset) add(*card.host.ram(offset));
  for (const std::string& line : card.host.lines) add(std::hash<std::string>()(line));
  return hash;
}

void expect_sound(Card& card) {
  for (uint32_t engine = 0; engine < SOFTGPU_ENGINES; ++engine) {
    uint32_t state = card.state(engine);
    EXPECT_LE(state, SOFTGPU_STATE_HUNG);
    EXPECT_EQ(state == SOFTGPU_STATE_FAULTED, card.fault_kind(engine) != SOFTGPU_FAULT_NONE);
    EXPECT_LE(card.fault_kind(engine), SOFTGPU_FAULT_STATE);
  }
  // After a reset it works as on the first day.
  card.set(SOFTGPU_HOOK_FEATURES_OFF, 0);
  card.set(SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
  for (uint32_t engine = 0; engine < SOFTGPU_ENGINES; ++engine) {
    card.hook(engine, SOFTGPU_HOOK_SPEED, SOFTGPU_SPEED_NORMAL);
    card.hook(engine, SOFTGPU_HOOK_DELAY_NS, 0);
    card.hook(engine, SOFTGPU_HOOK_DROP_INTERRUPTS, 0);
    card.hook(engine, SOFTGPU_HOOK_HANG, 0);
  }
  card.start_all();
  for (uint32_t engine = 0; engine < SOFTGPU_ENGINES; ++engine) {
    card.submit(engine, row({fill(local(Card::kFree), 64, 0x77), fence(12345)}));
    card.run_all();
    EXPECT_EQ(card.fence_of(engine), 12345u);
    EXPECT_EQ(card.take_interrupts(), SOFTGPU_INT_FENCE(engine));
  }
  EXPECT_EQ(card.peek(Card::kFree, 4), 0x77u);
}

TEST(DeviceRandomTest, SurvivesAnyDriver) {
  uint64_t first_seed = base::seed_for_test(1000);
  uint32_t fences = 0, faults = 0;
  for (uint64_t seed = first_seed; seed < first_seed + 60; ++seed) {
    SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
    RandomDriver driver(seed);
    driver.run(2000);
    for (uint32_t engine = 0; engine < SOFTGPU_ENGINES; ++engine) {
      fences += driver.card.get(engine, SOFTGPU_ENGINE_FENCES);
      faults += driver.card.get(engine, SOFTGPU_ENGINE_FAULTS);
    }
    expect_sound(driver.card);
    if (::testing::Test::HasFailure()) return;
  }
  // Both kinds of endings were seen, or this test would say nothing.
  EXPECT_GT(fences, 1000u);
  EXPECT_GT(faults, 1000u);
}

TEST(DeviceRandomTest, TheSameSeedDoesTheSame) {
  uint64_t first_seed = base::seed_for_test(2000);
  for (uint64_t seed = first_seed; seed < first_seed + 5; ++seed) {
    SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
    RandomDriver once(seed), again(seed);
    once.run(400);
    again.run(400);
    ASSERT_EQ(digest(once.card), digest(again.card));
  }
}

}  // namespace
}  // namespace softgpu
