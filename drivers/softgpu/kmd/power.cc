// Power, the clock, and the last words before a crash dump.
#include "adapter.h"
#include "driver.h"

namespace softgpu {

#pragma code_seg(push, "PAGE")

// Below D0 the device keeps nothing. There are no children to power.
NTSTATUS set_power_state(const PVOID MiniportDeviceContext, ULONG DeviceUid, DEVICE_POWER_STATE DevicePowerState,
                         POWER_ACTION) {
  PAGED_CODE();
  if (DeviceUid != DISPLAY_ADAPTER_HW_ID) return STATUS_SUCCESS;
  Adapter& adapter = adapter_of(MiniportDeviceContext);
  reset_hardware(adapter);
  if (DevicePowerState == PowerDeviceD0) start_hardware(adapter);
  return STATUS_SUCCESS;
}

// The clock is always the same.
void set_stable_power_state(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SETSTABLEPOWERSTATE) { PAGED_CODE(); }

#pragma code_seg(pop)

// The system is about to stop, at any IRQL: be quiet.
void reset_device(const PVOID MiniportDeviceContext) {
  Adapter& adapter = adapter_of(MiniportDeviceContext);
  if (!adapter.registers.present()) return;
  adapter.registers.write(SOFTGPU_REG_INT_ENABLE, 0);
  for (Engine& engine : adapter.engines) engine.stop();
}

NTSTATUS calibrate_gpu_clock(IN_CONST_HANDLE hAdapter, UINT32 NodeOrdinal, UINT32,
                             OUT_PDXGKARG_CALIBRATEGPUCLOCK pClockCalibration) {
  if (!has_engine(NodeOrdinal)) return STATUS_INVALID_PARAMETER;
  pClockCalibration->GpuFrequency = 1000000000;  // SOFTGPU_REG_TIME counts nanoseconds
  pClockCalibration->GpuClockCounter = adapter_of(hAdapter).registers.read64(SOFTGPU_REG_TIME);
  pClockCalibration->CpuClockCounter = static_cast<UINT64>(KeQueryPerformanceCounter(nullptr).QuadPart);
  return STATUS_SUCCESS;
}

}  // namespace softgpu
