#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "dxgk/paging_operation.h"
#include "vidmm/plan.h"
#include "vidmm/table_ops.h"

namespace dxgk {

class AddressSpace;
class DeviceQueue;
class VideoBlock;

// Page tables of one address space that change.
struct TableChange {
  AddressSpace* space;
  std::unique_ptr<vidmm::TableOpList> ops;
};

// Private data that a driver wants applied to one of its context allocations, where it will be by then.
struct ContextUpdate {
  VideoBlock* block;
  vidmm::Place place;
};

// The address that a program has of a block leads to where the block will be by then, if it is still locked.
struct CpuViewChange {
  VideoBlock* block;
  vidmm::Place place;
};

// Some steps that belong together, in their order: bytes that move, entries of page tables, and what is to happen when
// they are done. Planned under the memory's lock, carried out by the paging thread in the order of posting.
struct PagingWork {
  using Step = std::variant<vidmm::PagingOp, TableChange, ContextUpdate, CpuViewChange>;

  std::vector<Step> steps;
  DeviceQueue* device = nullptr;  // whose list it makes complete, and who is lost if it cannot be done; may be null
  std::function<void()> done;     // on the paging thread, in no lock, whether it could be done or not
  std::vector<uint8_t> data;      // of a ContextUpdate

  bool empty() const { return steps.empty() && !done; }
};

}  // namespace dxgk
