#pragma once

#include <cstdint>

namespace softgpu {

// How a test wants an engine to misbehave: SOFTGPU_HOOK_…. Owned by the engine.
struct Hooks {
  uint32_t hang = 0;  // packets until it hangs; 0: never
  uint32_t speed = 0;
  uint32_t delay_ns = 0;
  uint32_t drop_interrupts = 0;
  uint32_t reset_fails = 0;
  uint32_t preempt_fails = 0;
  uint32_t fault = 0;  // accesses until one faults; 0: never
  uint32_t slowdown = 0;

  // Null when there is no such hook.
  uint32_t* find(uint32_t offset);
};

}  // namespace softgpu
