// pfnMakeResidentCb, pfnEvictCb, pfnSetPriorityCb, pfnQueryResidencyCb: where allocations are.
#include "umd/callbacks/residency_callbacks.h"

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"

namespace umd {
namespace {

static_assert(static_cast<int>(D3DDDI_RESIDENCYSTATUS_RESIDENTINGPUMEMORY) ==
                  static_cast<int>(D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY) &&
              static_cast<int>(D3DDDI_RESIDENCYSTATUS_RESIDENTINSHAREDMEMORY) ==
                  static_cast<int>(D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY) &&
              static_cast<int>(D3DDDI_RESIDENCYSTATUS_NOTRESIDENT) ==
                  static_cast<int>(D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT));

// The driver is told what to wait for and what to trim in every case.
HRESULT make_resident(Device& device, D3DDDI_MAKERESIDENT& args) {
  if (HRESULT refusal = judge_allocations(device, Callback::MakeResident, args.AllocationList, args.NumAllocations);
      FAILED(refusal)) {
    return refusal;
  }
  return to_hresult(kmt::MakeResident(device.client(), &args));
}

HRESULT evict(Device& device, D3DDDICB_EVICT& args) {
  if (HRESULT refusal = judge_allocations(device, Callback::Evict, args.AllocationList, args.NumAllocations);
      FAILED(refusal)) {
    return refusal;
  }
  D3DKMT_EVICT call{};
  call.hDevice = device.kernel();
  call.NumAllocations = args.NumAllocations;
  call.AllocationList = args.AllocationList;
  call.Flags = args.Flags;
  HRESULT result = to_hresult(kmt::Evict(device.client(), &call));
  if (SUCCEEDED(result)) args.NumBytesToTrim = call.NumBytesToTrim;
  return result;
}

// A resource or a list: the names are judged here; the kernel judges that there are not both.
template <typename Args>
HRESULT find_named(Device& device, Callback callback, const Args& args, D3DKMT_HANDLE* resource) {
  if (args.hResource) return find_resource(device, callback, args.hResource, resource);
  return judge_allocations(device, callback, args.HandleList, args.NumAllocations);
}

HRESULT set_priority(Device& device, D3DDDICB_SETPRIORITY& args) {
  D3DKMT_SETALLOCATIONPRIORITY call{};
  if (HRESULT refusal = find_named(device, Callback::SetPriority, args, &call.hResource); FAILED(refusal)) {
    return refusal;
  }
  call.hDevice = device.kernel();
  call.phAllocationList = args.HandleList;
  call.AllocationCount = args.NumAllocations;
  call.pPriorities = args.pPriorities;
  return to_hresult(kmt::SetAllocationPriority(device.client(), &call));
}

HRESULT query_residency(Device& device, const D3DDDICB_QUERYRESIDENCY& args) {
  D3DKMT_QUERYALLOCATIONRESIDENCY call{};
  if (HRESULT refusal = find_named(device, Callback::QueryResidency, args, &call.hResource); FAILED(refusal)) {
    return refusal;
  }
  call.hDevice = device.kernel();
  call.phAllocationList = args.HandleList;
  call.AllocationCount = args.NumAllocations;
  call.pResidencyStatus = reinterpret_cast<D3DKMT_ALLOCATIONRESIDENCYSTATUS*>(args.pResidencyStatus);
  return to_hresult(kmt::QueryAllocationResidency(device.client(), &call));
}

}  // namespace

void fill_residency_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::MakeResident, make_resident>(table.pfnMakeResidentCb);
  fill<Callback::Evict, evict>(table.pfnEvictCb);
  fill<Callback::SetPriority, set_priority>(table.pfnSetPriorityCb);
  fill<Callback::QueryResidency, query_residency>(table.pfnQueryResidencyCb);
  fill_offer_callbacks(table);
  fill_gpu_address_callbacks(table);
  fill_paging_queue_callbacks(table);
}

}  // namespace umd
