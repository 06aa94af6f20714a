#pragma once

#include <cstdint>

#include "nt/hardware/registers.h"
#include "nt/machine/machine.h"

namespace host {

// The device that every NT scenario has, for drivers without a model of their own hardware: a page of registers that
// keep what is written, a doorbell that raises the interrupt, and DMA. A count written to kDmaBytes makes it write that
// many zero bytes to the address in kDmaAddress: a bus address of the first device object that has a DMA adapter, or a
// physical one while none has.
class TestDevice final : public nt::RegisterFile {
 public:
  static constexpr uint64_t kPhysical = 0xF000'0000;
  static constexpr uint64_t kBytes = 4096;
  static constexpr uint64_t kDoorbell = 0x10;
  static constexpr uint64_t kDmaAddress = 0xFE0;
  static constexpr uint64_t kDmaBytes = 0xFE8;
  static constexpr uint32_t kVector = 0x31;

  explicit TestDevice(nt::Machine& machine) : machine_(machine) { machine.registers().add(kPhysical, kBytes, *this); }

  uint64_t read(uint64_t offset, uint32_t width_bytes) override;
  void write(uint64_t offset, uint32_t width_bytes, uint64_t value) override;

 private:
  void write_memory(uint64_t bytes);

  nt::Machine& machine_;
  unsigned char bytes_[kBytes] = {};
};

}  // namespace host
