#include "softgpu/hw/mmu.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "softgpu/hw/testing/fake_host.h"
#include "softgpu/hw/testing/packets.h"

namespace softgpu {
namespace {

class MmuTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kVmid = 3;

  MmuTest() { mmu.set_root(kVmid, {local(new_table()), SOFTGPU_TABLE_ENTRIES}); }

  uint64_t new_table() {
    uint64_t table = next_table_;
    next_table_ += SOFTGPU_TABLE_BYTES;
    std::vector<uint64_t> empty(SOFTGPU_TABLE_ENTRIES);
    local_memory.write(table, empty.data(), SOFTGPU_TABLE_BYTES);
    return table;
  }
  uint64_t entry_at(uint64_t offset) const {
    uint64_t entry = 0;
    local_memory.read(offset, &entry, 8);
    return entry;
  }
  void set_entry(uint64_t offset, uint64_t entry) { local_memory.write(offset, &entry, 8); }

  // Where the entry of `level` lies that counts for the address; makes the tables on the way.
  uint64_t entry_offset(uint64_t virtual_address, uint32_t level) {
    uint64_t table = softgpu_address_offset(mmu.root(kVmid).address);
    for (uint32_t above = SOFTGPU_LEVELS - 1; above > level; --above) {
      uint64_t at = table + 8 * softgpu_table_index(virtual_address, above);
      if (!(entry_at(at) & SOFTGPU_PTE_VALID))
        set_entry(at, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, new_table() >> 12, SOFTGPU_PTE_VALID));
      table = entry_at(at) & SOFTGPU_PTE_FRAME_MASK;
    }
    return table + 8 * softgpu_table_index(virtual_address, level);
  }
  void map(uint64_t virtual_address, uint64_t pte, uint32_t level = 0) {
    set_entry(entry_offset(virtual_address, level), pte);
  }
  void map_64k(uint64_t virtual_address, uint64_t pte) {
    uint64_t above = entry_offset(virtual_address, 1);
    if (!(entry_at(above) & SOFTGPU_PTE_VALID))
      set_entry(above,
                softgpu_pte(SOFTGPU_SEGMENT_LOCAL, new_table() >> 12, SOFTGPU_PTE_VALID | SOFTGPU_PTE_TABLE_64K));
    set_entry((entry_at(above) & SOFTGPU_PTE_FRAME_MASK) + 8 * (virtual_address >> 16 & 31), pte);
  }

  Outcome go(uint64_t virtual_address, Access access = Access::Read) {
    translation = {};
    return mmu.translate(kVmid, virtual_address, access, &translation);
  }
  void expect_fault(uint64_t virtual_address, uint32_t kind, uint32_t level = 0, Access access = Access::Read) {
    Outcome fault = go(virtual_address, access);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, kind);
    EXPECT_EQ(fault->level, level);
    EXPECT_EQ(fault->access, access);
    EXPECT_EQ(fault->address, virtual_address);
  }

  FakeHost services;
  Host host{services.services()};
  LocalMemory local_memory;
  PhysicalMemory physical{local_memory, host};
  Features features;
  Mmu mmu{physical, features};
  Translation translation;
  uint64_t next_table_ = 0x10000;
};

constexpr uint64_t kVa = 0x1234'5678'9000;

TEST_F(MmuTest, WalksFourLevels) {
  map(kVa, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0x77, SOFTGPU_PTE_VALID));
  EXPECT_FALSE(go(kVa + 0x123));
  EXPECT_EQ(translation.address, local(0x77000));
  map(0, softgpu_pte(SOFTGPU_SEGMENT_SYSTEM, 0x123456789, SOFTGPU_PTE_VALID));
  EXPECT_FALSE(go(0));
  EXPECT_EQ(translation.address, bus(0x123456789000));
  map(0x1000, softgpu_pte(SOFTGPU_SEGMENT_APERTURE, 5, SOFTGPU_PTE_VALID));
  EXPECT_FALSE(go(0x1FFF));
  EXPECT_EQ(translation.address, aperture(0x5000));
}

TEST_F(MmuTest, TablesCanLieInSystemMemory) {
  uint64_t* table = reinterpret_cast<uint64_t*>(services.ram(0));
  for (uint32_t level = 0; level < SOFTGPU_LEVELS; ++level) {
    uint64_t next = level == 0 ? 0x99 : (FakeHost::kRam >> 12) + level - 1;
    table[level * 512 + softgpu_table_index(kVa, level)] = softgpu_pte(SOFTGPU_SEGMENT_SYSTEM, next, SOFTGPU_PTE_VALID);
  }
  mmu.set_root(kVmid, {bus(FakeHost::kRam + 3 * 4096), 512});
  EXPECT_FALSE(go(kVa));
  EXPECT_EQ(translation.address, bus(0x99000));
  mmu.set_root(kVmid, {bus(0x1000), 512});
  mmu.tlb().flush(kVmid);
  Outcome fault = go(kVa);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, SOFTGPU_FAULT_BUS);
}

TEST_F(MmuTest, KnowsLargerPages) {
  map(0x4000'0000, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0x400, SOFTGPU_PTE_VALID | SOFTGPU_PTE_LARGE), 1);
  EXPECT_FALSE(go(0x4000'0000 + 0x12'3456));
  EXPECT_EQ(translation.address, local(0x40'0000 + 0x12'3000));

  map_64k(0x8003'0000, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0x50, SOFTGPU_PTE_VALID));
  EXPECT_FALSE(go(0x8003'5678));
  EXPECT_EQ(translation.address, local(0x5'5000));
  expect_fault(0x8004'0000, SOFTGPU_FAULT_NOT_PRESENT);
}

TEST_F(MmuTest, LargerPagesCanBeTakenAwayAndMustBeAligned) {
  map(0x4000'0000, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0x401, SOFTGPU_PTE_VALID | SOFTGPU_PTE_LARGE), 1);
  map_64k(0x8003'0000, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0x51, SOFTGPU_PTE_VALID));
  expect_fault(0x4000'0000, SOFTGPU_FAULT_ENTRY, 1);
  expect_fault(0x8003'0000, SOFTGPU_FAULT_ENTRY, 0);

  map(0x4000'0000, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0x400, SOFTGPU_PTE_VALID | SOFTGPU_PTE_LARGE), 1);
  features.off = SOFTGPU_FEATURE_LARGE_PAGES | SOFTGPU_FEATURE_64K_PAGES;
  expect_fault(0x4000'0000, SOFTGPU_FAULT_ENTRY, 1);
  expect_fault(0x8003'0000, SOFTGPU_FAULT_ENTRY, 1);
}

TEST_F(MmuTest, SaysAtWhichLevelAnEntryWasMissing) {
  for (uint32_t level = 0; level < SOFTGPU_LEVELS; ++level) {
    uint64_t va = uint64_t{level + 1} << 40;
    map(va, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, SOFTGPU_PTE_VALID));
    map(va, 0, level);
    expect_fault(va, SOFTGPU_FAULT_NOT_PRESENT, level, Access::Write);
  }
}

TEST_F(MmuTest, RefusesMalformedEntries) {
  constexpr uint64_t kGood = SOFTGPU_PTE_VALID;
  struct Bad {
    uint64_t pte;
    uint32_t level;
  };
  const Bad kBad[] = {
      {softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, kGood) | uint64_t{1} << 48, 0},
      {softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, kGood) | 0x200, 2},
      {softgpu_pte(3, 1, kGood), 0},
      {softgpu_pte(SOFTGPU_SEGMENT_APERTURE, 1, kGood), 1},  // a table in the aperture
      {softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0, kGood | SOFTGPU_PTE_LARGE), 0},
      {softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0, kGood | SOFTGPU_PTE_LARGE), 2},
      {softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0, kGood | SOFTGPU_PTE_TABLE_64K), 3},
      {softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0, kGood | SOFTGPU_PTE_TABLE_64K | SOFTGPU_PTE_LARGE), 1},
  };
  uint64_t va = 0;
  for (const Bad& bad : kBad) {
    SCOPED_TRACE(bad.pte);
    va += uint64_t{1} << 40;
    map(va, bad.pte, bad.level);
    expect_fault(va, SOFTGPU_FAULT_ENTRY, bad.level);
  }
}

TEST_F(MmuTest, GuardsTheRoot) {
  uint64_t root = mmu.root(kVmid).address;
  map(kVa, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, SOFTGPU_PTE_VALID));
  uint32_t index = softgpu_table_index(kVa, 3);
  mmu.set_root(kVmid, {root, index});
  expect_fault(kVa, SOFTGPU_FAULT_NOT_PRESENT, 3);
  mmu.set_root(kVmid, {root, index + 1});
  EXPECT_FALSE(go(kVa));
  mmu.tlb().flush(kVmid);
  mmu.set_root(kVmid, {root + 8, 512});
  expect_fault(kVa, SOFTGPU_FAULT_ADDRESS, 3);
  mmu.reset();
  expect_fault(kVa, SOFTGPU_FAULT_NOT_PRESENT, 3);
}

TEST_F(MmuTest, ChecksWhatAPageIsFor) {
  map(0x1000, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, SOFTGPU_PTE_VALID | SOFTGPU_PTE_READONLY));
  map(0x2000, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, SOFTGPU_PTE_VALID | SOFTGPU_PTE_NOEXEC));
  for (int i = 0; i < 2; ++i) {  // the second time out of the TLB
    EXPECT_FALSE(go(0x1000));
    EXPECT_FALSE(go(0x1000, Access::Execute));
    expect_fault(0x1000, SOFTGPU_FAULT_READ_ONLY, 0, Access::Write);
    EXPECT_FALSE(go(0x2000, Access::Write));
    expect_fault(0x2000, SOFTGPU_FAULT_NO_EXECUTE, 0, Access::Execute);
  }
}

TEST_F(MmuTest, AStaleTranslationStaysUntilItIsFlushed) {
  map(kVa, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, SOFTGPU_PTE_VALID));
  EXPECT_FALSE(go(kVa));
  map(kVa, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 2, SOFTGPU_PTE_VALID));
  EXPECT_FALSE(go(kVa));
  EXPECT_EQ(translation.address, local(0x1000));
  mmu.tlb().flush(kVmid);
  EXPECT_FALSE(go(kVa));
  EXPECT_EQ(translation.address, local(0x2000));
}

TEST_F(MmuTest, AMissIsNotRemembered) {
  expect_fault(kVa, SOFTGPU_FAULT_NOT_PRESENT, 3);
  map(kVa, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, SOFTGPU_PTE_VALID));
  EXPECT_FALSE(go(kVa));
}

TEST_F(MmuTest, WithoutTheFeatureEveryAccessFaults) {
  map(kVa, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 1, SOFTGPU_PTE_VALID));
  features.off = SOFTGPU_FEATURE_MMU;
  expect_fault(kVa, SOFTGPU_FAULT_ADDRESS);
}

// Random mappings of all three sizes against a plain map of pages.
TEST_F(MmuTest, AgreesWithAPlainMap) {
  uint64_t seed = base::seed_for_test(41);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  base::Rng rng(seed);
  std::map<uint64_t, uint64_t> pages;  // virtual page to physical address
  for (uint64_t region = 0; region < 200; ++region) {
    uint64_t va = region << 21 | rng.below(4) << 40;
    uint64_t bytes[] = {SOFTGPU_PAGE_BYTES, SOFTGPU_PAGE_64K_BYTES, SOFTGPU_PAGE_2M_BYTES};
    uint64_t kind = rng.below(3);
    if (kind < 2) va += rng.below(SOFTGPU_PAGE_2M_BYTES / bytes[kind]) * bytes[kind];
    uint64_t physical_address = rng.below(1000) * bytes[kind];
    uint64_t pte = softgpu_pte(SOFTGPU_SEGMENT_LOCAL, physical_address >> 12, SOFTGPU_PTE_VALID);
    if (kind == 0) map(va, pte);
    if (kind == 1) map_64k(va, pte);
    if (kind == 2) map(va, pte | SOFTGPU_PTE_LARGE, 1);
    for (uint64_t at = 0; at < bytes[kind]; at += 4096) pages[(va + at) >> 12] = physical_address + at;
  }
  for (int i = 0; i < 20'000; ++i) {
    uint64_t va = (rng.below(200) << 21 | rng.below(4) << 40) + rng.below(SOFTGPU_PAGE_2M_BYTES);
    auto expected = pages.find(va >> 12);
    Outcome fault = go(va);
    ASSERT_EQ(fault.has_value(), expected == pages.end()) << std::hex << va;
    if (!fault) {
      ASSERT_EQ(translation.address, local(expected->second)) << std::hex << va;
    }
  }
}

}  // namespace
}  // namespace softgpu
