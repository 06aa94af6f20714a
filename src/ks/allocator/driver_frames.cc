// The rules of the four routines: ks/nc-ks-pfnkspininitializeallocator, -pfnksdefaultallocate, -pfnksdefaultfree,
// -pfnksdeleteallocator, ns-ks-ksallocator_framing. The pages name no IRQL: that Allocate and Free are called at
// DISPATCH_LEVEL too comes from the function table ("ksproperty-streamallocator-functiontable"); PASSIVE_LEVEL for the
// other two is policy.
#include "ks/allocator/driver_frames.h"

#include <fmt/format.h>

#include "ks/allocator/framing.h"
#include "ks/exports/callback.h"
#include "nt/boundary/address_check.h"
#include "nt/mm/address_space.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

// The value of *Context until the driver sets it: an address that no driver can have.
const char kUnset = 0;
void* unset() { return const_cast<char*>(&kUnset); }

KSALLOCATOR_FRAMING* show(nt::Machine& machine, const KSALLOCATOR_FRAMING& framing) {
  void* memory = machine.pool().allocate(sizeof(framing), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  return new (memory) KSALLOCATOR_FRAMING(framing);
}

// At DISPATCH_LEVEL for the length of a block, where that is asked for.
class [[nodiscard]] Raised {
 public:
  Raised(nt::Machine& machine, bool wanted) : machine_(machine), before_(machine.self().irql) {
    if (wanted && before_ < DISPATCH_LEVEL) machine_.raise_irql(DISPATCH_LEVEL);
  }
  ~Raised() {
    if (machine_.self().irql != before_) machine_.lower_irql(before_);
  }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  nt::Machine& machine_;
  const KIRQL before_;
};

bool inside(uintptr_t frame, size_t bytes, uintptr_t block, size_t block_bytes, bool freed) {
  return !freed && frame >= block && frame - block <= block_bytes && block_bytes - (frame - block) >= bytes;
}

}  // namespace

DriverFrames::DriverFrames(nt::Machine& machine, Stress stress, const AllocatorRoutines& routines,
                           const KSALLOCATOR_FRAMING& framing, std::string name, nt::Scope* parent)
    : machine_(machine),
      routines_(routines),
      framing_(framing),
      stress_(stress == Stress::Yes && serves_dispatch_level(framing)),
      scope_(nt::ScopeKind::Allocator, std::move(name), parent),
      shown_(show(machine_, framing)) {}

DriverFrames::~DriverFrames() { machine_.pool().free(shown_, 0); }

NTSTATUS DriverFrames::initialise() {
  void* context = unset();
  NTSTATUS status = call_initialise(&context);
  if (!NT_SUCCESS(status)) {
    machine_.end_scope(scope_, nt::Violation::KsAllocatorInitLeak);
    return status;
  }
  if (context == unset()) {
    machine_.report_violation(
        nt::Violation::KsAllocatorContextUnset,
        fmt::format("AVStrMiniInitializeAllocator of {} succeeded and set no Context", scope_.name()));
    context = nullptr;
  }
  context_ = context;
  return status;
}

NTSTATUS DriverFrames::call_initialise(void** context) {
  if (routines_.initialize_pin) {
    auto* pin = static_cast<KSPIN*>(routines_.initialize_context);
    return call(machine_, Ddi::InitializeAllocator, &scope_, routines_.initialize_pin, pin, shown_, context);
  }
  return call(machine_, Ddi::InitializeAllocator, &scope_, routines_.initialize, routines_.initialize_context, shown_,
              context);
}

void* DriverFrames::allocate() {
  void* frame = nullptr;
  {
    Raised raised(machine_, stress_);
    frame = call(machine_, Ddi::Allocate, &scope_, routines_.allocate, context_);
  }
  if (!frame || judge_frame(reinterpret_cast<uintptr_t>(frame))) return frame;
  free(frame);
  return nullptr;
}

void DriverFrames::free(void* frame) {
  Raised raised(machine_, stress_);
  call(machine_, Ddi::Free, &scope_, routines_.free, context_, frame);
}

uint32_t DriverFrames::remove() {
  call(machine_, Ddi::DeleteAllocator, &scope_, routines_.remove, context_);
  return static_cast<uint32_t>(machine_.end_scope(scope_, nt::Violation::KsAllocatorLeak));
}

bool DriverFrames::judge_frame(uintptr_t frame) {
  if (framing_.FrameSize && !addressable(frame)) {
    machine_.report_violation(
        nt::Violation::KsFrameTooSmall,
        fmt::format("AVStrMiniAllocate of {} returned a frame that does not have the {} bytes of the framing",
                    scope_.name(), framing_.FrameSize));
    return false;
  }
  if (frame & framing_.FileAlignment) judge_alignment(frame);
  if (framing_.OptionsFlags & KSALLOCATOR_OPTIONF_SYSTEM_MEMORY) judge_pool(frame);
  return true;
}

bool DriverFrames::addressable(uintptr_t frame) {
  size_t bytes = framing_.FrameSize;
  if (nt::kPoolArena.contains(frame)) {
    auto block = machine_.pool().find(frame);
    return block && inside(frame, bytes, block->address, block->bytes, block->freed);
  }
  if (nt::kRamArena.contains(frame)) {
    auto block = machine_.physical().ram().find(frame);
    return block && inside(frame, bytes, block->address, block->bytes, block->freed);
  }
  return nt::is_address_valid(machine_, frame) && nt::is_address_valid(machine_, frame + bytes - 1);
}

void DriverFrames::judge_alignment(uintptr_t frame) {
  machine_.report_violation(
      nt::Violation::KsFrameMisaligned,
      fmt::format("AVStrMiniAllocate of {} returned a frame {} bytes off the alignment of {} that the framing "
                  "asks for",
                  scope_.name(), frame & framing_.FileAlignment, framing_.FileAlignment + 1));
}

void DriverFrames::judge_pool(uintptr_t frame) {
  auto block = machine_.pool().find(frame);
  bool wants_paged = paged(framing_.PoolType);
  if (block && (block->kind == nt::PoolKind::Paged) == wants_paged) return;
  machine_.report_violation(
      nt::Violation::KsFrameWrongPool,
      fmt::format("AVStrMiniAllocate of {} returned a frame in {}; the framing asks for {} pool", scope_.name(),
                  !block                               ? "no pool"
                  : block->kind == nt::PoolKind::Paged ? "paged pool"
                                                       : "nonpaged pool",
                  wants_paged ? "paged" : "nonpaged"));
}

}  // namespace ks
