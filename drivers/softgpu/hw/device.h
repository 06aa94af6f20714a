#pragma once

#include <array>
#include <cstdint>

#include "abi/device/drydock_device.h"
#include "softgpu/hw/aperture.h"
#include "softgpu/hw/command_processor.h"
#include "softgpu/hw/engine.h"
#include "softgpu/hw/features.h"
#include "softgpu/hw/host.h"
#include "softgpu/hw/interrupts.h"
#include "softgpu/hw/local_memory.h"
#include "softgpu/hw/memory.h"
#include "softgpu/hw/mmu.h"
#include "softgpu/hw/physical_memory.h"
#include "softgpu/hw/regs.h"

namespace softgpu {

// The adapter as it is after power-on: all of its parts but the memory on the card, and the registers to reach them by.
// Owned by the model's instance. Called by one thread at a time; the host's services and the memory outlive it.
class Device {
 public:
  Device(const DRYDOCK_DEVICE_HOST& services, LocalMemory& local) : host_(services), local_(local) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  uint64_t read(uint32_t bar, uint64_t offset, uint32_t width);
  void write(uint32_t bar, uint64_t offset, uint32_t width, uint64_t value);
  void step(uint64_t now);

 private:
  uint64_t read_register(const Register& target);
  void write_register(const Register& target, uint64_t value);
  uint64_t read_device_register(uint32_t offset);
  void write_device_register(uint32_t offset, uint64_t value);
  uint64_t read_vmid_register(uint32_t vmid, uint32_t offset) const;
  void write_vmid_register(uint32_t vmid, uint32_t offset, uint64_t value);

  void reset();
  Engine* next_engine(uint64_t now);
  void ask_for_step(uint64_t not_before);

  Host host_;
  Features features_;
  LocalMemory& local_;
  PhysicalMemory physical_{local_, host_};
  Aperture aperture_{physical_, features_};
  Mmu mmu_{physical_, features_};
  Memory memory_{physical_, aperture_, mmu_};
  CommandProcessor processor_{memory_, mmu_};
  Interrupts interrupts_{host_};
  Engine::Parts parts_{host_, features_, memory_, processor_, interrupts_};
  std::array<Engine, SOFTGPU_ENGINES> engines_{Engine(SOFTGPU_ENGINE_RENDER, parts_),
                                               Engine(SOFTGPU_ENGINE_COPY, parts_)};
  uint64_t scratch_ = 0;
  uint32_t bad_accesses_ = 0;
  uint64_t asked_for_ = kNever;  // the time of the step that the host was last asked for
};

}  // namespace softgpu
