#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "dxgk/paging/paging_operation.h"
#include "vidmm/address/table_ops.h"
#include "vidmm/manager/plan.h"

namespace dxgk {

class AddressSpace;
class DeviceQueue;
class VideoBlock;

// Page tables of one address space that change.
struct TableChange {
  AddressSpace* space;
  std::unique_ptr<vidmm::TableOpList> ops;
};

// Private data that a driver wants applied to one of its context allocations, at the place where it is by then.
struct ContextUpdate {
  VideoBlock* block;
  vidmm::Place place;
};

// A program's address of a block is redirected to the place where the block is by then, if it is still locked.
struct CpuViewChange {
  VideoBlock* block;
  vidmm::Place place;
};

// Some steps that belong together, in their order: moves of bytes, entries of page tables, and a function for the end.
// Planned under the memory's lock, carried out by the paging thread in the order of posting.
struct PagingWork {
  using Step = std::variant<vidmm::PagingOp, TableChange, ContextUpdate, CpuViewChange>;

  std::vector<Step> steps;
  DeviceQueue* device = nullptr;  // its residency list becomes complete; it is lost if the work fails. May be null
  std::function<void()> done;     // on the paging thread, with no lock held, whether it could be done or not
  std::vector<uint8_t> data;      // of a ContextUpdate

  bool empty() const { return steps.empty() && !done; }
};

}  // namespace dxgk
