#pragma once

#include <cstdint>

#include "softgpu/hw/host.h"

namespace softgpu {

// The interrupt line and its causes. Owned by the device. A cause counts as seen once INT_STATUS was read; if it comes
// again after that, acknowledging it leaves it pending, because the driver cannot have meant the second one.
class Interrupts {
 public:
  explicit Interrupts(const Host& host) : host_(host) {}

  void reset();

  // Causes happen; those of fences and signals may wait for company.
  void add(uint32_t causes);
  void acknowledge(uint32_t causes);
  uint32_t read_status();
  uint32_t enabled() const { return enabled_; }
  void enable(uint32_t causes);
  uint32_t coalesce_ns() const { return coalesce_ns_; }
  void set_coalesce_ns(uint32_t time_ns) { coalesce_ns_ = time_ns; }
  uint32_t count() const { return count_; }

  // When the line will be raised if nothing happens before.
  uint64_t due() const { return due_; }
  void advance(uint64_t now);

 private:
  void update();
  void raise();
  void lower();

  const Host& host_;
  uint32_t pending_ = 0;
  uint32_t seen_ = 0;   // of those pending
  uint32_t again_ = 0;  // of those seen
  uint32_t enabled_ = 0;
  uint32_t coalesce_ns_ = 0;
  uint32_t count_ = 0;
  uint64_t due_ = kNever;
  bool raised_ = false;
};

}  // namespace softgpu
