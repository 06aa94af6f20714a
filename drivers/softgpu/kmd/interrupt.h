// What the interrupt tells the graphics kernel, for code that has to tell it at other times.
#pragma once

#include "adapter.h"

namespace softgpu {

// Each while interrupts are held off; the DPC follows.

// A fence that completed and whose interrupt was lost or is still to come.
void report_completed(Adapter& adapter, Engine& engine);
// Is answered by DXGK_INTERRUPT_DMA_PREEMPTED, once: now if there is nothing to preempt, else by the interrupt.
void preempt(Adapter& adapter, Engine& engine, UINT preemption_fence);

}  // namespace softgpu
