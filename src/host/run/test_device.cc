#include "host/run/test_device.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "nt/dma/dma_adapters.h"
#include "nt/hardware/interrupts.h"
#include "nt/mm/physical_memory.h"

namespace host {

uint64_t TestDevice::read(uint64_t offset, uint32_t width_bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes_ + offset, width_bytes);
  return value;
}

void TestDevice::write(uint64_t offset, uint32_t width_bytes, uint64_t value) {
  std::memcpy(bytes_ + offset, &value, width_bytes);
  if (offset == kDoorbell && value == 1) machine_.interrupts().raise(kVector);
  if (offset == kDmaBytes) write_memory(value);
}

void TestDevice::write_memory(uint64_t bytes) {
  uint64_t address;
  std::memcpy(&address, bytes_ + kDmaAddress, sizeof(address));
  std::vector<char> zeros(bytes % kBytes);
  std::optional<nt::Iommu::Fault> fault;
  nt::Iommu* bus = machine_.dma().first_iommu();
  if (bus) {
    fault = bus->write(address, zeros.data(), zeros.size());
  } else if (std::string why = machine_.physical().write(address, zeros.data(), zeros.size()); !why.empty()) {
    fault = nt::Iommu::Fault{nt::Violation::DmaInvalid, std::move(why), {}};
  }
  if (!fault) return;
  machine_.report_violation(fault->what,
                            fmt::format("the test device writes {} byte(s) at {} address 0x{:X}, {}", zeros.size(),
                                        bus ? "bus" : "physical", address, fault->why),
                            std::move(fault->stacks));
}

}  // namespace host
