// Memory of contexts. Pages: d3dkmddi/nc-d3dkmddi-dxgkcb_createcontextallocation, -dxgkcb_destroycontextallocation,
// -dxgkcb_mapcontextallocation, -dxgkcb_updatecontextallocation
#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/callbacks.h"
#include "dxgk/object/context_allocation.h"

namespace dxgk {
namespace {

// Where a driver must not call it (already a finding), the call cannot be served: it waits for other threads.
bool can_wait(const CallbackCall& call) {
  if (call.machine().self().irql < DISPATCH_LEVEL) return true;
  call.ignore("a context allocation's function was called at DISPATCH_LEVEL or above");
  return false;
}

NTSTATUS create_context_allocation(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION args) {
  CallbackCall call(Cb::CreateContextAllocation);
  if (!args || !can_wait(call)) return STATUS_INVALID_PARAMETER;
  args->hAllocation = nullptr;
  Adapter* adapter = call.adapter(args->hAdapter);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  if (call.machine().fails(nt::FaultKind::Callback, "DxgkCbCreateContextAllocation")) return STATUS_NO_MEMORY;
  auto created = ContextAllocation::create(*adapter, *args);
  if (!created.ok()) return call.refuse(created.failure());
  args->hAllocation = created.take();
  return STATUS_SUCCESS;
}

NTSTATUS destroy_context_allocation(IN_CONST_HANDLE device, IN_CONST_HANDLE allocation) {
  CallbackCall call(Cb::DestroyContextAllocation);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !can_wait(call)) return STATUS_INVALID_PARAMETER;
  auto destroyed = ContextAllocation::destroy(*adapter, allocation);
  return destroyed.ok() ? STATUS_SUCCESS : call.refuse(destroyed.failure());
}

D3DGPU_VIRTUAL_ADDRESS map_context_allocation(IN_CONST_HANDLE device, IN_CONST_PDXGKARGCB_MAPCONTEXTALLOCATION args) {
  CallbackCall call(Cb::MapContextAllocation);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !args || !can_wait(call)) return 0;
  if (call.machine().fails(nt::FaultKind::Callback, "DxgkCbMapContextAllocation")) return 0;
  auto mapped = ContextAllocation::map(*adapter, *args);
  if (mapped.ok()) return mapped.value();
  static_cast<void>(call.refuse(mapped.failure()));
  return 0;
}

NTSTATUS update_context_allocation(IN_CONST_HANDLE device, IN_CONST_PDXGKARGCB_UPDATECONTEXTALLOCATION args) {
  CallbackCall call(Cb::UpdateContextAllocation);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !args || !can_wait(call)) return STATUS_INVALID_PARAMETER;
  if (call.machine().fails(nt::FaultKind::Callback, "DxgkCbUpdateContextAllocation")) return STATUS_NO_MEMORY;
  auto updated = ContextAllocation::update(*adapter, *args);
  return updated.ok() ? STATUS_SUCCESS : call.refuse(updated.failure());
}

}  // namespace

void fill_context_callbacks(DXGKRNL_INTERFACE& interface) {
  interface.DxgkCbCreateContextAllocation = &create_context_allocation;
  interface.DxgkCbDestroyContextAllocation = &destroy_context_allocation;
  interface.DxgkCbMapContextAllocation = &map_context_allocation;
  interface.DxgkCbUpdateContextAllocation = &update_context_allocation;
}

}  // namespace dxgk
