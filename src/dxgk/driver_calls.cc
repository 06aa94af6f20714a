#include "dxgk/driver_calls.h"

#include <fmt/format.h>

#include "base/small_vector.h"
#include "dxgk/adapter.h"
#include "dxgk/call_buffer.h"
#include "dxgk/thread_context.h"

namespace dxgk {

base::Result<> open_at_driver(Device& device, std::span<const OpenedAllocation> opened,
                              std::span<const uint8_t> resource_data, bool create, bool read_only) {
  Adapter& adapter = device.adapter();
  base::SmallVector<DXGK_OPENALLOCATIONINFO, 4> infos;
  base::SmallVector<AllocationView*, 8> views;
  CallBuffers private_data(adapter.machine());
  for (const OpenedAllocation& one : opened) {
    if (!one.view->allocation().known_to_driver()) continue;
    DXGK_OPENALLOCATIONINFO info{};
    info.hAllocation = one.view->handle;
    info.pPrivateDriverData = private_data.add(one.private_data);
    info.PrivateDriverDataSize = static_cast<UINT>(one.private_data.size());
    infos.push_back(info);
    views.push_back(one.view);
  }
  if (views.empty()) return {};
  ConstCallBuffer resource_bytes(adapter.machine(), resource_data);
  DXGKARG_OPENALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(infos.size());
  args.pOpenAllocation = infos.begin();
  args.pPrivateDriverData = resource_bytes.data();
  args.PrivateDriverSize = static_cast<UINT>(resource_data.size());
  args.Flags.Create = create;
  args.Flags.ReadOnly = read_only;
  OpeningViews opening{views.begin(), static_cast<uint32_t>(views.size()), create};
  ThreadContext context(&device.process(), &opening);
  NTSTATUS status = adapter.miniport().call(Ddi::OpenAllocation, &DRIVER_INITIALIZATION_DATA::DxgkDdiOpenAllocation,
                                            &device.scope(), device.driver_device(), &args);
  resource_bytes.check_unchanged("DxgkDdiOpenAllocation");
  if (create) {
    private_data.copy_back();  // OC-05
  } else {
    private_data.check_unchanged("DxgkDdiOpenAllocation");  // OC-03
  }
  if (status < 0) return base::Failure(status, "the driver refused to open the allocation (DxgkDdiOpenAllocation)");
  bool complete = true;
  for (size_t i = 0; i < infos.size(); ++i) {
    views.begin()[i]->driver_view = infos.begin()[i].hDeviceSpecificAllocation;
    complete = complete && infos.begin()[i].hDeviceSpecificAllocation;
  }
  if (complete) return {};
  adapter.machine().broke(nt::Broke::OpenedWithoutHandle,
                          "DxgkDdiOpenAllocation succeeded and left hDeviceSpecificAllocation NULL");
  close_at_driver(device, {views.begin(), views.size()});
  return base::Failure(STATUS_INVALID_PARAMETER, "the driver opened an allocation without giving it a handle");
}

void close_at_driver(Device& device, std::span<AllocationView* const> views) {
  Adapter& adapter = device.adapter();
  if (!adapter.talks_to_driver()) return;
  base::SmallVector<HANDLE, 16> handles;
  for (AllocationView* view : views) {
    if (view->driver_view) handles.push_back(std::exchange(view->driver_view, nullptr));
  }
  if (handles.empty()) return;
  DXGKARG_CLOSEALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.pOpenHandleList = handles.begin();
  ThreadContext context(&device.process());
  // Whatever it answers, the view is gone (OC-16: the documents do not say what an error would mean).
  static_cast<void>(adapter.miniport().call(Ddi::CloseAllocation, &DRIVER_INITIALIZATION_DATA::DxgkDdiCloseAllocation,
                                            &device.scope(), device.driver_device(), &args));
}

void destroy_at_driver(Adapter& adapter, Process* process, nt::Scope& scope,
                       std::span<const base::Ref<Allocation>> allocations, Resource* resource, bool destroy_resource) {
  if (!adapter.talks_to_driver()) return;
  base::SmallVector<HANDLE, 16> handles;
  for (const auto& allocation : allocations) {
    if (allocation->known_to_driver()) handles.push_back(allocation->driver_handle());
  }
  if (handles.empty() && !(destroy_resource && resource->driver_knows && adapter.tells_empty_resources())) return;
  DXGKARG_DESTROYALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.pAllocationList = handles.empty() ? nullptr : handles.begin();
  args.hResource = resource ? resource->driver_handle : nullptr;
  args.Flags.DestroyResource = destroy_resource;
  ThreadContext context(process);
  static_cast<void>(adapter.miniport().call(
      Ddi::DestroyAllocation, &DRIVER_INITIALIZATION_DATA::DxgkDdiDestroyAllocation, &scope, adapter.context(), &args));
  // In and out, although the DDI takes a const structure (DA-06).
  if (resource) resource->driver_handle = destroy_resource ? nullptr : args.hResource;
}

}  // namespace dxgk
