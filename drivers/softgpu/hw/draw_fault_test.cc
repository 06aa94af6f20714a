// Draws that touch what they must not, and packets that make no sense.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "softgpu/hw/testing/draw_fixture.h"

namespace softgpu {
namespace {

class DrawFaultTest : public DrawTest {
 protected:
  static constexpr uint32_t kVmid = 1;
  static constexpr uint64_t kTables = kFree + 0x80'0000, kBuffer = kFree + 0x90'0000;

  DrawFaultTest() { put(rectangle(0, 0, kWidth, kHeight, kWhite)); }

  // The first gigabyte of virtual addresses is local memory, in large pages; those of `missing` are not there.
  void use_virtual_addresses(uint64_t missing = ~0ull, uint64_t flags_of_missing = 0) {
    for (uint64_t i = 0; i < 3 * SOFTGPU_TABLE_ENTRIES; ++i) card.poke(kTables + 8 * i, 0);
    card.poke(kTables, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, (kTables >> 12) + 1, SOFTGPU_PTE_VALID));
    card.poke(kTables + 0x1000, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, (kTables >> 12) + 2, SOFTGPU_PTE_VALID));
    for (uint64_t i = 0; i < SOFTGPU_LOCAL_BYTES / SOFTGPU_PAGE_2M_BYTES; ++i) {
      uint64_t page_flags = SOFTGPU_PTE_LARGE | (i == missing ? flags_of_missing : uint64_t{SOFTGPU_PTE_VALID});
      card.poke(kTables + 0x2000 + 8 * i, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, i * 512, page_flags));
    }
    card.set64(SOFTGPU_REG_VMID(kVmid) + SOFTGPU_VMID_ROOT, local(kTables));
    card.set(SOFTGPU_REG_VMID(kVmid) + SOFTGPU_VMID_ENTRIES, 1);
    card.set(SOFTGPU_REG_TLB_INVALIDATE, SOFTGPU_TLB_ALL);
    for (uint64_t* address : {&draw.target, &draw.depth, &draw.texture, &draw.vertices, &draw.indices})
      *address = softgpu_address_offset(*address);
  }
  // As a client's buffer.
  void submit_unprivileged() {
    SOFTGPU_DRAW copy = draw;
    copy.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(copy), flags);
    Qwords qwords(sizeof(copy) / 8);
    std::memcpy(qwords.data(), &copy, sizeof(copy));
    card.put(kBuffer, qwords);
    card.submit(kRender, indirect(kBuffer, sizeof(copy), kVmid, SOFTGPU_FLAG_UNPRIVILEGED));
    card.run_all();
  }
  void restart() {
    card.control(kRender, SOFTGPU_CONTROL_RESET);
    card.start(kRender);
  }
  static uint64_t page(uint64_t offset) { return offset / SOFTGPU_PAGE_2M_BYTES; }
};

TEST_F(DrawFaultTest, ClientsDrawWithVirtualAddresses) {
  use_virtual_addresses();
  submit_unprivileged();
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
  expect_rectangle(0, 0, kWidth, kHeight, kWhite);
}

TEST_F(DrawFaultTest, ClientsCannotDrawWithPhysicalAddresses) {
  use_virtual_addresses();
  for (uint64_t* address : {&draw.target, &draw.vertices}) {
    uint64_t good = *address;
    *address = local(good);
    submit_unprivileged();
    EXPECT_EQ(card.fault_kind(kRender), SOFTGPU_FAULT_PRIVILEGE);
    *address = good;
    restart();
  }
  EXPECT_EQ(drawn(), 0u);
}

TEST_F(DrawFaultTest, WhatIsNotThereIsAPageFault) {
  use_depth(1);
  use_texture(1, 1, {kRed});
  use_indices({0, 1, 2, 3, 4, 5});
  flags |= SOFTGPU_DRAW_DEPTH_WRITE;
  const struct {
    uint64_t* address;
    uint32_t access;
  } cases[] = {{&draw.target, SOFTGPU_FAULT_WRITE},
               {&draw.depth, SOFTGPU_FAULT_READ},
               {&draw.texture, SOFTGPU_FAULT_READ},
               {&draw.vertices, SOFTGPU_FAULT_READ},
               {&draw.indices, SOFTGPU_FAULT_READ}};
  use_virtual_addresses();
  for (const auto& one : cases) {
    uint64_t good = *one.address;
    *one.address = 0x1'0000'0000;
    submit_unprivileged();
    EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_FAULT_STATUS) & (SOFTGPU_FAULT_KIND_MASK | SOFTGPU_FAULT_ACCESS_MASK),
              SOFTGPU_FAULT_NOT_PRESENT | one.access);
    EXPECT_EQ(card.get64(kRender, SOFTGPU_ENGINE_FAULT_ADDRESS) & ~0xFFFull, 0x1'0000'0000u);
    EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_FAULT_VMID), kVmid);
    EXPECT_EQ(card.get64(kRender, SOFTGPU_ENGINE_FAULT_PACKET) & 0xFF, SOFTGPU_CMD_DRAW);
    *one.address = good;
    restart();
  }
  submit_unprivileged();
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
}

TEST_F(DrawFaultTest, ReadOnlyTargetsAreNotDrawnTo) {
  use_virtual_addresses(page(kTarget), SOFTGPU_PTE_VALID | SOFTGPU_PTE_READONLY);
  submit_unprivileged();
  EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_FAULT_STATUS), SOFTGPU_FAULT_READ_ONLY | SOFTGPU_FAULT_WRITE);
  EXPECT_EQ(drawn(), 0u);
}

// Each access of a draw can be the one that faults; none is one too many.
TEST_F(DrawFaultTest, AnyAccessMayFault) {
  use_depth(1);
  use_texture(1, 1, {kRed});
  use_indices({0, 1, 2, 3, 4, 5});
  use_virtual_addresses();
  bool faulted = true;
  uint32_t accesses = 0;
  while (faulted && accesses < 1000) {
    card.hook(kRender, SOFTGPU_HOOK_FAULT, ++accesses);
    submit_unprivileged();
    faulted = card.state(kRender) == SOFTGPU_STATE_FAULTED;
    EXPECT_EQ(card.fault_kind(kRender), faulted ? SOFTGPU_FAULT_NOT_PRESENT : SOFTGPU_FAULT_NONE);
    restart();
  }
  // The indices, 6 vertices, a block of the texture; depth and target in each row of the two triangles.
  EXPECT_EQ(accesses - 1, 1u + 6 + 1 + 2 * (15 + 16));
}

TEST_F(DrawFaultTest, PixelsAreAligned) {
  use_depth(1);
  use_texture(1, 1, {kRed});
  for (uint64_t* address : {&draw.target, &draw.depth, &draw.texture}) {
    *address += 2;
    expect_fault(SOFTGPU_FAULT_ADDRESS);
    *address -= 2;
  }
}

TEST_F(DrawFaultTest, DrawingIsTheRenderEnginesBusiness) {
  draw.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(draw), flags);
  Qwords qwords(sizeof(draw) / 8);
  std::memcpy(qwords.data(), &draw, sizeof(draw));
  card.submit(kCopy, qwords);
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_COMMAND);
  card.set(SOFTGPU_HOOK_FEATURES_OFF, SOFTGPU_FEATURE_DRAWING);
  expect_fault(SOFTGPU_FAULT_COMMAND);
}

TEST_F(DrawFaultTest, TooMuchWorkIsAFault) {
  use_target(4096, 64, SOFTGPU_FORMAT_A8R8G8B8);
  std::vector<ScreenVertex> vertices;
  const uint32_t triangles = SOFTGPU_DRAW_MAX_WORK / (4096 * 64) + 1;
  for (uint32_t i = 0; i < triangles; ++i) {
    for (ScreenVertex vertex : rectangle(0, 0, 8192, 128, kWhite)) vertices.push_back(vertex);
    vertices.resize(vertices.size() - 3);
  }
  put(vertices);
  expect_fault(SOFTGPU_FAULT_COMMAND);
  draw.count = 9;
  run();
}

TEST_F(DrawFaultTest, CostsAsMuchAsItsVerticesAndPixels) {
  auto cost = [&] {
    uint64_t before = card.host.now;
    run();
    return card.host.now - before;
  };
  uint64_t small = cost();
  use_target(1024, 1024, SOFTGPU_FORMAT_A8R8G8B8);
  put(rectangle(0, 0, 16, 16, kWhite));
  uint64_t large = cost();
  EXPECT_GT(large, small + 10'000);
  draw.scissor = {0, 0, 16, 16};
  EXPECT_EQ(cost(), small);
}

// --- Packets that are not well formed ---

TEST_F(DrawFaultTest, EveryFieldIsChecked) {
  use_depth(1);
  use_texture(2, 2, {1, 2, 3, 4});
  use_indices({0, 1, 2, 3, 4, 5});
  flags |= SOFTGPU_DRAW_BLEND | SOFTGPU_DRAW_ALPHA_TEST | SOFTGPU_DRAW_LIGHTING;
  const SOFTGPU_DRAW good = draw;
  run();
  auto refuses = [&](auto change) {
    draw = good;
    change(draw);
    expect_fault(SOFTGPU_FAULT_COMMAND);
  };
  refuses([](SOFTGPU_DRAW& d) { d.target_surface.width = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.target_surface.height = SOFTGPU_SURFACE_MAX + 1; });
  refuses([](SOFTGPU_DRAW& d) { d.target_surface.pitch = kWidth * 4 - 4; });
  refuses([](SOFTGPU_DRAW& d) { d.target_surface.pitch = kWidth * 4 + 2; });
  refuses([](SOFTGPU_DRAW& d) { d.target_surface.pitch = 0xFFFFFFFC; });
  refuses([](SOFTGPU_DRAW& d) { d.target_surface.format = SOFTGPU_FORMAT_L8; });
  refuses([](SOFTGPU_DRAW& d) { d.target_surface.format = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.depth_pitch = kWidth * 4 - 4; });
  refuses([](SOFTGPU_DRAW& d) { d.depth_function = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.depth_function = 9; });
  refuses([](SOFTGPU_DRAW& d) { d.texture_surface.width = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.texture_surface.height = SOFTGPU_SURFACE_MAX + 1; });
  refuses([](SOFTGPU_DRAW& d) { d.texture_surface.pitch = 4; });
  refuses([](SOFTGPU_DRAW& d) { d.texture_surface.format = 0xFFFFFFFF; });
  refuses([](SOFTGPU_DRAW& d) { d.address_u = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.address_v = 4; });
  refuses([](SOFTGPU_DRAW& d) { d.combine_color = 4; });
  refuses([](SOFTGPU_DRAW& d) { d.combine_alpha = 4; });
  refuses([](SOFTGPU_DRAW& d) { d.count = SOFTGPU_DRAW_MAX_COUNT + 1; });
  refuses([](SOFTGPU_DRAW& d) { d.index_bytes = 3; });
  refuses([](SOFTGPU_DRAW& d) { d.stride = SOFTGPU_STRIDE_MAX + 1; });
  refuses([](SOFTGPU_DRAW& d) { d.position_offset = SOFTGPU_ABSENT; });
  refuses([](SOFTGPU_DRAW& d) { d.position_offset = static_cast<uint16_t>(d.stride - 15); });
  refuses([](SOFTGPU_DRAW& d) { d.normal_offset = static_cast<uint16_t>(d.stride - 11); });
  refuses([](SOFTGPU_DRAW& d) { d.diffuse_offset = 0xFFFE; });
  refuses([](SOFTGPU_DRAW& d) { d.texcoord_offset = d.stride; });
  refuses([](SOFTGPU_DRAW& d) { d.topology = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.topology = 7; });
  refuses([](SOFTGPU_DRAW& d) { d.position_kind = 4; });
  refuses([](SOFTGPU_DRAW& d) { d.diffuse_kind = 3; });
  refuses([](SOFTGPU_DRAW& d) { d.cull = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.fill = 1; });
  refuses([](SOFTGPU_DRAW& d) { d.write_mask = 0x10; });
  refuses([](SOFTGPU_DRAW& d) { d.alpha_function = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.blend_source = 12; });
  refuses([](SOFTGPU_DRAW& d) { d.blend_destination = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.blend_op = 6; });
  refuses([](SOFTGPU_DRAW& d) { d.blend_source_alpha = 16; });
  refuses([](SOFTGPU_DRAW& d) { d.blend_destination_alpha = 13; });
  refuses([](SOFTGPU_DRAW& d) { d.blend_op_alpha = 0; });
  refuses([](SOFTGPU_DRAW& d) { d.light_count = SOFTGPU_LIGHTS + 1; });
  refuses([](SOFTGPU_DRAW& d) { d.reserved = 1; });

  draw = good;
  flags |= SOFTGPU_DRAW_FLAGS + 1;
  expect_fault(SOFTGPU_FAULT_COMMAND);
}

TEST_F(DrawFaultTest, UnusedAddressesAreZeroAndUnusedFieldsAnything) {
  for (uint64_t* address : {&draw.depth, &draw.texture, &draw.indices}) {
    *address = local(kFree);
    expect_fault(SOFTGPU_FAULT_COMMAND);
    *address = 0;
  }
  flags |= SOFTGPU_DRAW_DEPTH_WRITE;
  expect_fault(SOFTGPU_FAULT_COMMAND);
  flags = SOFTGPU_DRAW_TARGET;
  draw.first = 1;
  expect_fault(SOFTGPU_FAULT_COMMAND);  // one vertex too many
  draw.first = 0;
  draw.texture_surface.format = draw.depth_pitch = 0xFFFFFFFF;
  draw.blend_op = draw.light_count = draw.alpha_function = draw.address_u = draw.index_bytes = 0xFF;
  run();
  expect_rectangle(0, 0, kWidth, kHeight, kWhite);
}

// Well formed in its numbers, or nearly; anything else is anything. The sanitizers watch.
TEST_F(DrawFaultTest, NothingItIsToldHurts) {
  const uint64_t seed = base::seed_for_test(4);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  base::Rng rng(seed);
  const float odd[] = {0,
                       1,
                       -1,
                       0.5f,
                       1e-30f,
                       1e30f,
                       -3e38f,
                       1e9f,
                       -1e5f,
                       65536,
                       1e-3f,
                       std::numeric_limits<float>::infinity(),
                       -std::numeric_limits<float>::infinity(),
                       std::numeric_limits<float>::quiet_NaN()};
  auto any_float = [&] { return odd[rng.below(std::size(odd))]; };
  uint32_t runs = 0, faults = 0;
  for (int round = 0; round < 3000; ++round) {
    for (uint64_t i = 0; i < 60; ++i) {
      float value = any_float();
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      card.poke(kVertices + 4 * rng.below(200), bits, 4);
      card.poke(kIndices + 4 * rng.below(30), rng.below(2) ? rng.below(8) : rng.next(), 4);
    }
    use_target(kWidth, kHeight, rng.below(2) ? SOFTGPU_FORMAT_A8R8G8B8 : SOFTGPU_FORMAT_R5G6B5);
    flags = SOFTGPU_DRAW_TARGET | (static_cast<uint32_t>(rng.next()) & SOFTGPU_DRAW_FLAGS);
    draw.depth = flags & SOFTGPU_DRAW_DEPTH ? local(kDepth) : 0;
    draw.texture = flags & SOFTGPU_DRAW_TEXTURE ? local(kTexture) : 0;
    draw.indices = flags & SOFTGPU_DRAW_INDEXED ? local(kIndices) : 0;
    draw.texture_surface = {static_cast<uint32_t>(1 + rng.below(9)), static_cast<uint32_t>(1 + rng.below(9)), 64,
                            SOFTGPU_FORMAT_A8R8G8B8};
    draw.stride = 32;
    draw.diffuse_offset = rng.below(2) ? 16 : SOFTGPU_ABSENT;
    draw.texcoord_offset = rng.below(2) ? 20 : SOFTGPU_ABSENT;
    draw.normal_offset = rng.below(2) ? 4 : SOFTGPU_ABSENT;
    draw.vertex_count = 20;
    draw.count = static_cast<uint32_t>(rng.below(20));
    draw.topology = static_cast<uint8_t>(1 + rng.below(6));
    draw.position_kind = static_cast<uint8_t>(rng.below(4));
    draw.diffuse_kind = static_cast<uint8_t>(rng.below(3));
    draw.fill = static_cast<uint8_t>(2 + rng.below(2));
    draw.light_count = static_cast<uint8_t>(rng.below(5));
    draw.address_u = static_cast<uint8_t>(1 + rng.below(3));
    float* const first = &draw.viewport.x;
    constexpr uint64_t kFloats = (sizeof(SOFTGPU_DRAW) - offsetof(SOFTGPU_DRAW, viewport)) / 4;
    for (uint64_t i = rng.below(6); i > 0; --i) {
      float value = any_float();
      std::memcpy(reinterpret_cast<uint8_t*>(first) + 4 * rng.below(kFloats), &value, 4);
    }
    if (rng.below(4) == 0) {  // a bit of the rest
      uint8_t* bytes = reinterpret_cast<uint8_t*>(&draw) + offsetof(SOFTGPU_DRAW, target_surface);
      bytes[rng.below(offsetof(SOFTGPU_DRAW, viewport) - offsetof(SOFTGPU_DRAW, target_surface))] ^=
          static_cast<uint8_t>(1u << rng.below(8));
    }
    submit();
    if (card.state(kRender) == SOFTGPU_STATE_IDLE) {
      ++runs;
      continue;
    }
    ++faults;
    ASSERT_EQ(card.state(kRender), SOFTGPU_STATE_FAULTED);
    restart();
  }
  EXPECT_GT(runs, 1000u);
  EXPECT_GT(faults, 100u);
}

}  // namespace
}  // namespace softgpu
