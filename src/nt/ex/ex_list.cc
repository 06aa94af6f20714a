// Interlocked lists and sums. Pages: wdm/nf-wdm-exinterlockedinsertheadlist, nf-wdm-exinterlockedpushentryslist, …
#include "base/sanitizer.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/ke/spin_locks.h"
#include "nt/mm/touch.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Violation;

namespace {

// Documented: callable at any IRQL, with interrupts masked while the caller's spin lock is held.
class Interlocked {
 public:
  Interlocked(KernelEntry& call, PKSPIN_LOCK lock) : call_(call), lock_(lock), old_(call.thread().irql) {
    if (old_ < HIGH_LEVEL) call.machine().raise_irql(HIGH_LEVEL);
    nt::acquire_spin(call.machine(), lock, nt::LockKind::Spin);
  }
  ~Interlocked() {
    nt::release_spin(call_.machine(), lock_, nt::LockKind::Spin);
    if (old_ < HIGH_LEVEL) call_.machine().lower_irql(old_);
  }
  Interlocked(const Interlocked&) = delete;
  Interlocked& operator=(const Interlocked&) = delete;

 private:
  KernelEntry& call_;
  PKSPIN_LOCK lock_;
  KIRQL old_;
};

// SLIST_HEADER.Reserved: initialised and free, or taken by a thread for the few instructions of one operation. It is
// held over no scheduling point, so only the LiveExecutor ever sees it taken. The KSPIN_LOCK that some of these
// functions are given is not needed (nor used on x64: the Interlocked forms pass none).
constexpr USHORT kSListFree = 0x51D0, kSListTaken = 0x51D1;

class SList {
 public:
  SList(KernelEntry& call, PSLIST_HEADER head, const char* misuse) : head_(*head) {
    call.machine().executor().yield(base::Point::Lock);
    USHORT free = kSListFree;
    while (
        !__atomic_compare_exchange_n(&head_.Reserved, &free, kSListTaken, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      if (free != kSListTaken) {
        call.machine().report_violation(Violation::NotInitialised, misuse);
        head_ = {nullptr, 0, kSListFree, 0};
      }
      free = kSListFree;
    }
    base::happens_after(head);
  }
  ~SList() {
    base::happens_before(&head_);
    __atomic_store_n(&head_.Reserved, kSListFree, __ATOMIC_RELEASE);
  }
  SList(const SList&) = delete;
  SList& operator=(const SList&) = delete;

  PSLIST_ENTRY push(PSLIST_ENTRY entry) {
    PSLIST_ENTRY before = head_.First;
    entry->Next = before;
    head_.First = entry;
    ++head_.Depth;
    ++head_.Sequence;
    return before;
  }
  PSLIST_ENTRY pop() {
    PSLIST_ENTRY first = head_.First;
    if (!first) return nullptr;
    head_.First = first->Next;
    --head_.Depth;
    return first;
  }
  PSLIST_ENTRY flush() {
    PSLIST_ENTRY first = head_.First;
    head_.First = nullptr;
    head_.Depth = 0;
    return first;
  }
  USHORT depth() const { return head_.Depth; }

 private:
  SLIST_HEADER& head_;
};

// Touches the entry that a pop will most likely read. Another thread may have popped and freed it, so its value is not
// used.
void touch_first(const SLIST_HEADER& head) {
  if (PSLIST_ENTRY first = __atomic_load_n(&head.First, __ATOMIC_RELAXED)) nt::touch(*first);
}

}  // namespace

extern "C" {

PLIST_ENTRY ExInterlockedInsertHeadList(PLIST_ENTRY head, PLIST_ENTRY entry, PKSPIN_LOCK lock) {
  KernelEntry call{Fn::ExInterlockedInsertHeadList};
  Interlocked interlocked(call, lock);
  PLIST_ENTRY first = head->Flink;
  InsertHeadList(head, entry);
  return first == head ? nullptr : first;
}

PLIST_ENTRY ExInterlockedInsertTailList(PLIST_ENTRY head, PLIST_ENTRY entry, PKSPIN_LOCK lock) {
  KernelEntry call{Fn::ExInterlockedInsertTailList};
  Interlocked interlocked(call, lock);
  PLIST_ENTRY last = head->Blink;
  InsertTailList(head, entry);
  return last == head ? nullptr : last;
}

PLIST_ENTRY ExInterlockedRemoveHeadList(PLIST_ENTRY head, PKSPIN_LOCK lock) {
  KernelEntry call{Fn::ExInterlockedRemoveHeadList};
  Interlocked interlocked(call, lock);
  return IsListEmpty(head) ? nullptr : RemoveHeadList(head);
}

PSINGLE_LIST_ENTRY ExInterlockedPushEntryList(PSINGLE_LIST_ENTRY head, PSINGLE_LIST_ENTRY entry, PKSPIN_LOCK lock) {
  KernelEntry call{Fn::ExInterlockedPushEntryList};
  Interlocked interlocked(call, lock);
  PSINGLE_LIST_ENTRY first = head->Next;
  PushEntryList(head, entry);
  return first;
}

PSINGLE_LIST_ENTRY ExInterlockedPopEntryList(PSINGLE_LIST_ENTRY head, PKSPIN_LOCK lock) {
  KernelEntry call{Fn::ExInterlockedPopEntryList};
  Interlocked interlocked(call, lock);
  return PopEntryList(head);
}

VOID InitializeSListHead(PSLIST_HEADER head) {
  KernelEntry call{Fn::InitializeSListHead};
  *head = {nullptr, 0, kSListFree, 0};
}

PSLIST_ENTRY ExInterlockedPushEntrySList(PSLIST_HEADER head, PSLIST_ENTRY entry, PKSPIN_LOCK) {
  KernelEntry call{Fn::ExInterlockedPushEntrySList};
  nt::touch_for_writing(*entry);
  return SList(call, head, "ExInterlockedPushEntrySList was given a list that was never initialised").push(entry);
}

PSLIST_ENTRY ExInterlockedPopEntrySList(PSLIST_HEADER head, PKSPIN_LOCK) {
  KernelEntry call{Fn::ExInterlockedPopEntrySList};
  touch_first(*head);
  return SList(call, head, "ExInterlockedPopEntrySList was given a list that was never initialised").pop();
}

PSLIST_ENTRY ExInterlockedFlushSList(PSLIST_HEADER head) {
  KernelEntry call{Fn::ExInterlockedFlushSList};
  return SList(call, head, "ExInterlockedFlushSList was given a list that was never initialised").flush();
}

USHORT ExQueryDepthSList(PSLIST_HEADER head) {
  KernelEntry call{Fn::ExQueryDepthSList};
  return SList(call, head, "ExQueryDepthSList was given a list that was never initialised").depth();
}

LARGE_INTEGER ExInterlockedAddLargeInteger(PLARGE_INTEGER addend, LARGE_INTEGER increment, PKSPIN_LOCK lock) {
  KernelEntry call{Fn::ExInterlockedAddLargeInteger};
  Interlocked interlocked(call, lock);
  LARGE_INTEGER before = *addend;
  // Through unsigned: the sum of a counter wraps, as the machine's addition does.
  addend->QuadPart =
      static_cast<LONGLONG>(static_cast<ULONGLONG>(before.QuadPart) + static_cast<ULONGLONG>(increment.QuadPart));
  return before;
}

ULONG ExInterlockedAddUlong(PULONG addend, ULONG increment, PKSPIN_LOCK lock) {
  KernelEntry call{Fn::ExInterlockedAddUlong};
  Interlocked interlocked(call, lock);
  ULONG before = *addend;
  *addend = before + increment;
  return before;
}

}  // extern "C"
