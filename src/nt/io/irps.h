#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "abi/km/wdm.h"
#include "base/mutex.h"
#include "nt/io/request_waits.h"
#include "nt/machine/scope.h"

namespace nt {

class Machine;
class IoRequest;
struct IrpPacket;
struct DispatchFrame;

// I/O request packets: where they come from, how they go down a stack of devices and up again, and how they are
// cancelled. The packets lie in the machine's memory, each behind a record of what only the I/O manager knows
// (irp_packet.h); freed ones are kept for the next request. Owned by the machine; any of its threads, at DISPATCH_LEVEL
// or below.
//
// Down: call() pushes a stack location and runs the dispatch routine of the device's driver. Up: complete() takes the
// locations off again and runs the completion routines in them, until one keeps the IRP (STATUS_MORE_PROCESSING_
// REQUIRED) or the last is off; then the request ends. The return value of a dispatch routine and the completion of its
// location are checked against each other when both are known.
class Irps {
 public:
  explicit Irps(Machine& machine);
  Irps(const Irps&) = delete;
  Irps& operator=(const Irps&) = delete;

  // Null when there is no memory. Only the code that allocated it frees it.
  IRP* allocate(CCHAR stack_size);
  // Allocates for a driver: the IRP is on the list of what the driver obtained, and the observer may make it fail.
  IRP* allocate_for_driver(CCHAR stack_size);
  // Puts an IRP on the list of what the driver obtained, until it is freed.
  void track(IRP& irp);
  // Violation::IrpFreedInUse while a driver has it, or when it was freed before.
  void free(IRP& irp);
  // IoFreeIrp: the same, and for an IRP that the I/O manager frees.
  void free_for_driver(IRP& irp);
  // IoInitializeIrp, for memory of the driver's own.
  static void initialise(IRP& irp, USHORT bytes, CCHAR stack_size);
  // IoReuseIrp. Violation::IrpFreedInUse as for free().
  void reuse(IRP& irp, NTSTATUS status);

  // IoCallDriver: pushes the stack location, runs the target's MajorFunction. Violation::IrpStackExhausted when there
  // is none; Violation::IrpNotCompleted and Violation::IrpPendingMismatch for what the routine leaves.
  NTSTATUS call(DEVICE_OBJECT& device, IRP& irp);
  // IoCompleteRequest: runs the completion routines upward, then ends the request. Reports Violation::IrpCompletedTwice
  // and the violations that follow it in violations.def.
  void complete(IRP& irp, CCHAR boost);
  // IoCancelIrp. Whether there was a cancel routine, which has then been called.
  bool cancel(IRP& irp);

  // The cancel spin lock. The first returns the IRQL that the second is to restore.
  KIRQL acquire_cancel_lock();
  void release_cancel_lock(KIRQL irql);

  // A dispatch, cancel or completion routine of the host's own layers (a class driver): called directly, not through a
  // driver call, and not judged. Before the first IRP that meets it.
  void own_routine(const void* routine);
  template <typename R, typename... Params>
  void own_routine(R (*routine)(Params...)) {
    own_routine(reinterpret_cast<const void*>(routine));
  }
  // From now on what the routines of `driver` obtain while they handle an IRP belongs to `scope`. Null: ends that.
  void assign_scope(const DRIVER_OBJECT& driver, Scope* scope);

  // The driver is unloaded: Violation::IrpLeaked for each IRP that one of its devices still has. Returns how many.
  // Violation::IrpUsedAfterCompletion for each IRP that was written after it was freed.
  size_t check_unloaded(const DRIVER_OBJECT& driver);

  // Whether `address` lies in an IRP that was freed and is kept back.
  bool is_freed(uintptr_t address);

  // The requests that programs wait for.
  RequestWaits& waits() { return waits_; }

  // What becomes of an IRP that has gone all the way up.
  enum class End : uint8_t {
    Driver,   // its allocator takes it back in a completion routine; else Violation::IrpLeaked
    Manager,  // results are written back, its event is set, it is freed
    Request,  // the same, and its IoRequest ends
  };
  void set_end(IRP& irp, End end, IoRequest* request = nullptr);

 private:
  static constexpr size_t kMaxOwn = 128;
  static constexpr size_t kKeptBack = 8;  // so many of a size lie free before one is used again: a late use is noticed

  struct FreeList {
    IrpPacket* first = nullptr;
    IrpPacket* last = nullptr;
    size_t count = 0;
  };
  struct DriverScope {
    const DRIVER_OBJECT* driver;
    Scope* scope;
  };

  // irps.cc
  IrpPacket* take_free(CCHAR stack_size);
  IrpPacket* make(CCHAR stack_size);
  void put_back(IrpPacket& packet);
  void report_used(base::StackId freed_at);
  void forgive_use(IRP& irp);
  bool usable(const IRP& irp, const char* function);
  bool is_own(const void* routine) const;
  Scope* scope_of(const DEVICE_OBJECT* device);
  void run_cancel(PDRIVER_CANCEL routine, IRP& irp);

  // irp_flow.cc
  NTSTATUS run_dispatch(DEVICE_OBJECT& device, IRP& irp);
  NTSTATUS judged_dispatch(PDRIVER_DISPATCH routine, DEVICE_OBJECT& device, IRP& irp);
  void judge_return(const DispatchFrame& frame, NTSTATUS status);
  void judge_status(const DispatchFrame& frame, NTSTATUS status);
  void not_completed(DispatchFrame& frame, IRP& irp, NTSTATUS status);
  bool check_completion(IRP& irp);
  void keep_status(IRP& irp);
  void location_done(uintptr_t was, UCHAR major, bool marked);
  bool continues(IRP& irp, const IO_STACK_LOCATION& below);
  void finish(IRP& irp);

  Machine& machine_;
  RequestWaits waits_;
  ULONG_PTR cancel_lock_ = 0;
  std::array<const void*, kMaxOwn> own_{};
  std::atomic<size_t> own_count_{0};
  base::Mutex<base::LockRank::Table> lock_;
  std::array<FreeList, 128> free_ GUARDED_BY(lock_);  // by stack size
  std::vector<IrpPacket*> packets_ GUARDED_BY(lock_);
  std::vector<DriverScope> scopes_ GUARDED_BY(lock_);
};

}  // namespace nt
