// One adapter, from DxgkDdiAddDevice to DxgkDdiRemoveDevice: MiniportDeviceContext and hAdapter of every DDI.
#pragma once

#include "engine.h"
#include "registers.h"

namespace softgpu {

struct Adapter {
  DXGKRNL_INTERFACE dxgk;
  Registers registers;
  PHYSICAL_ADDRESS local_base;  // of local memory, for the CPU
  ULONG64 local_bytes;
  ULONG64 aperture_bytes;
  ULONG features;  // SOFTGPU_FEATURE_…

  UINT64* aperture;  // the aperture's table, in system memory
  PHYSICAL_ADDRESS aperture_physical;

  Engine engines[SOFTGPU_ENGINES];
  volatile LONG64 context_count;  // ever created: the last one's number

  volatile LONG interrupts_on;  // until then an interrupt is another device's
  volatile LONG notified;       // by the interrupt, for the DPC: the graphics kernel was told something
  volatile LONG interrupt_count;
  volatile LONG dpc_count;
};

inline Adapter& adapter_of(const void* handle) { return *static_cast<Adapter*>(const_cast<void*>(handle)); }

inline bool has_engine(UINT node) { return node < SOFTGPU_ENGINES; }

// Runs a routine while the interrupt does not. Any IRQL up to the interrupt's.
template <typename Routine>
void hold_interrupts(Adapter& adapter, Routine routine) {
  KSYNCHRONIZE_ROUTINE* call = [](PVOID context) -> BOOLEAN {
    (*static_cast<Routine*>(context))();
    return TRUE;
  };
  BOOLEAN done = FALSE;
  NTSTATUS status = adapter.dxgk.DxgkCbSynchronizeExecution(adapter.dxgk.DeviceHandle, call, &routine, 0, &done);
  if (!NT_SUCCESS(status)) routine();  // no interrupt is connected, so there is none to hold off
}

// hardware.cc: from a device that is reset to one that takes submissions, and back.
void start_hardware(Adapter& adapter);
void stop_hardware(Adapter& adapter);
void reset_hardware(Adapter& adapter);

}  // namespace softgpu
