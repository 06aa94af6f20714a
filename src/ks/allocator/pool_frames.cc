#include "ks/allocator/pool_frames.h"

#include <utility>

#include "base/align.h"
#include "base/sanitizer.h"
#include "ks/allocator/framing.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

constexpr uint32_t kTag = 0x6C61734B;  // "Ksal"
constexpr ULONG kPoolAlignment = 15;   // what every block has

}  // namespace

PoolFrames::PoolFrames(nt::Machine& machine, const KSALLOCATOR_FRAMING& framing, std::string name, nt::Scope* parent)
    : machine_(machine), framing_(framing), scope_(nt::ScopeKind::Allocator, std::move(name), parent) {}

PoolFrames::~PoolFrames() { give_up(); }

// "Zero indicates that the filter has no requirement". Without a size from the other side there is nothing to allocate.
NTSTATUS PoolFrames::initialise() { return framing_.FrameSize ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER; }

void* PoolFrames::allocate() {
  void* frame = nullptr;
  {
    base::Guard guard(lock_);
    if (!unused_.empty()) {
      frame = unused_.back();
      unused_.pop_back();
    }
  }
  if (!frame) return make();
  base::unpoison(frame, framing_.FrameSize);
  return frame;
}

// A frame that was given back must not be touched.
void PoolFrames::free(void* frame) {
  base::poison(frame, framing_.FrameSize);
  base::Guard guard(lock_);
  unused_.push_back(frame);
}

void* PoolFrames::make() {
  ULONG mask = framing_.FileAlignment > kPoolAlignment ? framing_.FileAlignment : 0;
  nt::Thread& self = machine_.self();
  nt::Scope* outer = std::exchange(self.scope, &scope_);
  void* block = machine_.pool().allocate(size_t{framing_.FrameSize} + mask, kTag,
                                         paged(framing_.PoolType) ? nt::PoolKind::Paged : nt::PoolKind::NonPaged,
                                         nt::PoolFill::Zero);
  self.scope = outer;
  if (!block) return nullptr;
  {
    base::Guard guard(lock_);
    blocks_.push_back(block);
  }
  return reinterpret_cast<void*>(base::round_up(reinterpret_cast<uintptr_t>(block), uint64_t{mask} + 1));
}

uint32_t PoolFrames::remove() {
  give_up();
  return 0;
}

void PoolFrames::give_up() {
  std::vector<void*> blocks;
  {
    base::Guard guard(lock_);
    for (void* frame : std::exchange(unused_, {})) base::unpoison(frame, framing_.FrameSize);
    blocks.swap(blocks_);
  }
  for (void* block : blocks) machine_.pool().free(block, kTag);
}

}  // namespace ks
