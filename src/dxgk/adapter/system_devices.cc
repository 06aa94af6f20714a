#include "dxgk/adapter/system_devices.h"

#include "dxgk/adapter/adapter.h"

namespace dxgk {

SystemDevices::~SystemDevices() = default;

base::Result<> SystemDevices::create_process() {
  Miniport& miniport = adapter_.miniport();
  if (!adapter_.caps().address_spaces() || !miniport.has(&DRIVER_INITIALIZATION_DATA::DxgkDdiCreateProcess)) return {};
  DXGKARG_CREATEPROCESS args{};
  args.hDxgkProcess = adapter_.device_handle();  // any value of ours that is not NULL
  args.Flags.SystemProcess = 1;
  NTSTATUS status = miniport.call(Ddi::CreateProcess, &DRIVER_INITIALIZATION_DATA::DxgkDdiCreateProcess,
                                  &adapter_.scope(), adapter_.context(), &args);
  if (status < 0) return base::Failure(status, "the driver refused the system process (DxgkDdiCreateProcess)");
  process_ = args.hKmdProcess;
  return {};
}

// Two from WDDM 2.0 on, one before (observed).
base::Result<> SystemDevices::create_devices() {
  size_t count = adapter_.caps().wddm2() ? 2 : 1;
  while (devices_.size() < count) {
    DXGKARG_CREATEDEVICE args{};
    args.hDevice = adapter_.device_handle();
    args.Flags.SystemDevice = 1;
    args.hKmdProcess = process_;
    NTSTATUS status = adapter_.miniport().call(Ddi::CreateDevice, &DRIVER_INITIALIZATION_DATA::DxgkDdiCreateDevice,
                                               &adapter_.scope(), adapter_.context(), &args);
    if (status < 0) return base::Failure(status, "the driver refused a system device (DxgkDdiCreateDevice)");
    devices_.push_back(args.hDevice);
  }
  return {};
}

// A driver without MultiEngineAware knows no contexts.
base::Result<> SystemDevices::create_paging_context() {
  const AdapterCaps& caps = adapter_.caps();
  if (!caps.driver.SchedulingCaps.MultiEngineAware) return {};
  DXGKARG_CREATECONTEXT args{};
  args.hContext = adapter_.device_handle();
  args.NodeOrdinal = caps.paging_node;
  args.EngineAffinity = 1;
  args.Flags.SystemContext = 1;
  args.Flags.VirtualAddressing = caps.gpu_mmu;
  NTSTATUS status = adapter_.miniport().call(Ddi::CreateContext, &DRIVER_INITIALIZATION_DATA::DxgkDdiCreateContext,
                                             &adapter_.scope(), devices_.back(), &args);
  if (status < 0) return base::Failure(status, "the driver refused the paging context (DxgkDdiCreateContext)");
  context_ = args.hContext;
  has_context_ = true;
  context_info_ = args.ContextInfo;
  return {};
}

void SystemDevices::destroy() {
  Miniport& miniport = adapter_.miniport();
  if (adapter_.talks_to_driver()) {
    // The driver's answers are ignored: this cannot be undone.
    if (has_context_) {
      static_cast<void>(miniport.call(Ddi::DestroyContext, &DRIVER_INITIALIZATION_DATA::DxgkDdiDestroyContext,
                                      &adapter_.scope(), context_));
    }
    for (HANDLE device : devices_) {
      static_cast<void>(miniport.call(Ddi::DestroyDevice, &DRIVER_INITIALIZATION_DATA::DxgkDdiDestroyDevice,
                                      &adapter_.scope(), device));
    }
    if (process_) {
      static_cast<void>(miniport.call(Ddi::DestroyProcess, &DRIVER_INITIALIZATION_DATA::DxgkDdiDestroyProcess,
                                      &adapter_.scope(), adapter_.context(), process_));
    }
  }
  has_context_ = false;
  devices_.clear();
  process_ = nullptr;
}

}  // namespace dxgk
