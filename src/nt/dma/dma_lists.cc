// Scatter/gather lists. Pages: wdm/nc-wdm-pget_scatter_gather_list, nc-wdm-pbuild_scatter_gather_list,
// nc-wdm-pput_scatter_gather_list
#include <fmt/format.h>

#include <utility>

#include "nt/boundary/driver_call.h"
#include "nt/dma/dma_adapter.h"
#include "nt/ex/kernel_body.h"
#include "nt/mm/pool.h"

namespace nt {

// Everything that can fail fails here: a request that waits must get its list. There are at most as many elements as
// pages.
base::Result<> DmaAdapter::get_list(const ListRequest& request) {
  uint32_t registers = TRY(pages(request.buffer, request.function));
  if (registers > facts_.map_registers) {
    return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "more map registers than IoGetDmaAdapter gave");
  }
  size_t bytes = list_bytes(registers);
  bool own_memory = !request.memory;
  if (!own_memory && request.memory_bytes < bytes) {
    return base::Failure(STATUS_BUFFER_TOO_SMALL, "the scatter/gather list does not fit in the driver's buffer");
  }
  void* memory = own_memory ? allocate_body(machine_, bytes) : request.memory;
  if (!memory) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a scatter/gather list");
  ListWork work{request.device,  request.device->CurrentIrp,
                request.buffer,  request.routine,
                request.context, static_cast<SCATTER_GATHER_LIST*>(memory),
                own_memory};
  wait({registers, false, machine_.self().scope, [this, work] { return begin_list(work); }});
  return {};
}

bool DmaAdapter::begin_list(const ListWork& work) {
  std::vector<Iommu::Piece> pieces;
  auto mapping = map_bytes(work.buffer, !facts_.scatter_gather, 0, pieces);
  if (!mapping) return false;
  work.list->NumberOfElements = static_cast<ULONG>(pieces.size());
  work.list->Reserved = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    SCATTER_GATHER_ELEMENT& element = work.list->Elements[i];
    element.Address.QuadPart = static_cast<LONGLONG>(pieces[i].bus);
    element.Length = pieces[i].bytes;
    element.Reserved = 0;
  }
  auto made = std::make_unique<List>();
  made->mapping = *mapping;
  made->write_to_device = work.buffer.write_to_device;
  made->own_memory = work.own_memory;
  made->tracked.kind = ResourceKind::ScatterGatherList;
  machine_.track(made->tracked);
  {
    base::Guard guard(lock_);
    std::unique_ptr<List>& list = lists_[work.list];
    if (list) lost_lists_.push_back(std::move(list));  // it stays on the scope's list, as what was never given back
    list = std::move(made);
  }
  call_driver(machine_, "AdapterListControl", nullptr, work.routine, work.device, work.irp, work.list, work.context);
  return true;
}

void DmaAdapter::put_list(SCATTER_GATHER_LIST* list, bool write_to_device) {
  std::unique_ptr<List> put;
  base::StackId before = 0;
  base::StackId here = machine_.here_id();
  {
    base::Guard guard(lock_);
    if (auto at = lists_.find(list); at != lists_.end()) {
      put = std::move(at->second);
      lists_.erase(at);
      put_lists_[list] = here;
    } else if (auto gone = put_lists_.find(list); gone != put_lists_.end()) {
      before = gone->second;
    }
  }
  if (!put) {
    std::vector<RoleStack> more;
    if (before) more.push_back({"put before", machine_.stacks().get(before)});
    machine_.report_violation(
        Violation::DmaListMismatch,
        fmt::format("PutScatterGatherList was given {}",
                    before ? "a list that was put before" : "something that is no list of this adapter"),
        std::move(more));
    return;
  }
  machine_.untrack(put->tracked);
  uint32_t registers = iommu_.unmap(put->mapping);
  if (put->write_to_device != write_to_device) {
    wrong(
        Violation::DmaListMismatch,
        fmt::format("PutScatterGatherList was called for a transfer {} the device, and the list was made for one {} it",
                    write_to_device ? "to" : "from", put->write_to_device ? "to" : "from"),
        put->tracked.stack);
  }
  if (put->own_memory) machine_.pool().free(list, 0);
  give_back(registers);
}

}  // namespace nt
