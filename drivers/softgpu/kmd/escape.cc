// DxgkDdiEscape: counters for diagnosis, and hooks for tests.
#include "context_image.h"
#include "driver.h"
#include "softgpu_user.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

NTSTATUS read_counter(const Adapter& adapter, SOFTGPU_ESCAPE& request) {
  const Registers& registers = adapter.registers;
  const Engine& engine = adapter.engines[request.engine];
  switch (request.argument) {
    case SOFTGPU_COUNTER_INTERRUPTS:
      request.value = static_cast<ULONG>(ReadNoFence(&adapter.interrupt_count));
      return STATUS_SUCCESS;
    case SOFTGPU_COUNTER_DPCS:
      request.value = static_cast<ULONG>(ReadNoFence(&adapter.dpc_count));
      return STATUS_SUCCESS;
    case SOFTGPU_COUNTER_RAISED:
      request.value = registers.read(SOFTGPU_REG_INT_COUNT);
      return STATUS_SUCCESS;
    case SOFTGPU_COUNTER_BAD_ACCESSES:
      request.value = registers.read(SOFTGPU_REG_BAD_ACCESSES);
      return STATUS_SUCCESS;
    case SOFTGPU_COUNTER_TLB_HITS:
      request.value = registers.read(SOFTGPU_REG_TLB_HITS);
      return STATUS_SUCCESS;
    case SOFTGPU_COUNTER_TLB_MISSES:
      request.value = registers.read(SOFTGPU_REG_TLB_MISSES);
      return STATUS_SUCCESS;
    case SOFTGPU_COUNTER_PACKETS:
      request.value = engine.read(SOFTGPU_ENGINE_PACKETS);
      return STATUS_SUCCESS;
    case SOFTGPU_COUNTER_FENCES:
      request.value = engine.read(SOFTGPU_ENGINE_FENCES);
      return STATUS_SUCCESS;
    case SOFTGPU_COUNTER_FAULTS:
      request.value = engine.read(SOFTGPU_ENGINE_FAULTS);
      return STATUS_SUCCESS;
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

// What an escape of the hooks' kind sets.
struct Hook {
  UINT code;
  ULONG offset;
};

constexpr Hook kHooks[] = {
    {SOFTGPU_ESCAPE_HANG_ENGINE, SOFTGPU_HOOK_HANG},
    {SOFTGPU_ESCAPE_FAULT_ENGINE, SOFTGPU_HOOK_FAULT},
    {SOFTGPU_ESCAPE_REFUSE_RESET, SOFTGPU_HOOK_RESET_FAILS},
    {SOFTGPU_ESCAPE_REFUSE_PREEMPTION, SOFTGPU_HOOK_PREEMPT_FAILS},
    {SOFTGPU_ESCAPE_SLOW_ENGINE, SOFTGPU_HOOK_SLOWDOWN},
    {SOFTGPU_ESCAPE_DELAY_ENGINE, SOFTGPU_HOOK_DELAY_NS},
    {SOFTGPU_ESCAPE_AT_ONCE, SOFTGPU_HOOK_SPEED},
    {SOFTGPU_ESCAPE_DROP_INTERRUPTS, SOFTGPU_HOOK_DROP_INTERRUPTS},
};

NTSTATUS set_hook(const Adapter& adapter, const SOFTGPU_ESCAPE& request) {
  for (const Hook& hook : kHooks) {
    if (hook.code != request.code) continue;
    if (request.argument > MAXULONG) return STATUS_INVALID_PARAMETER;
    adapter.registers.write(SOFTGPU_REG_HOOKS(request.engine) + hook.offset, static_cast<ULONG>(request.argument));
    return STATUS_SUCCESS;
  }
  return STATUS_INVALID_PARAMETER;
}

}  // namespace

NTSTATUS escape(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_ESCAPE pEscape) {
  PAGED_CODE();
  const Adapter& adapter = adapter_of(hAdapter);
  if (pEscape->pPrivateDriverData == nullptr || pEscape->PrivateDriverDataSize != sizeof(SOFTGPU_ESCAPE)) {
    return STATUS_INVALID_PARAMETER;
  }
  auto& request = *static_cast<SOFTGPU_ESCAPE*>(pEscape->pPrivateDriverData);
  if (request.magic != SOFTGPU_USER_MAGIC || request.version != SOFTGPU_USER_VERSION || !has_engine(request.engine)) {
    return STATUS_INVALID_PARAMETER;
  }
  request.value = 0;
  switch (request.code) {
    case SOFTGPU_ESCAPE_READ_COUNTER:
      return read_counter(adapter, request);
    case SOFTGPU_ESCAPE_RAISE_INTERRUPT:
      adapter.registers.write(SOFTGPU_REG_INT_FORCE, SOFTGPU_INT_SOFTWARE);
      return STATUS_SUCCESS;
    case SOFTGPU_ESCAPE_SET_REGISTERS:
      return pEscape->hContext != nullptr
                 ? set_registers(*static_cast<const Context*>(pEscape->hContext), request.argument)
                 : STATUS_INVALID_PARAMETER;
    default:
      return set_hook(adapter, request);
  }
}

}  // namespace softgpu
