// D3DKMTSetAllocationPriority, D3DKMTGetAllocationPriority.
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "kmt/allocation/named_allocations.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using nt::Violation;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// A resource or a list, never both (US-24).
Judgement judge(D3DKMT_HANDLE resource, const void* list, UINT count, UINT most) {
  if (resource && (list || count)) return Refusal(Violation::PriorityListWrong, "a resource and a list");
  if (!resource && count == 0) return Refusal(Violation::PriorityListWrong, "neither a resource nor a list");
  if (count > most) return Refusal("more allocations in one call than the kernel takes");
  return std::nullopt;
}

base::Result<> find(NamedAllocations& allocations, D3DKMT_HANDLE resource, std::span<const D3DKMT_HANDLE> handles) {
  return resource ? allocations.add_resource(resource) : allocations.add(handles);
}

}  // namespace

Answer serve::SetAllocationPriority(Client& client, const D3DKMT_SETALLOCATIONPRIORITY* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  TRY(client.accept(
      judge(args.hResource, args.phAllocationList, args.AllocationCount, client.policy().max_allocations_per_call)));
  HandleScratch handles;
  TRY(handles.make(args.AllocationCount));
  TRY(client.memory().read(handles.span(), args.phAllocationList));
  Scratch<UINT, 32> priorities;
  TRY(priorities.make(args.hResource ? 1 : args.AllocationCount));
  TRY(client.memory().read(priorities.span(), args.pPriorities));
  for (UINT priority : priorities) {
    if (!priority) return client.refuse(Violation::PriorityListWrong, STATUS_INVALID_PARAMETER, "a priority of 0");
  }
  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  NamedAllocations allocations(client, *device);
  TRY(find(allocations, args.hResource, handles.span()));
  for (size_t i = 0; i < allocations.all().size(); ++i) {
    dxgk::Allocation& allocation = *allocations.all()[i];
    UINT priority = priorities[args.hResource ? 0 : i];
    allocation.set_priority(priority);
    device->adapter().memory().set_priority(allocation, priority);
  }
  return {};
}

// The page does not say how many are returned for a resource: as many as are given for one when it is set, which is
// that of its first allocation.
Answer serve::GetAllocationPriority(Client& client, const D3DKMT_GETALLOCATIONPRIORITY* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  TRY(client.accept(
      judge(args.hResource, args.phAllocationList, args.AllocationCount, client.policy().max_allocations_per_call)));
  HandleScratch handles;
  TRY(handles.make(args.AllocationCount));
  TRY(client.memory().read(handles.span(), args.phAllocationList));
  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  NamedAllocations allocations(client, *device);
  TRY(find(allocations, args.hResource, handles.span()));
  auto all = allocations.all();
  if (all.empty()) return refuse("the resource has no allocation");
  Scratch<UINT, 32> priorities;
  TRY(priorities.make(args.hResource ? 1 : all.size()));
  for (size_t i = 0; i < priorities.size(); ++i) priorities[i] = all[i]->priority();
  return client.memory().write(args.pPriorities, std::span<const UINT>(priorities.span()));
}

}  // namespace kmt
