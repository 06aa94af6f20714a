// The device as a whole: on, off and reset.
#include "adapter.h"

namespace softgpu {

// The device is as after a reset.
void start_hardware(Adapter& adapter) {
  const Registers& registers = adapter.registers;
  registers.write64(SOFTGPU_REG_APERTURE_BASE,
                    softgpu_address(SOFTGPU_SPACE_SYSTEM, static_cast<UINT64>(adapter.aperture_physical.QuadPart)));
  registers.write(SOFTGPU_REG_APERTURE_ENTRIES, static_cast<ULONG>(adapter.aperture_bytes / SOFTGPU_PAGE_BYTES));
  for (Engine& engine : adapter.engines) engine.start();
  InterlockedExchange(&adapter.interrupts_on, TRUE);
  registers.write(SOFTGPU_REG_INT_ENABLE, SOFTGPU_INT_ALL);
}

void stop_hardware(Adapter& adapter) {
  hold_interrupts(adapter, [&adapter] {
    adapter.registers.write(SOFTGPU_REG_INT_ENABLE, 0);
    InterlockedExchange(&adapter.interrupts_on, FALSE);
  });
  for (Engine& engine : adapter.engines) engine.stop();
}

// Whatever ran is gone, and does not touch memory any more. What was submitted before counts as completed.
void reset_hardware(Adapter& adapter) {
  stop_hardware(adapter);
  adapter.registers.write(SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
  for (Engine& engine : adapter.engines) engine.settle(engine.last_submitted());
}

}  // namespace softgpu
