// pfnOfferAllocationsCb, pfnOfferAllocations2Cb, pfnReclaimAllocationsCb, pfnReclaimAllocations2Cb,
// pfnReclaimAllocations3Cb: memory whose content the driver can do without.
#include <fmt/format.h>

#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/callbacks/residency_callbacks.h"

namespace umd {
namespace {

static_assert(static_cast<int>(D3DDDI_OFFER_PRIORITY_LOW) == static_cast<int>(D3DKMT_OFFER_PRIORITY_LOW) &&
              static_cast<int>(D3DDDI_OFFER_PRIORITY_NORMAL) == static_cast<int>(D3DKMT_OFFER_PRIORITY_NORMAL) &&
              static_cast<int>(D3DDDI_OFFER_PRIORITY_HIGH) == static_cast<int>(D3DKMT_OFFER_PRIORITY_HIGH) &&
              static_cast<int>(D3DDDI_OFFER_PRIORITY_AUTO) == static_cast<int>(D3DKMT_OFFER_PRIORITY_AUTO));

// Resources or allocations, as the kernel names them. While a call lasts.
class Offered {
 public:
  // The kernel judges that the driver names either one or the other.
  template <typename Args>
  HRESULT read(Device& device, Callback callback, const Args& args) {
    if (!args.pResources) return judge_allocations(device, callback, args.HandleList, args.NumAllocations);
    kmt::Scratch<HANDLE, 32> handles;
    if (HRESULT refusal = read_list(device, args.pResources, args.NumAllocations, handles); FAILED(refusal)) {
      return refusal;
    }
    if (base::Result<> made = resources_.make(args.NumAllocations); !made.ok()) return to_hresult(made.status());
    for (size_t i = 0; i < handles.size(); ++i) {
      if (HRESULT refusal = find_resource(device, callback, handles[i], &resources_[i]); FAILED(refusal)) {
        return refusal;
      }
    }
    by_resource_ = true;
    return S_OK;
  }
  D3DKMT_HANDLE* resources() { return by_resource_ ? resources_.data() : nullptr; }

 private:
  kmt::HandleScratch resources_;
  bool by_resource_ = false;
};

// "Offer and Reclaim Changes": until the commands that use it are submitted, an offer is put off.
template <typename Args>
void judge_submitted(Device& device, Callback callback, const Args& args) {
  if (device.era() < Era::Wddm20) return;
  const Resource* needed = nullptr;
  {
    RuntimeGuard guard(device.runtime.lock);
    for (UINT i = 0; i < args.NumAllocations && !needed; ++i) {
      const auto* resource = args.pResources
                                 ? static_cast<Resource*>(device.runtime.handles.find(args.pResources[i]).object)
                                 : device.allocations().find(args.HandleList[i])->resource;
      if (resource && device.has_pending_commands(*resource)) needed = resource;
    }
  }
  if (!needed) return;
  device.report_violation(
      nt::Violation::UmdOfferedUnsubmitted,
      fmt::format("{} offers a resource, and commands that use it have not been submitted", name_of(callback)),
      device.stacks_of(*needed));
}

template <typename Args>
HRESULT offer_with(Device& device, Callback callback, const Args& args, bool allow_decommit) {
  Offered offered;
  if (HRESULT refusal = offered.read(device, callback, args); FAILED(refusal)) return refusal;
  judge_submitted(device, callback, args);
  D3DKMT_OFFERALLOCATIONS call{};
  call.hDevice = device.kernel();
  call.pResources = offered.resources();
  call.HandleList = args.HandleList;
  call.NumAllocations = args.NumAllocations;
  call.Priority = static_cast<D3DKMT_OFFER_PRIORITY>(kmt::raw(args.Priority));
  call.Flags.AllowDecommit = allow_decommit;
  return to_hresult(kmt::OfferAllocations(device.client(), &call));
}

HRESULT offer(Device& device, const D3DDDICB_OFFERALLOCATIONS& args) {
  return offer_with(device, Callback::OfferAllocations, args, false);
}

HRESULT offer2(Device& device, const D3DDDICB_OFFERALLOCATIONS2& args) {
  if (args.Flags.Reserved) return E_INVALIDARG;
  return offer_with(device, Callback::OfferAllocations2, args, args.Flags.AllowDecommit);
}

HRESULT reclaim(Device& device, const D3DDDICB_RECLAIMALLOCATIONS& args) {
  Offered offered;
  if (HRESULT refusal = offered.read(device, Callback::ReclaimAllocations, args); FAILED(refusal)) return refusal;
  D3DKMT_RECLAIMALLOCATIONS call{};
  call.hDevice = device.kernel();
  call.pResources = offered.resources();
  call.HandleList = args.HandleList;
  call.pDiscarded = args.pDiscarded;
  call.NumAllocations = args.NumAllocations;
  return to_hresult(kmt::ReclaimAllocations(device.client(), &call));
}

// What the results say depends on the version of the driver, not on which callback asks (D3DKMT_RECLAIMALLOCATIONS2).
template <typename Args>
HRESULT reclaim_with(Device& device, Callback callback, Args& args, D3DDDI_RECLAIM_RESULT* results) {
  Offered offered;
  if (HRESULT refusal = offered.read(device, callback, args); FAILED(refusal)) return refusal;
  D3DKMT_RECLAIMALLOCATIONS2 call{};
  call.hPagingQueue = args.PagingQueue;
  call.NumAllocations = args.NumAllocations;
  call.pResources = offered.resources();
  call.HandleList = args.HandleList;
  call.pResults = results;
  HRESULT result = to_hresult(kmt::ReclaimAllocations2(device.client(), &call));
  args.PagingFenceValue = call.PagingFenceValue;
  return result;
}

HRESULT reclaim2(Device& device, D3DDDICB_RECLAIMALLOCATIONS2& args) {
  return reclaim_with(device, Callback::ReclaimAllocations2, args,
                      reinterpret_cast<D3DDDI_RECLAIM_RESULT*>(args.pDiscarded));
}

HRESULT reclaim3(Device& device, D3DDDICB_RECLAIMALLOCATIONS3& args) {
  return reclaim_with(device, Callback::ReclaimAllocations3, args, args.pResults);
}

}  // namespace

void fill_offer_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::OfferAllocations, offer>(table.pfnOfferAllocationsCb);
  fill<Callback::OfferAllocations2, offer2>(table.pfnOfferAllocations2Cb);
  fill<Callback::ReclaimAllocations, reclaim>(table.pfnReclaimAllocationsCb);
  fill<Callback::ReclaimAllocations2, reclaim2>(table.pfnReclaimAllocations2Cb);
  fill<Callback::ReclaimAllocations3, reclaim3>(table.pfnReclaimAllocations3Cb);
}

}  // namespace umd
