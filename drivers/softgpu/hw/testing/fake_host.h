#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "abi/device/drydock_device.h"

namespace softgpu {

// For tests: the services a device needs, time that moves when told, and a little system memory at a bus address.
class FakeHost {
 public:
  static constexpr uint64_t kRam = 0x1'0000'0000;
  static constexpr uint64_t kRamBytes = 0x10'0000;

  const DRYDOCK_DEVICE_HOST& services() const { return services_; }
  uint8_t* ram(uint64_t offset) { return ram_.data() + offset; }

  uint64_t now = 1'000;
  uint64_t wake = DRYDOCK_DEVICE_NEVER;
  int wakes_asked = 0;
  bool raised = false;
  int interrupts = 0;  // steps of the line from lowered to raised
  std::vector<std::string> lines;

 private:
  static FakeHost& self(void* host) { return *static_cast<FakeHost*>(host); }
  bool contains(uint64_t address, size_t count) const {
    return address >= kRam && address - kRam <= kRamBytes && count <= kRamBytes - (address - kRam);
  }
  void raise() {
    interrupts += !raised;
    raised = true;
  }
  void ask(uint64_t time) {
    ++wakes_asked;
    wake = time;
  }
  int32_t read(uint64_t address, void* bytes, size_t count) {
    if (!contains(address, count)) return DRYDOCK_DEVICE_UNAVAILABLE;
    std::memcpy(bytes, ram(address - kRam), count);
    return DRYDOCK_DEVICE_OK;
  }
  int32_t write(uint64_t address, const void* bytes, size_t count) {
    if (!contains(address, count)) return DRYDOCK_DEVICE_UNAVAILABLE;
    std::memcpy(ram(address - kRam), bytes, count);
    return DRYDOCK_DEVICE_OK;
  }

  std::vector<uint8_t> ram_ = std::vector<uint8_t>(kRamBytes);
  DRYDOCK_DEVICE_HOST services_ = {
      sizeof(DRYDOCK_DEVICE_HOST),
      DRYDOCK_DEVICE_VERSION,
      this,
      [](void* host, uint32_t) { self(host).raise(); },
      [](void* host, uint32_t) { self(host).raised = false; },
      [](void* host, uint64_t address, void* bytes, size_t count) { return self(host).read(address, bytes, count); },
      [](void* host, uint64_t address, const void* bytes, size_t count) {
        return self(host).write(address, bytes, count);
      },
      [](void* host, uint64_t time) { self(host).ask(time); },
      [](void* host) { return self(host).now; },
      [](void* host, const char* text) { self(host).lines.emplace_back(text); },
  };
};

}  // namespace softgpu
