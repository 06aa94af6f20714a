#pragma once

#include <cstdint>

#include "abi/ks/ks.h"

namespace ks {

// Where an allocator's frames come from. Owned by its allocator, which calls initialise, then allocate and free from
// any thread at DISPATCH_LEVEL or below, then remove. The first and the last once, at PASSIVE_LEVEL.
class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // After a failure nothing else is called.
  virtual NTSTATUS initialise() = 0;
  // Null when there is none.
  virtual void* allocate() = 0;
  virtual void free(void* frame) = 0;
  // Every frame is back. Returns how much of what was obtained was not given back.
  virtual uint32_t remove() = 0;
};

}  // namespace ks
