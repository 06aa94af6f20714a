// What a driver asks about the handles of clients. Pages: d3dkmddi/nc-d3dkmddi-dxgkcb_gethandledata, …
#include <optional>
#include <vector>

#include "base/raw_enum.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/ddi/acquired_handles.h"
#include "dxgk/ddi/callbacks.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/object/device.h"

namespace dxgk {
namespace {

// What a handle stands for.
template <typename T>
struct Found {
  base::Ref<T> object;
  bool opening;  // by the driver, right now
};

AllocationView* opening_view(const ThreadContext& context, D3DKMT_HANDLE handle) {
  for (uint32_t i = 0; context.opening && i < context.opening->count; ++i) {
    if (context.opening->views[i]->handle == handle) return context.opening->views[i];
  }
  return nullptr;
}

ResourceView* opening_resource(const ThreadContext& context, D3DKMT_HANDLE handle) {
  for (uint32_t i = 0; context.opening && i < context.opening->count; ++i) {
    ResourceView* resource = context.opening->views[i]->resource;
    if (resource && resource->handle == handle) return resource;
  }
  return nullptr;
}

// Handles are valid only on a thread that works for their process.
const ThreadContext* context_of(const CallbackCall& call) {
  const ThreadContext* context = ThreadContext::current();
  if (context && context->process) return context;
  call.ignore("the handle of a client means nothing on a thread that does not work for one");
  return nullptr;
}

std::optional<Found<AllocationView>> find_allocation(const CallbackCall& call, D3DKMT_HANDLE handle) {
  const ThreadContext* context = context_of(call);
  if (!context) return std::nullopt;
  if (AllocationView* view = opening_view(*context, handle)) {
    return Found<AllocationView>{base::Ref<AllocationView>::share(*view), true};
  }
  auto found = context->process->handles().get<AllocationView>(handle);
  if (found.ok()) return Found<AllocationView>{found.take(), false};
  call.ignore(ob::describe(found.error()));
  return std::nullopt;
}

std::optional<Found<ResourceView>> find_resource(const CallbackCall& call, D3DKMT_HANDLE handle) {
  const ThreadContext* context = context_of(call);
  if (!context) return std::nullopt;
  if (ResourceView* view = opening_resource(*context, handle)) {
    return Found<ResourceView>{base::Ref<ResourceView>::share(*view), true};
  }
  auto found = context->process->handles().get<ResourceView>(handle);
  if (found.ok()) return Found<ResourceView>{found.take(), false};
  call.ignore(ob::describe(found.error()));
  return std::nullopt;
}

// A driver may ask about one handle as different types: the handle is resolved if one of them was right.
void remember(D3DKMT_HANDLE handle, bool resolved) {
  const ThreadContext* context = ThreadContext::current();
  if (!context) return;
  if (!resolved) {
    context->unresolved = handle;
  } else if (context->unresolved == handle) {
    context->unresolved.reset();
  }
}

VOID* get_handle_data(IN_CONST_PDXGKARGCB_GETHANDLEDATA args) {
  CallbackCall call(Cb::GetHandleData);
  if (base::raw(args->Type) == DXGK_HANDLE_RESOURCE) {
    if (args->Flags.DeviceSpecific) {
      call.machine().report_violation(
          nt::Violation::DeviceSpecificResource,
          "DxgkCbGetHandleData was called with DXGK_HANDLE_RESOURCE and DeviceSpecific, which goes "
          "with DXGK_HANDLE_ALLOCATION only");
      return nullptr;
    }
    auto found = find_resource(call, args->hObject);
    remember(args->hObject, found.has_value());
    return found ? found->object->resource().driver_handle : nullptr;
  }
  auto found = find_allocation(call, args->hObject);
  remember(args->hObject, found.has_value());
  if (!found) return nullptr;
  AllocationView& view = *found->object;
  if (args->Flags.DeviceSpecific) return view.driver_view;
  if (found->opening && view.device().adapter().caps().wddm2() && call.kernel().policy().get_handle_data_null_in_open) {
    call.ignore("from WDDM 2.0 on an allocation that is being opened must be acquired (observed)");
    return nullptr;
  }
  return view.allocation().driver_handle();
}

D3DKMT_HANDLE get_handle_parent(D3DKMT_HANDLE allocation) {
  CallbackCall call(Cb::GetHandleParent);
  auto found = find_allocation(call, allocation);
  return found && found->object->resource ? found->object->resource->handle : 0;
}

D3DKMT_HANDLE enum_handle_children(IN_CONST_PDXGKARGCB_ENUMHANDLECHILDREN args) {
  CallbackCall call(Cb::EnumHandleChildren);
  auto found = find_resource(call, args->hObject);
  if (!found) return 0;
  UINT index = args->Index;
  for (const AllocationView& view : found->object->views) {
    if (index-- == 0) return view.handle;
  }
  // Views that are being opened are not on the list yet.
  const OpeningViews* opening = found->opening ? ThreadContext::current()->opening : nullptr;
  return opening && index < opening->count ? opening->views[index]->handle : 0;
}

VOID* acquire(const CallbackCall& call, DXGK_HANDLE_TYPE type, Adapter& adapter,
              std::span<const base::Ref<Allocation>> allocations, VOID* data, HANDLE* release_handle) {
  auto acquired = call.kernel().acquired().acquire(type, adapter, allocations);
  if (!acquired.ok()) {
    static_cast<void>(call.refuse(acquired.failure()));
    return nullptr;
  }
  *release_handle = acquired.take();
  return data;
}

VOID* acquire_handle_data(IN_CONST_PDXGKARGCB_GETHANDLEDATA args, HANDLE* release_handle) {
  CallbackCall call(Cb::AcquireHandleData);
  *release_handle = nullptr;
  if (base::raw(args->Type) == DXGK_HANDLE_RESOURCE) {
    auto found = find_resource(call, args->hObject);
    if (!found) return nullptr;
    remember(args->hObject, true);
    Resource& resource = found->object->resource();
    std::vector<base::Ref<Allocation>> allocations;
    for (const AllocationView& view : found->object->views) {
      allocations.push_back(base::Ref<Allocation>::share(view.allocation()));
    }
    return acquire(call, DXGK_HANDLE_RESOURCE, resource.adapter(), allocations, resource.driver_handle, release_handle);
  }
  auto found = find_allocation(call, args->hObject);
  if (!found) return nullptr;
  remember(args->hObject, true);
  AllocationView& view = *found->object;
  base::Ref<Allocation> allocation = base::Ref<Allocation>::share(view.allocation());
  VOID* data = args->Flags.DeviceSpecific ? view.driver_view : allocation->driver_handle();
  return acquire(call, DXGK_HANDLE_ALLOCATION, view.device().adapter(), {&allocation, 1}, data, release_handle);
}

VOID release_handle_data(const DXGKARGCB_RELEASEHANDLEDATA args) {
  CallbackCall call(Cb::ReleaseHandleData);
  DXGK_HANDLE_TYPE type = base::raw(args.Type) == DXGK_HANDLE_RESOURCE ? DXGK_HANDLE_RESOURCE : DXGK_HANDLE_ALLOCATION;
  call.kernel().acquired().release(args.ReleaseHandle, type);
}

}  // namespace

void fill_handle_callbacks(DXGKRNL_INTERFACE& interface) {
  interface.DxgkCbGetHandleData = &get_handle_data;
  interface.DxgkCbGetHandleParent = &get_handle_parent;
  interface.DxgkCbEnumHandleChildren = &enum_handle_children;
  interface.DxgkCbAcquireHandleData = &acquire_handle_data;
  interface.DxgkCbReleaseHandleData = &release_handle_data;
}

}  // namespace dxgk
