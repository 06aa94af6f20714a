#include "softgpu/hw/aperture.h"

#include <gtest/gtest.h>

#include "softgpu/hw/testing/fake_host.h"
#include "softgpu/hw/testing/packets.h"

namespace softgpu {
namespace {

class ApertureTest : public ::testing::Test {
 protected:
  void set_entry(uint64_t index, uint64_t entry) { local_memory.write(0x1000 + 8 * index, &entry, 8); }
  uint32_t kind_of_fault(uint64_t offset) {
    uint64_t address = 0;
    Outcome fault = map.translate(offset, Access::Write, &address);
    return fault ? fault->kind : SOFTGPU_FAULT_NONE;
  }

  FakeHost services;
  Host host{services.services()};
  LocalMemory local_memory;
  PhysicalMemory physical{local_memory, host};
  Features features;
  Aperture map{physical, features};
};

TEST_F(ApertureTest, LeadsToSystemMemory) {
  map.set_base(local(0x1000));
  map.set_entries(4);
  set_entry(3, softgpu_aperture_entry(0x7'1234'5000));
  uint64_t address = 0;
  EXPECT_FALSE(map.translate(0x3456, Access::Read, &address));
  EXPECT_EQ(address, bus(0x7'1234'5456));
}

TEST_F(ApertureTest, ItsTableCanLieInSystemMemory) {
  uint64_t entry = softgpu_aperture_entry(0x8000);
  std::memcpy(services.ram(0x10), &entry, 8);
  map.set_base(bus(FakeHost::kRam + 0x10));
  map.set_entries(1);
  uint64_t address = 0;
  EXPECT_FALSE(map.translate(8, Access::Read, &address));
  EXPECT_EQ(address, bus(0x8008));
}

TEST_F(ApertureTest, SaysWhyItDoesNot) {
  EXPECT_EQ(kind_of_fault(0), SOFTGPU_FAULT_ADDRESS);  // no aperture yet
  map.set_base(local(0x1000));
  map.set_entries(2);
  set_entry(0, 0x8000);
  set_entry(1, softgpu_aperture_entry(0x8000) | 2);
  EXPECT_EQ(kind_of_fault(0x10), SOFTGPU_FAULT_APERTURE);
  EXPECT_EQ(kind_of_fault(0x1000), SOFTGPU_FAULT_ENTRY);
  EXPECT_EQ(kind_of_fault(0x2000), SOFTGPU_FAULT_ADDRESS);
  map.set_base(bus(0x10));
  EXPECT_EQ(kind_of_fault(0), SOFTGPU_FAULT_BUS);
  map.set_base(aperture(0));
  EXPECT_EQ(kind_of_fault(0), SOFTGPU_FAULT_ADDRESS);
  map.set_base(local(0x1004));
  EXPECT_EQ(kind_of_fault(0), SOFTGPU_FAULT_ADDRESS);
}

TEST_F(ApertureTest, CanBeTakenAway) {
  map.set_base(local(0x1000));
  map.set_entries(1);
  set_entry(0, softgpu_aperture_entry(0x8000));
  EXPECT_EQ(kind_of_fault(0), SOFTGPU_FAULT_NONE);
  features.off = SOFTGPU_FEATURE_APERTURE;
  EXPECT_EQ(kind_of_fault(0), SOFTGPU_FAULT_ADDRESS);
  features.off = 0;
  map.set_entries(SOFTGPU_APERTURE_MAX_ENTRIES + 1);
  EXPECT_EQ(map.entries(), 0u);
  EXPECT_EQ(kind_of_fault(0), SOFTGPU_FAULT_ADDRESS);
}

}  // namespace
}  // namespace softgpu
