#include "host/test_device.h"

#include <cstring>

namespace host {

uint64_t TestDevice::read(uint64_t offset, uint32_t width_bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes_ + offset, width_bytes);
  return value;
}

void TestDevice::write(uint64_t offset, uint32_t width_bytes, uint64_t value) {
  std::memcpy(bytes_ + offset, &value, width_bytes);
  if (offset == kDoorbell && value == 1) machine_.interrupts().raise(kVector);
}

}  // namespace host
