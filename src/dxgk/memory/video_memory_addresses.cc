// How the video memory manager plans GPU addresses.
#include <span>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/mapped_before.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/paging/paging_queue.h"
#include "dxgk/paging/paging_thread.h"
#include "dxgk/work/gpu.h"
#include "vidmm/manager/budget.h"

namespace dxgk {
namespace {

using vidmm::VaSpace;

base::Failure no_addresses(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_NOT_SUPPORTED, "the adapter has no GPU virtual addresses", where);
}

// No address is chosen where the first root entry would have to lead: it is always invalid. Clients may reserve there,
// and do (observed), as long as nothing is mapped.
template <typename Request>
base::Result<> keep_off_first_root_entry(AddressSpace& space, Request& request) {
  if (request.base) return {};
  uint64_t first = space.tables().first_va();
  if (request.maximum && request.maximum <= first && request.minimum < request.maximum) {
    return base::Failure(STATUS_NO_MEMORY, "nothing can be mapped at the lowest addresses");
  }
  if (request.minimum < first) request.minimum = first;
  return {};
}

// Changes the page tables. If that fails, `undo` takes the change of addresses back. Under the memory's lock.
template <typename Undo>
base::Result<> follow(VideoMemory& memory, AddressSpace& space, std::span<const vidmm::VaOp> ops, PagingWork& work,
                      Undo&& undo) {
  memory.assert_locked();
  base::Result<> performed = space.perform(ops, work);
  if (performed.ok()) return {};
  vidmm::VaOpList undone;
  undo(undone);
  static_cast<void>(space.perform(undone, work));
  if (!work.steps.empty()) memory.post(std::move(work));  // room has been made for a page table
  return performed;
}

// Wakes the thread when the lock has been left.
class [[nodiscard]] KickAfter {
 public:
  explicit KickAfter(VideoMemory& memory) : memory_(memory) {}
  ~KickAfter() {
    if (memory_.wants_thread()) memory_.kick();
  }
  KickAfter(const KickAfter&) = delete;
  KickAfter& operator=(const KickAfter&) = delete;

 private:
  VideoMemory& memory_;
};

}  // namespace

// --- Spaces ---

AddressSpace* VideoMemory::address_space(ProcessAdapter& process) { return process.address_space.get(); }

base::Result<AddressSpace*> VideoMemory::make_address_space(ProcessAdapter& process) {
  if (!process.address_space && adapter_.caps().gpu_mmu) {
    PagingWork work;
    auto made = AddressSpace::create(*this, AddressSpace::Kind::Client, process.driver_process(), work);
    if (!work.steps.empty()) post(std::move(work));
    process.address_space = TRY(std::move(made));
  }
  return process.address_space.get();
}

void VideoMemory::end_process(ProcessAdapter& process) {
  if (!process.address_space && !process.memory) return;
  bool invalidate = adapter_.caps().mmu.ExplicitPageTableInvalidation && process.address_space;
  if (invalidate) {
    base::Guard guard(lock_);
    AddressSpace& space = *process.address_space;
    uint64_t first = space.tables().first_va();
    vidmm::VaOp everything{.kind = vidmm::VaOp::Kind::Unmap,
                           .space = &space,
                           .va = first,
                           .bytes = space.tables().end_va() - first,
                           .protection = {.no_access = true}};
    PagingWork work;
    static_cast<void>(space.perform({&everything, 1}, work));
    if (!work.steps.empty()) post(std::move(work));
  }
  wait_idle();  // what was posted may name its page tables
  base::Guard guard(lock_);
  process.address_space.reset();
  process.memory.reset();
  if (adapter_.machine().traces()) trace_segments();
}

// --- Addresses ---

base::Result<VideoMemory::Mapped> VideoMemory::map(PagingQueue& queue, Allocation* what, VaSpace::MapRequest request) {
  Mapped answer;
  KickAfter kick_after(*this);
  base::Guard guard(lock_);
  AddressSpace* space = TRY(make_address_space(queue.device().process_adapter()));
  if (!space) return no_addresses();
  TRY(keep_off_first_root_entry(*space, request));
  request.what = what ? &block_of(*what) : nullptr;
  VaSpace& addresses = *space;
  MappedBefore before(addresses, request.base, request.bytes);
  vidmm::VaOpList ops;
  PagingWork work;
  answer.address = TRY(addresses.map(request, ops));
  TRY(follow(*this, *space, ops, work, [&](vidmm::VaOpList& undone) {
    if (request.base) return before.put_back(addresses, undone);
    static_cast<void>(addresses.free(answer.address, request.bytes, undone));
  }));
  if (work.steps.empty() && passed(next_work_ - 1)) return answer;
  answer.status = STATUS_PENDING;
  answer.fence = queue.next_value();
  work.done = [queue = base::Ref<PagingQueue>::share(queue), fence = answer.fence] { queue->reached(fence); };
  post(std::move(work));
  return answer;
}

base::Result<uint64_t> VideoMemory::reserve(ProcessAdapter& process, const VaSpace::ReserveRequest& request) {
  KickAfter kick_after(*this);
  base::Guard guard(lock_);
  AddressSpace* space = TRY(make_address_space(process));
  if (!space) return no_addresses();
  VaSpace::ReserveRequest where = request;
  TRY(keep_off_first_root_entry(*space, where));
  vidmm::VaOpList ops;
  PagingWork work;
  uint64_t address = TRY(space->reserve(where, ops));
  TRY(follow(*this, *space, ops, work,
             [&](vidmm::VaOpList& undone) { static_cast<void>(space->free(address, request.bytes, undone)); }));
  if (!work.steps.empty()) post(std::move(work));
  return address;
}

base::Result<> VideoMemory::free(ProcessAdapter& process, uint64_t base, uint64_t bytes) {
  uint64_t number;
  uint64_t queued = adapter_.gpu().last_queued();
  base::StackId where = adapter_.machine().here_id();
  {
    base::Guard guard(lock_);
    AddressSpace* space = address_space(process);
    if (!space) return base::Failure(STATUS_INVALID_PARAMETER, "the process has no GPU addresses");
    MappedBefore before(*space, base, bytes);
    vidmm::VaOpList ops;
    PagingWork work;
    TRY(space->free(base, bytes, ops));
    TRY(follow(*this, *space, ops, work, [&](vidmm::VaOpList& undone) { before.put_back(*space, undone); }));
    space->freed.add({base, bytes, FreedAddresses::How::Freed, queued, where});
    if (work.steps.empty()) return {};
    number = post(std::move(work));
  }
  wait(number);
  return {};
}

base::Result<uint64_t> VideoMemory::update(ProcessAdapter& process, std::span<VaSpace::Update> updates,
                                           std::span<Allocation* const> allocations) {
  CHECK(!updates.empty() && updates.size() == allocations.size());
  KickAfter kick_after(*this);
  base::Guard guard(lock_);
  AddressSpace* space = address_space(process);
  if (!space) return base::Failure(STATUS_INVALID_PARAMETER, "the process has no GPU addresses");
  for (size_t i = 0; i < updates.size(); ++i) {
    updates[i].what = allocations[i] ? &block_of(*allocations[i]) : nullptr;
  }
  MappedBefore before(*space, updates);
  vidmm::VaOpList ops;
  PagingWork work;
  TRY(space->update(updates, ops));
  TRY(follow(*this, *space, ops, work, [&](vidmm::VaOpList& undone) { before.put_back(*space, undone); }));
  return work.steps.empty() ? next_work_ - 1 : post(std::move(work));
}

}  // namespace dxgk
