#include "ks/property/event_list.h"

#include <atomic>
#include <utility>

#include "ks/device/system.h"
#include "ks/exports/callback.h"
#include "ks/property/event_entry.h"
#include "nt/ke/spin_locks.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

// Holds the lock of a list of events for the length of a block. A spin lock that the thread holds already is left as it
// is: a driver may generate events from a routine that runs under it.
class Hold {
 public:
  Hold(nt::Machine& machine, const EventLock& lock) : machine_(machine), lock_(lock), irql_(machine.self().irql) {
    switch (lock_.type) {
      case KSEVENTS_NONE:
        return;
      case KSEVENTS_SPINLOCK:
        if (nt::holds_lock(machine.self(), reinterpret_cast<uintptr_t>(lock_.lock))) {
          lock_.type = KSEVENTS_NONE;
          return;
        }
        if (irql_ < DISPATCH_LEVEL) machine.raise_irql(DISPATCH_LEVEL);
        nt::acquire_spin(machine, static_cast<KSPIN_LOCK*>(lock_.lock), nt::LockKind::Spin);
        return;
      case KSEVENTS_MUTEX:
        KeWaitForSingleObject(lock_.lock, Executive, KernelMode, FALSE, nullptr);
        return;
      case KSEVENTS_FMUTEX:
        ExAcquireFastMutex(static_cast<FAST_MUTEX*>(lock_.lock));
        return;
      case KSEVENTS_FMUTEXUNSAFE:
        ExAcquireFastMutexUnsafe(static_cast<FAST_MUTEX*>(lock_.lock));
        return;
      case KSEVENTS_INTERRUPT:
        irql_ = KeAcquireInterruptSpinLock(static_cast<PKINTERRUPT>(lock_.lock));
        return;
      case KSEVENTS_ERESOURCE:
        KeEnterCriticalRegion();
        ExAcquireResourceExclusiveLite(static_cast<ERESOURCE*>(lock_.lock), TRUE);
        return;
    }
  }
  ~Hold() {
    switch (lock_.type) {
      case KSEVENTS_NONE:
        return;
      case KSEVENTS_SPINLOCK:
        nt::release_spin(machine_, static_cast<KSPIN_LOCK*>(lock_.lock), nt::LockKind::Spin);
        if (irql_ < DISPATCH_LEVEL) machine_.lower_irql(irql_);
        return;
      case KSEVENTS_MUTEX:
        KeReleaseMutex(static_cast<KMUTEX*>(lock_.lock), FALSE);
        return;
      case KSEVENTS_FMUTEX:
        ExReleaseFastMutex(static_cast<FAST_MUTEX*>(lock_.lock));
        return;
      case KSEVENTS_FMUTEXUNSAFE:
        ExReleaseFastMutexUnsafe(static_cast<FAST_MUTEX*>(lock_.lock));
        return;
      case KSEVENTS_INTERRUPT:
        KeReleaseInterruptSpinLock(static_cast<PKINTERRUPT>(lock_.lock), irql_);
        return;
      case KSEVENTS_ERESOURCE:
        ExReleaseResourceLite(static_cast<ERESOURCE*>(lock_.lock));
        KeLeaveCriticalRegion();
        return;
    }
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  nt::Machine& machine_;
  EventLock lock_;
  KIRQL irql_;
};

EventEntry& entry_at(LIST_ENTRY* link) { return EventEntry::of(*CONTAINING_RECORD(link, KSEVENT_ENTRY, ListEntry)); }

bool named_by(EventEntry& entry, const FILE_OBJECT* file, const KSEVENTDATA* data) {
  return (!file || (*entry).FileObject == file) && (!data || (*entry).EventData == data);
}

// Calls the driver's test routine for this entry, at DISPATCH_LEVEL, under the lock.
bool wanted(nt::Machine& machine, EventEntry& entry, const EventQuery& query) {
  if (!entry.matches(query.set, query.id)) return false;
  if (!query.test) return true;
  return call(machine, Ddi::GenerateEventTest, query.scope, query.test, query.context, &*entry);
}

NTSTATUS tell(EventEntry& entry, ULONG bytes, const void* data) {
  NTSTATUS status = entry.notify(data, bytes);
  if (entry.one_shot()) {
    entry.remove((*entry).FileObject);
    entry.discard();
  }
  return status;
}

}  // namespace

void add_event(nt::Machine& machine, LIST_ENTRY& list, const EventLock& lock, EventEntry& entry) {
  Hold hold(machine, lock);
  entry.link(list);
}

void generate_events(nt::Machine& machine, LIST_ENTRY& list, const EventLock& lock, const EventQuery& query) {
  Hold hold(machine, lock);
  for (LIST_ENTRY* link = list.Flink; link != &list;) {
    EventEntry& entry = entry_at(std::exchange(link, link->Flink));
    if (wanted(machine, entry, query)) tell(entry, query.data_bytes, query.data);
  }
}

size_t disable_events(nt::Machine& machine, LIST_ENTRY& list, const EventLock& lock, const FILE_OBJECT* file,
                      const KSEVENTDATA* data) {
  std::vector<EventEntry*> gone;
  {
    Hold hold(machine, lock);
    for (LIST_ENTRY* link = list.Flink; link != &list;) {
      EventEntry& entry = entry_at(std::exchange(link, link->Flink));
      if (!named_by(entry, file, data)) continue;
      entry.remove((*entry).FileObject);
      gone.push_back(&entry);
    }
  }
  for (EventEntry* entry : gone) entry->discard();
  return gone.size();
}

base::Result<std::vector<uint8_t>> query_buffer(nt::Machine& machine, LIST_ENTRY& list, const EventLock& lock,
                                                const FILE_OBJECT* file, const KSEVENTDATA* data) {
  Hold hold(machine, lock);
  for (LIST_ENTRY* link = list.Flink; link != &list; link = link->Flink) {
    EventEntry& entry = entry_at(link);
    if (!entry.buffered() || !named_by(entry, file, data)) continue;
    std::vector<uint8_t> next;
    if (entry.take_buffered(next)) return next;
    return base::Failure(STATUS_NO_MORE_ENTRIES, "no notification was kept");
  }
  return base::Failure(STATUS_NOT_FOUND, "no such event keeps its notifications");
}

NTSTATUS generate_event(nt::Machine& machine, KSEVENT_ENTRY& entry) {
  return generate_data_event(machine, entry, 0, nullptr);
}

NTSTATUS generate_data_event(nt::Machine&, KSEVENT_ENTRY& entry, ULONG bytes, void* data) {
  return tell(EventEntry::of(entry), bytes, data);
}

// --- An object's own list ---

struct EventList::Impl {
  nt::Machine& machine;
  struct Shared {
    LIST_ENTRY entries;
    KSPIN_LOCK lock;
  };
  Shared* shared;  // in the machine's memory: the driver's handlers change the links, the lock's address is seen
  std::atomic<bool> used{false};  // false: there never was an event, and no lock is needed to know
};

EventList::EventList(System& system) : impl_(new Impl{system.machine(), nullptr, {false}}) {
  void* memory = system.machine().pool().allocate(sizeof(Impl::Shared), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  impl_->shared = static_cast<Impl::Shared*>(memory);
  InitializeListHead(&impl_->shared->entries);
}

EventList::~EventList() {
  CHECK(IsListEmpty(&impl_->shared->entries));
  impl_->machine.pool().free(impl_->shared, 0);
}

// The caller gets the list itself and may add to it, so it counts as used.
LIST_ENTRY& EventList::entries() {
  impl_->used.store(true, std::memory_order_release);
  return impl_->shared->entries;
}
KSPIN_LOCK& EventList::lock() { return impl_->shared->lock; }

void EventList::add(KSEVENT_ENTRY& entry) { add_event(impl_->machine, entries(), guard(), EventEntry::of(entry)); }

void EventList::generate(const GUID* set, ULONG id, ULONG data_bytes, void* data, PFNKSGENERATEEVENTCALLBACK test,
                         void* context, nt::Scope* scope) {
  if (empty()) return;
  generate_events(impl_->machine, entries(), guard(), {set, id, data_bytes, data, test, context, scope});
}

void EventList::disable(const FILE_OBJECT* file) {
  if (!empty()) disable_events(impl_->machine, entries(), guard(), file, nullptr);
}

bool EventList::disable_one(const FILE_OBJECT* file, const KSEVENTDATA* data) {
  return disable_events(impl_->machine, entries(), guard(), file, data) != 0;
}

void EventList::each(const std::function<bool(KSEVENT_ENTRY&)>& visit) {
  if (empty()) return;
  Hold hold(impl_->machine, guard());
  LIST_ENTRY& list = entries();
  for (LIST_ENTRY* link = list.Flink; link != &list;) {
    EventEntry& entry = entry_at(std::exchange(link, link->Flink));
    if (visit(*entry)) tell(entry, 0, nullptr);
  }
}

bool EventList::empty() {
  if (!impl_->used.load(std::memory_order_acquire)) return true;
  Hold hold(impl_->machine, guard());
  return IsListEmpty(&impl_->shared->entries);
}

}  // namespace ks
