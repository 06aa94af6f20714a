#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/device/drydock_device.h"

namespace softgpu {

constexpr uint64_t kNever = DRYDOCK_DEVICE_NEVER;

// The services that the runner of the model provides. Owned by the device; like every part of a device, used by one
// call at a time.
class Host {
 public:
  explicit Host(const DRYDOCK_DEVICE_HOST& services) : services_(services) {}

  // Whether system memory answered.
  bool dma_read(uint64_t bus_address, void* bytes, size_t count) const {
    return services_.dma_read(services_.host, bus_address, bytes, count) == DRYDOCK_DEVICE_OK;
  }
  bool dma_write(uint64_t bus_address, const void* bytes, size_t count) const {
    return services_.dma_write(services_.host, bus_address, bytes, count) == DRYDOCK_DEVICE_OK;
  }

  void raise_interrupt() const { services_.raise_interrupt(services_.host, 0); }
  void lower_interrupt() const { services_.lower_interrupt(services_.host, 0); }
  void wake_at(uint64_t time_ns) const { services_.wake_at(services_.host, time_ns); }
  uint64_t now() const { return services_.now(services_.host); }
  void log(const char* text) const { services_.log(services_.host, text); }

 private:
  const DRYDOCK_DEVICE_HOST& services_;
};

}  // namespace softgpu
