// D3DKMTOfferAllocations, D3DKMTReclaimAllocations, D3DKMTReclaimAllocations2.
#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/paging/paging_queue.h"
#include "kmt/allocation/named_allocations.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

using nt::Violation;
using vidmm::ReclaimResult;

static_assert(static_cast<int>(ReclaimResult::Ok) == D3DDDI_RECLAIM_RESULT_OK &&
              static_cast<int>(ReclaimResult::Discarded) == D3DDDI_RECLAIM_RESULT_DISCARDED &&
              static_cast<int>(ReclaimResult::NotCommitted) == D3DDDI_RECLAIM_RESULT_NOT_COMMITTED);
static_assert(static_cast<int>(vidmm::OfferPriority::Low) == D3DKMT_OFFER_PRIORITY_LOW &&
              static_cast<int>(vidmm::OfferPriority::Auto) == D3DKMT_OFFER_PRIORITY_AUTO);

// Resources or allocations, and the other pointer is null (US-22).
struct Names {
  HandleScratch handles;
  bool resources = false;
};

Judgement judge_lists(const void* resources, const void* allocations) {
  if (resources && allocations) return Refusal(Violation::OfferListWrong, "resources and allocations in one call");
  if (!resources && !allocations) return Refusal(Violation::OfferListWrong, "neither resources nor allocations");
  return std::nullopt;
}

template <typename Args>
base::Result<> read(Client& client, const Args& args, Names& names) {
  TRY(client.accept(judge_lists(args.pResources, args.HandleList)));
  names.resources = args.pResources != nullptr;
  return read_names(client, names.handles, names.resources ? args.pResources : args.HandleList, args.NumAllocations);
}

base::Result<> find(Names& names, NamedAllocations& allocations) {
  return names.resources ? allocations.add_resources(names.handles.span()) : allocations.add(names.handles.span());
}

// --- Offer ---

Judgement judge_offer(const D3DKMT_OFFERALLOCATIONS& args) {
  if (raw(args.Priority) < D3DKMT_OFFER_PRIORITY_LOW || raw(args.Priority) > D3DKMT_OFFER_PRIORITY_AUTO) {
    return Refusal(Violation::OfferListWrong, "a priority that there is not");
  }
  if (args.Flags.Reserved) return Refusal("reserved flags are set");
  return std::nullopt;
}

// --- Reclaim ---

using Results = Scratch<UINT, 32>;  // one for each name

// Reclaims everything; a resource gets the worst result of its allocations.
base::Result<dxgk::VideoMemory::Residency> reclaim(Client& client, dxgk::Device& device, dxgk::PagingQueue* queue,
                                                   Names& names, Results& results) {
  dxgk::ParkingLock lock(device.mutex());
  TRY(device.usable());
  NamedAllocations allocations(client, device);
  TRY(find(names, allocations));
  std::vector<ReclaimResult> each(allocations.all().size());
  auto answer = TRY(device.adapter().memory().reclaim(queue, allocations.all(), each));
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = 0;
    for (size_t j = allocations.first_of(i); j < allocations.first_of(i + 1); ++j) {
      results[i] = std::max(results[i], static_cast<UINT>(each[j]));
    }
  }
  return answer;
}

// Without NOT_COMMITTED: what has no memory counts as discarded.
void as_booleans(Results& results) {
  for (UINT& result : results) result = result != D3DDDI_RECLAIM_RESULT_OK;
}

// A client may pass no array for the results.
base::Result<> prepare_results(Client& client, Results& results, void* user, UINT count) {
  TRY(results.make(count));
  if (!user) return {};
  return client.memory().probe_write(user, count * sizeof(UINT));
}
base::Result<> tell_results(Client& client, Results& results, void* user) {
  return user ? client.memory().write(user, std::span<const UINT>(results.span())) : base::Result<>();
}

}  // namespace

Answer serve::OfferAllocations(Client& client, const D3DKMT_OFFERALLOCATIONS* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  TRY(client.accept(judge_offer(args)));
  Names names;
  TRY(read(client, args, names));
  dxgk::ParkingLock lock(device->mutex());
  TRY(device->usable());
  NamedAllocations allocations(client, *device);
  TRY(find(names, allocations));
  return device->adapter().memory().offer(allocations.all(), static_cast<vidmm::OfferPriority>(args.Priority));
}

Answer serve::ReclaimAllocations(Client& client, D3DKMT_RECLAIMALLOCATIONS* user) {
  if (client.like_wsl()) return base::Failure(STATUS_NOT_SUPPORTED, "WSL has no such function");
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::Device> device = TRY(client.find<dxgk::Device>(args.hDevice));
  Names names;
  TRY(read(client, args, names));
  Results results;
  TRY(prepare_results(client, results, args.pDiscarded, args.NumAllocations));
  TRY(reclaim(client, *device, nullptr, names, results));
  as_booleans(results);
  return tell_results(client, results, args.pDiscarded);
}

// pResults has the three values of D3DDDI_RECLAIM_RESULT from WDDM 2.1 on, and is called pDiscarded before
// (documented).
Answer serve::ReclaimAllocations2(Client& client, D3DKMT_RECLAIMALLOCATIONS2* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<dxgk::PagingQueue> queue = TRY(client.find<dxgk::PagingQueue>(args.hPagingQueue));
  Names names;
  TRY(read(client, args, names));
  Results results;
  TRY(prepare_results(client, results, args.pResults, args.NumAllocations));
  TRY(client.memory().probe_write(user));
  dxgk::Device& device = queue->device();
  auto answer = TRY(reclaim(client, device, &*queue, names, results));
  if (device.adapter().caps().version < DXGKDDI_INTERFACE_VERSION_WDDM2_1) as_booleans(results);
  TRY(tell_results(client, results, args.pResults));
  args.PagingFenceValue = answer.fence;
  TRY(client.memory().write(user, args));
  if (answer.status < 0) return base::Failure(answer.status, "no room for what is reclaimed");
  return answer.status;
}

}  // namespace kmt
