#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/sanitizer.h"
#include "nt/io/irps.h"

// What the I/O manager knows of an IRP and drivers do not see. For irps.cc and irp_flow.cc.
namespace nt {

class Thread;

// A dispatch routine that has not returned yet, on the stack of the thread that runs it.
struct DispatchFrame {
  // Set once its stack location is off: whether that was marked pending, or that this is not known.
  enum class Outcome : uint8_t { Unknown, Marked, Unmarked, Lost };

  const Thread* thread = nullptr;
  DispatchFrame* outer = nullptr;  // the driver above, which gave this one its own location
  UCHAR major = 0;
  bool judged = true;
  std::optional<NTSTATUS> completed_with;  // by the routine itself
  std::atomic<Outcome> outcome{Outcome::Unknown};
};

// What is known of one stack location: nothing, that a driver has it, that its dispatch routine returned
// STATUS_PENDING, or the frame of a dispatch routine that is running. Exchanged atomically: the routine's return and
// the location's completion may be on two processors, and the second of the two does the check.
using LocationState = std::atomic<uintptr_t>;
inline constexpr uintptr_t kNotSent = 0;
inline constexpr uintptr_t kWithDriver = 1;
inline constexpr uintptr_t kReturnedPending = 3;
inline DispatchFrame* frame_in(uintptr_t state) {
  return state != kNotSent && (state & 1) == 0 ? reinterpret_cast<DispatchFrame*>(state) : nullptr;
}

// An IRP of IoAllocateIrp or of the I/O manager's own; its stack locations lie behind it, their states before it.
struct IrpPacket {
  Tracked tracked;
  IrpPacket* next_free = nullptr;
  LocationState* locations = nullptr;  // [stack_size]
  IoRequest* request = nullptr;
  base::StackId freed_at = 0;
  Irps::End end = Irps::End::Driver;
  CCHAR stack_size = 0;
  bool in_use = false;
  IRP irp;

  bool sent() const {
    for (int i = 0; i < stack_size; ++i) {
      if (locations[i].load(std::memory_order_relaxed) != kNotSent) return true;
    }
    return false;
  }
};

// Sets the outcome of the location in the frames of the dispatch routines that wait for it.
inline void tell_frames(uintptr_t state, DispatchFrame::Outcome outcome) {
  for (DispatchFrame* frame = frame_in(state); frame;) {
    DispatchFrame* outer = frame->outer;  // once its outcome is stored, the routine may return
    frame->outcome.store(outcome, std::memory_order_release);
    frame = outer;
  }
}

// What a freed IRP and its stack locations are filled with, and the status that is read from such an IRP.
inline constexpr unsigned char kFreedIrpFill = 0x6B;
inline constexpr auto kFreedIrpStatus = static_cast<NTSTATUS>(0x6B6B6B6B);

// Reads the type of an IRP that may be freed; a sanitizer would report that read.
NO_SANITIZE inline bool is_alive(const IRP& irp) { return irp.Type == IO_TYPE_IRP; }

// IRP.AllocationFlags of one that lies in a packet. One of the driver's own memory has none.
inline constexpr UCHAR kInPacket = 0xA5;

inline IrpPacket* packet_of(IRP& irp) {
  if (irp.AllocationFlags != kInPacket) return nullptr;
  return reinterpret_cast<IrpPacket*>(reinterpret_cast<char*>(&irp) - __builtin_offsetof(IrpPacket, irp));
}

// The state of the location that is current; null where none is kept.
inline LocationState* state_of_current(IRP& irp) {
  IrpPacket* packet = packet_of(irp);
  int index = irp.CurrentLocation - 1;
  if (!packet || index < 0 || index >= packet->stack_size) return nullptr;
  return &packet->locations[index];
}

}  // namespace nt
