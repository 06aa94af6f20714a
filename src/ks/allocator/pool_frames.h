#pragma once

#include <string>
#include <vector>

#include "base/mutex.h"
#include "ks/allocator/frame_source.h"
#include "nt/machine/machine.h"

namespace ks {

// The default allocator's frames: pool memory. Frames that come back are used again, as "ks-allocators" says it may.
// Owned by its allocator; any thread.
class PoolFrames final : public FrameSource {
 public:
  // `framing` was judged.
  PoolFrames(nt::Machine& machine, const KSALLOCATOR_FRAMING& framing, std::string name, nt::Scope* parent);
  ~PoolFrames() override;

  NTSTATUS initialise() override;
  void* allocate() override;
  void free(void* frame) override;
  uint32_t remove() override;

 private:
  void* make();
  void give_up();

  nt::Machine& machine_;
  const KSALLOCATOR_FRAMING framing_;
  nt::Scope scope_;
  base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<void*> unused_ GUARDED_BY(lock_);
  std::vector<void*> blocks_ GUARDED_BY(lock_);  // all that were made
};

}  // namespace ks
