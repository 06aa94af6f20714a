// An allocator of frames that are all there from the start: one block of nonpaged pool, cut into frames, and the stack
// of those that are free. AVStream makes it when it has chosen this pin's allocator for a connection in the kernel
// (AVStrMiniInitializeAllocator), and from then on knows it by its Context alone.
//
// The pages of the four routines name no IRQL. Allocate and Free are offered as a function table too, which is called
// up to DISPATCH_LEVEL, so a spin lock guards the stack; and none of the four can be paged out.
#include "allocator.h"

namespace ksalloc {
namespace {

constexpr ULONG kFramesUnlessAsked = 4;  // a framing of 0 frames sets no limit, and leaves the number to us
constexpr ULONG kMostFrames = 1024;
constexpr ULONG kMostFrameBytes = 16 * 1024 * 1024;

// The bytes from one frame to the next: the size, up to the next aligned one.
constexpr SIZE_T stride_of(const KSALLOCATOR_FRAMING& framing) {
  const SIZE_T mask = framing.FileAlignment;
  return (framing.FrameSize + mask) & ~mask;
}

// The stack keeps nothing inside of the frames: the bytes of a frame belong to its owner, whether it is free or not.
struct Allocator {
  KSPIN_LOCK lock;
  PUCHAR slab;   // as it came from the pool
  PUCHAR first;  // frame, which is the first aligned place of the slab
  SIZE_T stride;
  ULONG frames;
  ULONG free_count;      // guarded by lock, as is the stack
  PVOID free_frames[1];  // `frames` of them
};

constexpr SIZE_T bytes_of(ULONG frames) { return FIELD_OFFSET(Allocator, free_frames) + frames * sizeof(PVOID); }

// The alignment is a mask (FILE_LONG_ALIGNMENT is 3); alignments beyond a page are not used.
bool is_alignment(ULONG mask) { return (mask & (mask + 1)) == 0 && mask < PAGE_SIZE; }

// Frames come from nonpaged pool; a request for system memory of another kind is refused.
bool is_our_memory(const KSALLOCATOR_FRAMING& framing) {
  if ((framing.OptionsFlags & KSALLOCATOR_OPTIONF_SYSTEM_MEMORY) == 0) return true;
  return framing.PoolType != PagedPool && framing.PoolType != PagedPoolCacheAligned;
}

NTSTATUS judge(const KSALLOCATOR_FRAMING& framing) {
  if (framing.FrameSize == 0 || framing.FrameSize > kMostFrameBytes) return STATUS_INVALID_PARAMETER;
  if (!is_alignment(framing.FileAlignment)) return STATUS_INVALID_PARAMETER;
  if (framing.Frames > kMostFrames) return STATUS_INSUFFICIENT_RESOURCES;
  return is_our_memory(framing) ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
}

void fill_stack(Allocator& allocator) {
  for (ULONG i = allocator.frames; i > 0; --i) {  // so that the first frame is handed out first
    allocator.free_frames[allocator.free_count++] = allocator.first + (i - 1) * allocator.stride;
  }
}

Allocator* make(const KSALLOCATOR_FRAMING& framing, ULONG frames) {
  Allocator* allocator = allocate<Allocator>(bytes_of(frames));
  if (allocator == nullptr) return nullptr;
  const ULONG_PTR mask = framing.FileAlignment;
  allocator->stride = stride_of(framing);
  allocator->slab = allocate<UCHAR>(frames * allocator->stride + mask);
  if (allocator->slab == nullptr) {
    ExFreePoolWithTag(allocator, kTag);
    return nullptr;
  }
  allocator->first = reinterpret_cast<PUCHAR>((reinterpret_cast<ULONG_PTR>(allocator->slab) + mask) & ~mask);
  allocator->frames = frames;
  KeInitializeSpinLock(&allocator->lock);
  fill_stack(*allocator);
  return allocator;
}

// A context is set only when there is an allocator, and a failure leaves nothing behind.
NTSTATUS initialize_allocator(PKSPIN, PKSALLOCATOR_FRAMING AllocatorFraming, PVOID* Context) {
  NTSTATUS status = judge(*AllocatorFraming);
  if (!NT_SUCCESS(status)) return status;
  Allocator* allocator =
      make(*AllocatorFraming, AllocatorFraming->Frames != 0 ? AllocatorFraming->Frames : kFramesUnlessAsked);
  if (allocator == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  *Context = allocator;
  return STATUS_SUCCESS;
}

// Null: all frames are out.
PVOID allocate_frame(PVOID Context) {
  Allocator& allocator = *static_cast<Allocator*>(Context);
  Locked locked(allocator.lock);
  if (allocator.free_count == 0) return nullptr;
  return allocator.free_frames[--allocator.free_count];
}

void free_frame(PVOID Context, PVOID Buffer) {
  Allocator& allocator = *static_cast<Allocator*>(Context);
  const SIZE_T offset = static_cast<SIZE_T>(static_cast<PUCHAR>(Buffer) - allocator.first);
  NT_ASSERT(offset % allocator.stride == 0 && offset / allocator.stride < allocator.frames);
  UNREFERENCED_PARAMETER(offset);
  Locked locked(allocator.lock);
  NT_ASSERT(allocator.free_count < allocator.frames);
  allocator.free_frames[allocator.free_count++] = Buffer;
}

// AVStream does not use the allocator any more, and everything it reserved goes: the frames, and the context itself.
void delete_allocator(PVOID Context) {
  Allocator* allocator = static_cast<Allocator*>(Context);
  ExFreePoolWithTag(allocator->slab, kTag);
  ExFreePoolWithTag(allocator, kTag);
}

}  // namespace

const KSALLOCATOR_DISPATCH kAllocatorDispatch = {initialize_allocator, delete_allocator, allocate_frame, free_frame};

}  // namespace ksalloc
