#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "ks/object/file_node.h"

namespace ks {

class Pin;
class System;

// The allocator's life: Created → Initialized → (Allocate, Free)… → Draining → Deleted.
enum class AllocatorState : uint8_t { Created, Initialized, Draining, Deleted };
const char* to_string(AllocatorState state);

// What provides the frames: the minidriver's four routines. A pin's own allocator has `initialize_pin`, one that a
// driver made with KsCreateDefaultAllocatorEx has `initialize`.
struct AllocatorRoutines {
  void* initialize_context;  // a PKSPIN for a pin's own allocator
  PFNKSDEFAULTALLOCATE allocate;
  PFNKSDEFAULTFREE free;
  PFNKSPININITIALIZEALLOCATOR initialize_pin;
  PFNKSINITIALIZEALLOCATOR initialize;
  PFNKSDELETEALLOCATOR remove;
};

// An allocator: an open file below a pin's. It holds the driver's allocator from a successful InitializeAllocator to
// DeleteAllocator. The close of its file calls DeleteAllocator once, when every frame is back. The file references the
// pin's file, so that the pin's Close comes later. Owned by its file; any thread, Allocate and Free up to
// DISPATCH_LEVEL.
class AllocatorNode final : public FileNode {
 public:
  // IRP_MJ_CREATE below a pin. The driver's allocator, where the pin has one, is for connections in the kernel: for a
  // request from the kernel, or for a pin that is connected to another pin there. Else the default one: frames of a
  // driver's allocator never reach user mode ("avstream-allocators", ks/ns-ks-_ksallocator_dispatch).
  static NTSTATUS create(Pin& pin, IRP& irp, const uint8_t* parameters, size_t bytes);
  // KsCreateDefaultAllocatorEx; `routines` null: the default one. `scope` is the parent of what the routines obtain.
  static NTSTATUS create_default(System& system, IRP& irp, const AllocatorRoutines* routines, nt::Scope* scope);
  ~AllocatorNode() override;

  // A frame, or null; never waits. For requesters and the function table.
  void* allocate();
  // False when no such frame is handed out.
  bool free(void* frame);
  const KSALLOCATOR_FRAMING& framing() const;
  AllocatorState state() const;
  bool drivers_own() const;  // the minidriver provides the frames
  Pin* pin() const;          // null: made by a driver below a file of its own
  // Completes the waiting ALLOC requests as cancelled, and accepts no more: the device or the last handle is gone.
  void stop_waiting();

  // What happened, for reports and tests. Kept by the system after the allocator is gone.
  struct Ledger {
    std::string pin;
    KSALLOCATOR_FRAMING framing;
    bool drivers_own;
    AllocatorState state;
    uint64_t allocated, refused, freed;
    uint32_t outstanding, most_outstanding;
    uint32_t drained;                // frames that the class freed at the end, because no client had
    uint32_t pending, most_pending;  // ALLOC requests
    uint32_t left_in_scope;          // when Delete returned
  };
  Ledger ledger();

  NodeKind kind() const override { return NodeKind::Allocator; }
  NTSTATUS device_control(IRP& irp) override;
  void cleanup(IRP& irp) override;
  NTSTATUS close(IRP& irp) override;

 private:
  friend struct AllocatorMethods;
  struct Request;
  struct Impl;
  // A frame, or why there is none.
  struct Taken {
    void* frame;
    bool hopeless = false;  // none is handed out either, so none can come back: do not wait
  };

  static NTSTATUS open(System& system, IRP& irp, const Request& request);
  explicit AllocatorNode(std::unique_ptr<Impl> impl);
  // KSMETHOD_STREAMALLOCATOR_ALLOC and _FREE; allocator_methods.cc
  NTSTATUS alloc_request(IRP& irp, void** frame);
  NTSTATUS free_request(const IRP& irp, void* frame);
  Taken take();
  // Puts the frame on the list. If it overlaps another, nothing changes and that one's address is returned.
  uintptr_t hand_out(uintptr_t frame);
  // The source gave no frame: takes back the count. Returns how many frames are taken still.
  uint32_t take_none();
  void report_overlap(uintptr_t frame, uintptr_t other);
  bool give_back(void* frame);
  // Gives frames to the waiting requests until one of the two runs out. At PASSIVE_LEVEL; called above it, it queues a
  // work item that does so.
  void serve_waiting();
  void serve_now();
  void serve_later();
  void drain();

  std::unique_ptr<Impl> impl_;
};

// The allocator behind a file object; null when it is another kind of file.
AllocatorNode* allocator_of(System& system, const FILE_OBJECT* file);

}  // namespace ks
