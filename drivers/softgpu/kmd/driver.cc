// The driver's entry, and the table of what it does.
#include "driver.h"

namespace softgpu {
namespace {

#pragma code_seg(push, "PAGE")
void unload() { PAGED_CODE(); }
#pragma code_seg(pop)

#pragma code_seg(push, "INIT")

void fill_common(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiAddDevice = add_device;
  table.DxgkDdiStartDevice = start_device;
  table.DxgkDdiStopDevice = stop_device;
  table.DxgkDdiRemoveDevice = remove_device;
  table.DxgkDdiInterruptRoutine = interrupt_routine;
  table.DxgkDdiDpcRoutine = dpc_routine;
  table.DxgkDdiQueryChildRelations = query_child_relations;
  table.DxgkDdiQueryChildStatus = query_child_status;
  table.DxgkDdiQueryDeviceDescriptor = query_device_descriptor;
  table.DxgkDdiSetPowerState = set_power_state;
  table.DxgkDdiResetDevice = reset_device;
  table.DxgkDdiUnload = unload;
  table.DxgkDdiQueryInterface = query_interface;
  table.DxgkDdiQueryAdapterInfo = query_adapter_info;
  table.DxgkDdiCreateDevice = create_device;
  table.DxgkDdiDestroyDevice = destroy_device;
  table.DxgkDdiCreateContext = create_context;
  table.DxgkDdiDestroyContext = destroy_context;
  table.DxgkDdiCreateAllocation = create_allocation;
  table.DxgkDdiDestroyAllocation = destroy_allocation;
  table.DxgkDdiDescribeAllocation = describe_allocation;
  table.DxgkDdiOpenAllocation = open_allocation;
  table.DxgkDdiCloseAllocation = close_allocation;
  table.DxgkDdiGetStandardAllocationDriverData = get_standard_allocation_driver_data;
  table.DxgkDdiBuildPagingBuffer = build_paging_buffer;
  table.DxgkDdiPreemptCommand = preempt_command;
  table.DxgkDdiCancelCommand = cancel_command;
  table.DxgkDdiResetFromTimeout = reset_from_timeout;
  table.DxgkDdiRestartFromTimeout = restart_from_timeout;
  table.DxgkDdiEscape = escape;
  table.DxgkDdiCollectDbgInfo = collect_dbg_info;
  table.DxgkDdiQueryDependentEngineGroup = query_dependent_engine_group;
  table.DxgkDdiQueryEngineStatus = query_engine_status;
  table.DxgkDdiResetEngine = reset_engine;
  table.DxgkDdiNotifySurpriseRemoval = notify_surprise_removal;
  table.DxgkDdiGetNodeMetadata = get_node_metadata;
  table.DxgkDdiCalibrateGpuClock = calibrate_gpu_clock;
}

DRIVER_INITIALIZATION_DATA make_table() {
  DRIVER_INITIALIZATION_DATA table = {};
  table.Version = kInterfaceVersion;
  fill_common(table);
  if constexpr (kGpuMmu) {
    table.DxgkDdiCreateProcess = create_process;
    table.DxgkDdiDestroyProcess = destroy_process;
    table.DxgkDdiSetRootPageTable = set_root_page_table;
    table.DxgkDdiGetRootPageTableSize = get_root_page_table_size;
    table.DxgkDdiSubmitCommandVirtual = submit_command_virtual;
    table.DxgkDdiSetStablePowerState = set_stable_power_state;
  } else {
    table.DxgkDdiRender = render;
    table.DxgkDdiRenderKm = render_km;
    table.DxgkDdiPatch = patch;
    table.DxgkDdiSubmitCommand = submit_command;
  }
  if constexpr (kComputeOnly) {
    table.DxgkDdiFormatHistoryBuffer = format_history_buffer;
    table.DxgkDdiSetVirtualMachineData = set_virtual_machine_data;
  } else {
    table.DxgkDdiPresent = present;
    table.DxgkDdiQueryCurrentFence = query_current_fence;
  }
  return table;
}

}  // namespace
}  // namespace softgpu

EXTERN_C_START
DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA table = softgpu::make_table();
  return DxgkInitialize(DriverObject, RegistryPath, &table);
}
EXTERN_C_END
