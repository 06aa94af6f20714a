#include "dxgk/ddi/allocation_ddi.h"

#include <fmt/format.h>

#include <boost/container/small_vector.hpp>

#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/ddi/driver_blocks.h"
#include "dxgk/ddi/thread_context.h"

namespace dxgk {
namespace {

// What DxgkDdiCreateAllocation made of the allocations that a call concerns.
std::vector<DriverBlock> blocks_of(nt::Machine& machine, std::span<const HANDLE> driver_handles) {
  std::vector<DriverBlock> blocks;
  for (HANDLE handle : driver_handles) {
    if (auto block = driver_block(machine, handle)) blocks.push_back(*block);
  }
  return blocks;
}

// What became of an allocation, for the history of findings about it.
void note_step(nt::Machine& machine, const Allocation& allocation, const char* step, uint64_t value) {
  machine.note(trace::ObjectStep{.kind = static_cast<uint8_t>(trace::ObjectKind::DxgAllocation),
                                 .ordinal = allocation.ordinal(),
                                 .step = step,
                                 .value = value});
}
nt::Subject subject_of(const Allocation& allocation) {
  return {trace::ObjectKind::DxgAllocation, allocation.ordinal()};
}

void tell_failure(nt::Machine& machine, nt::Violation rule, const char* ddi, NTSTATUS status) {
  if (status >= 0) return;
  machine.report_violation(rule, fmt::format("{} returned 0x{:08X}: what it was given is gone all the same", ddi,
                                             static_cast<uint32_t>(status)));
}

// The allocations stay: only one device's views of them have gone (OC-15).
void check_not_freed(nt::Machine& machine, const std::vector<DriverBlock>& blocks) {
  for (const DriverBlock& block : blocks) {
    if (!freed(machine, block)) continue;
    machine.report_violation(nt::Violation::FreedInClose,
                             "DxgkDdiCloseAllocation freed what hAllocation of DxgkDdiCreateAllocation points to");
  }
}

// A wrong handle fails the call; whatever value the driver used instead of the data cannot be right (HN-01).
void check_resolved(nt::Machine& machine, const ThreadContext& context, const char* ddi, NTSTATUS status) {
  if (!context.unresolved || status < 0) return;
  machine.report_violation(
      nt::Violation::HandleDataIgnored,
      fmt::format("DxgkCbGetHandleData returned NULL for handle 0x{:x}, and {} went on and succeeded",
                  *context.unresolved, ddi));
}

}  // namespace

base::Result<> open_at_driver(Device& device, std::span<const OpenedAllocation> opened,
                              std::span<const uint8_t> resource_data, bool create, bool read_only) {
  Adapter& adapter = device.adapter();
  boost::container::small_vector<DXGK_OPENALLOCATIONINFO, 4> infos;
  boost::container::small_vector<AllocationView*, 8> views;
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
  args.pOpenAllocation = infos.data();
  args.pPrivateDriverData = resource_bytes.data();
  args.PrivateDriverSize = static_cast<UINT>(resource_data.size());
  args.Flags.Create = create;
  args.Flags.ReadOnly = read_only;
  OpeningViews opening{views.data(), static_cast<uint32_t>(views.size()), create};
  ThreadContext context(&device.process(), &opening);
  NTSTATUS status = adapter.miniport().call(Ddi::OpenAllocation, &DRIVER_INITIALIZATION_DATA::DxgkDdiOpenAllocation,
                                            &device.scope(), device.driver_device(), &args);
  resource_bytes.check_unchanged("DxgkDdiOpenAllocation");
  check_resolved(adapter.machine(), context, "DxgkDdiOpenAllocation", status);
  if (create) {
    private_data.copy_back();  // OC-05
  } else {
    private_data.check_unchanged("DxgkDdiOpenAllocation");  // OC-03
  }
  if (status < 0) return base::Failure(status, "the driver refused to open the allocation (DxgkDdiOpenAllocation)");
  const Allocation* without = nullptr;
  for (size_t i = 0; i < infos.size(); ++i) {
    AllocationView& view = *views[i];
    view.driver_view = infos[i].hDeviceSpecificAllocation;
    if (!view.driver_view) without = &view.allocation();
    note_step(adapter.machine(), view.allocation(), create ? "created, opened" : "opened", view.handle);
  }
  if (!without) return {};
  adapter.machine().report_violation(nt::Violation::OpenedWithoutHandle,
                                     "DxgkDdiOpenAllocation succeeded and left hDeviceSpecificAllocation NULL", {},
                                     subject_of(*without));
  close_at_driver(device, {views.data(), views.size()});
  return base::Failure(STATUS_INVALID_PARAMETER, "the driver opened an allocation without giving it a handle");
}

void close_at_driver(Device& device, std::span<AllocationView* const> views) {
  Adapter& adapter = device.adapter();
  if (!adapter.talks_to_driver()) return;
  boost::container::small_vector<HANDLE, 16> handles, allocations;
  for (AllocationView* view : views) {
    if (!view->driver_view) continue;
    handles.push_back(std::exchange(view->driver_view, nullptr));
    note_step(adapter.machine(), view->allocation(), "closed", view->handle);
    allocations.push_back(view->allocation().driver_handle());
  }
  if (handles.empty()) return;
  std::vector<DriverBlock> blocks = blocks_of(adapter.machine(), {allocations.data(), allocations.size()});
  LateReleases::Elsewhere elsewhere(adapter.late_releases());
  DXGKARG_CLOSEALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.pOpenHandleList = handles.data();
  ThreadContext context(&device.process());
  NTSTATUS status = adapter.miniport().call(Ddi::CloseAllocation, &DRIVER_INITIALIZATION_DATA::DxgkDdiCloseAllocation,
                                            &device.scope(), device.driver_device(), &args);
  check_not_freed(adapter.machine(), blocks);
  tell_failure(adapter.machine(), nt::Violation::CloseFailed, "DxgkDdiCloseAllocation", status);
}

void destroy_at_driver(Adapter& adapter, Process* process, nt::Scope& scope,
                       std::span<const base::Ref<Allocation>> allocations, Resource* resource, bool destroy_resource) {
  if (!adapter.talks_to_driver()) return;
  boost::container::small_vector<HANDLE, 16> handles;
  for (const auto& allocation : allocations) {
    if (!allocation->known_to_driver()) continue;
    handles.push_back(allocation->driver_handle());
    note_step(adapter.machine(), *allocation, "destroyed", destroy_resource);
  }
  if (handles.empty() && !(destroy_resource && resource->driver_knows && adapter.tells_empty_resources())) return;
  DXGKARG_DESTROYALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.pAllocationList = handles.empty() ? nullptr : handles.data();
  args.hResource = resource ? resource->driver_handle : nullptr;
  args.Flags.DestroyResource = destroy_resource;
  nt::Machine& machine = adapter.machine();
  std::vector<DriverBlock> blocks = blocks_of(machine, {handles.data(), handles.size()});
  auto staying = destroy_resource ? std::nullopt : driver_block(machine, args.hResource);
  ThreadContext context(process);
  adapter.late_releases().enter();
  NTSTATUS status = adapter.miniport().call(
      Ddi::DestroyAllocation, &DRIVER_INITIALIZATION_DATA::DxgkDdiDestroyAllocation, &scope, adapter.context(), &args);
  adapter.late_releases().leave(blocks);
  // In and out, although the DDI takes a const structure (DA-06).
  HANDLE before =
      resource ? std::exchange(resource->driver_handle, destroy_resource ? nullptr : args.hResource) : nullptr;
  if (staying && args.hResource == before && freed(machine, *staying)) {
    machine.report_violation(nt::Violation::ResourceFreedEarly,
                             "DxgkDdiDestroyAllocation freed hResource although DestroyResource is not set");
  }
  tell_failure(machine, nt::Violation::DestroyFailed, "DxgkDdiDestroyAllocation", status);
}

}  // namespace dxgk
