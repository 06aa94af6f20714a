#include "softgpu/hw/memory.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "softgpu/hw/testing/fake_host.h"
#include "softgpu/hw/testing/packets.h"

namespace softgpu {
namespace {

// VMID 1 maps its pages 0, 1, 2, 3 to local page 0x20, system page 1 of RAM, aperture page 1, and zeros.
class MemoryTest : public ::testing::Test {
 protected:
  MemoryTest() {
    uint64_t table = 0x1000;
    for (int level = 3; level > 0; --level, table += 0x1000)
      set_qword(table, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, (table >> 12) + 1, SOFTGPU_PTE_VALID));
    set_qword(table, softgpu_pte(SOFTGPU_SEGMENT_LOCAL, 0x20, SOFTGPU_PTE_VALID));
    set_qword(table + 8, softgpu_pte(SOFTGPU_SEGMENT_SYSTEM, (FakeHost::kRam >> 12) + 1, SOFTGPU_PTE_VALID));
    set_qword(table + 16, softgpu_pte(SOFTGPU_SEGMENT_APERTURE, 1, SOFTGPU_PTE_VALID));
    set_qword(table + 24, SOFTGPU_PTE_VALID | SOFTGPU_PTE_ZERO);
    set_qword(table + 32, 0);
    mmu.set_root(1, {local(0x1000), 1});
    set_qword(0x8000, 0);
    set_qword(0x8008, softgpu_aperture_entry(FakeHost::kRam + 0x5000));
    map.set_base(local(0x8000));
    map.set_entries(2);
  }
  void set_qword(uint64_t offset, uint64_t value) { local_memory.write(offset, &value, 8); }
  uint32_t kind_of(const Outcome& fault) { return fault ? fault->kind : SOFTGPU_FAULT_NONE; }
  uint32_t read_fault(uint64_t address, size_t count, View view = {1, true}) {
    std::vector<uint8_t> bytes(count);
    return kind_of(memory.read(view, address, bytes.data(), count));
  }

  FakeHost services;
  Host host{services.services()};
  LocalMemory local_memory;
  PhysicalMemory physical{local_memory, host};
  Features features;
  Aperture map{physical, features};
  Mmu mmu{physical, features};
  Memory memory{physical, map, mmu};
};

TEST_F(MemoryTest, OneRangeCanCrossAllKindsOfPages) {
  std::vector<uint8_t> in(4 * 4096 - 100), out(in.size());
  std::iota(in.begin(), in.end(), uint8_t{3});
  EXPECT_FALSE(memory.write({1, false}, 100, in.data(), in.size()));
  EXPECT_FALSE(memory.read({1, false}, 100, out.data(), out.size()));
  size_t zeros = 3 * 4096 - 100;
  EXPECT_TRUE(std::equal(in.begin(), in.begin() + zeros, out.begin()));
  EXPECT_EQ(std::vector<uint8_t>(out.begin() + zeros, out.end()), std::vector<uint8_t>(4096, 0));

  uint8_t byte = 0;
  local_memory.read(0x20000 + 100, &byte, 1);
  EXPECT_EQ(byte, in[0]);
  EXPECT_EQ(*services.ram(0x1000), in[4096 - 100]);
  EXPECT_EQ(*services.ram(0x5000), in[2 * 4096 - 100]);
}

TEST_F(MemoryTest, PhysicalAddressesNeedPrivilege) {
  for (uint64_t address : {local(0), aperture(0x1000), bus(FakeHost::kRam)}) {
    EXPECT_EQ(read_fault(address, 8), SOFTGPU_FAULT_NONE);
    EXPECT_EQ(read_fault(address, 8, {1, false}), SOFTGPU_FAULT_PRIVILEGE);
  }
}

TEST_F(MemoryTest, NothingLiesBeyondTheEnds) {
  EXPECT_EQ(read_fault(local(SOFTGPU_LOCAL_BYTES - 4), 4), SOFTGPU_FAULT_NONE);
  EXPECT_EQ(read_fault(local(SOFTGPU_LOCAL_BYTES - 4), 5), SOFTGPU_FAULT_ADDRESS);
  EXPECT_EQ(read_fault(aperture(0x2000), 1), SOFTGPU_FAULT_ADDRESS);
  EXPECT_EQ(read_fault(aperture(0), 1), SOFTGPU_FAULT_APERTURE);
  EXPECT_EQ(read_fault(bus(FakeHost::kRam + FakeHost::kRamBytes), 1), SOFTGPU_FAULT_BUS);
  EXPECT_EQ(read_fault(uint64_t{4} << 60, 1), SOFTGPU_FAULT_ADDRESS);
  EXPECT_EQ(read_fault(local(0) | uint64_t{1} << 48, 1), SOFTGPU_FAULT_ADDRESS);
  EXPECT_EQ(read_fault(UINT64_MAX, 8), SOFTGPU_FAULT_ADDRESS);
  EXPECT_EQ(read_fault(SOFTGPU_ADDRESS_OFFSET_MASK, 2), SOFTGPU_FAULT_ADDRESS);
  EXPECT_EQ(read_fault(0x4000, 1), SOFTGPU_FAULT_NOT_PRESENT);
}

TEST_F(MemoryTest, AFaultNamesTheFirstByteThatCouldNotBeReached) {
  std::vector<uint8_t> bytes(8192, 9);
  Outcome fault = memory.write({1, true}, 0x3F00, bytes.data(), bytes.size());
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->address, 0x4000u);
  EXPECT_EQ(fault->status(), SOFTGPU_FAULT_NOT_PRESENT | SOFTGPU_FAULT_WRITE);
}

TEST_F(MemoryTest, ValuesAreAligned) {
  uint64_t value = 0;
  EXPECT_EQ(kind_of(memory.store({1, true}, local(0x30004), uint64_t{1})), SOFTGPU_FAULT_ADDRESS);
  EXPECT_EQ(kind_of(memory.store({1, true}, local(0x30004), uint32_t{1})), SOFTGPU_FAULT_NONE);
  EXPECT_EQ(kind_of(memory.load({1, true}, local(0x30004), &value)), SOFTGPU_FAULT_ADDRESS);
}

}  // namespace
}  // namespace softgpu
