#pragma once

#include <string>

#include "ks/allocator/allocator.h"
#include "ks/allocator/frame_source.h"
#include "nt/machine/machine.h"

namespace ks {

// The IRQL at which Allocate and Free are called: the caller's, or always DISPATCH_LEVEL where the framing allows that.
enum class Stress : uint8_t { No, Yes };

// A minidriver's own frames, from its four routines (KSALLOCATOR_DISPATCH). What the routines obtain is in one scope,
// which is audited when DeleteAllocator returns. Every frame is checked against the framing. Owned by its allocator;
// any thread.
class DriverFrames final : public FrameSource {
 public:
  DriverFrames(nt::Machine& machine, Stress stress, const AllocatorRoutines& routines,
               const KSALLOCATOR_FRAMING& framing, std::string name, nt::Scope* parent);
  ~DriverFrames() override;

  NTSTATUS initialise() override;
  void* allocate() override;
  void free(void* frame) override;
  uint32_t remove() override;

 private:
  NTSTATUS call_initialise(void** context);
  // False: it cannot be used, and is not handed out.
  bool judge_frame(uintptr_t frame);
  void judge_alignment(uintptr_t frame);
  void judge_pool(uintptr_t frame);
  bool addressable(uintptr_t frame);

  nt::Machine& machine_;
  const AllocatorRoutines routines_;
  const KSALLOCATOR_FRAMING framing_;
  const bool stress_;  // calls at DISPATCH_LEVEL
  nt::Scope scope_;
  // The driver's copy, in the machine's memory: it may keep the pointer as long as the allocator lives.
  KSALLOCATOR_FRAMING* const shown_;
  void* context_ = nullptr;
};

}  // namespace ks
