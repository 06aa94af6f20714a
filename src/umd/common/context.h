#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "abi/shared/d3dkmthk.h"
#include "nt/machine/thread.h"
#include "umd/common/lent_buffers.h"

namespace umd {

// A context of the driver's, and the buffers that the kernel lent it for the next submission.
struct Context {
  HANDLE handle = nullptr;  // the driver's name for it
  D3DKMT_HANDLE kernel = 0;
  bool virtual_addresses = false;  // made by pfnCreateContextVirtualCb
  UINT node = 0;
  bool engine_known = false;  // the kernel was asked what kind of engine the node has
  bool can_draw = true;       // as far as is known
  LentBuffers buffers;
  uint8_t* command_buffer = nullptr;  // the one that is lent
  UINT command_buffer_bytes = 0;
  D3DDDI_ALLOCATIONLIST* allocation_list = nullptr;
  UINT allocation_list_size = 0;
  D3DDDI_PATCHLOCATIONLIST* patch_list = nullptr;
  UINT patch_list_size = 0;
  nt::Thread* user = nullptr;      // that is in a callback of it
  bool owes_amortization = false;  // Direct3D 11: submitted, and pfnPerformAmortizedProcessingCb not called since
  uint32_t batches_owing = 0;      // ends of batches since that submission
};

// The contexts of a device. Owned by it; guarded by the runtime's lock. There are few.
class Contexts {
 public:
  Context& add() { return *contexts_.emplace_back(std::make_unique<Context>()); }
  void remove(const Context& context) {
    std::erase_if(contexts_, [&](const auto& each) { return each.get() == &context; });
  }
  bool has(const Context& context) const {
    return std::any_of(contexts_.begin(), contexts_.end(), [&](const auto& each) { return each.get() == &context; });
  }
  // Where all commands go to one context, every submission is of that one.
  bool several() const { return contexts_.size() > 1; }
  bool empty() const { return contexts_.empty(); }
  auto begin() const { return contexts_.begin(); }
  auto end() const { return contexts_.end(); }

  // What the program wants presented: pfnPresentCb names allocations and a context, and nothing else. Null: nothing.
  const D3DKMT_PRESENT* presenting = nullptr;

 private:
  std::vector<std::unique_ptr<Context>> contexts_;
};

}  // namespace umd
