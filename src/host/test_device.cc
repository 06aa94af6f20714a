#include "host/test_device.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

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
  uint64_t physical;
  std::memcpy(&physical, bytes_ + kDmaAddress, sizeof(physical));
  std::vector<char> zeros(bytes % kBytes);
  std::string why = machine_.physical().write(physical, zeros.data(), zeros.size());
  if (why.empty()) return;
  machine_.broke(nt::Broke::DmaInvalid, fmt::format("the test device writes {} byte(s) at physical address 0x{:X}, {}",
                                                    zeros.size(), physical, why));
}

}  // namespace host
