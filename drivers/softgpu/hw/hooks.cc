#include "softgpu/hw/hooks.h"

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {

uint32_t* Hooks::find(uint32_t offset) {
  switch (offset) {
    case SOFTGPU_HOOK_HANG:
      return &hang;
    case SOFTGPU_HOOK_SPEED:
      return &speed;
    case SOFTGPU_HOOK_DELAY_NS:
      return &delay_ns;
    case SOFTGPU_HOOK_DROP_INTERRUPTS:
      return &drop_interrupts;
    case SOFTGPU_HOOK_RESET_FAILS:
      return &reset_fails;
    case SOFTGPU_HOOK_PREEMPT_FAILS:
      return &preempt_fails;
    case SOFTGPU_HOOK_FAULT:
      return &fault;
    case SOFTGPU_HOOK_SLOWDOWN:
      return &slowdown;
    default:
      return nullptr;
  }
}

}  // namespace softgpu
