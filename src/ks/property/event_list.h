#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "nt/machine/machine.h"

namespace ks {

class EventEntry;
class System;

// What guards a list of events: a lock of the caller's choice (KSEVENTS_LOCKTYPE).
struct EventLock {
  KSEVENTS_LOCKTYPE type = KSEVENTS_NONE;
  void* lock = nullptr;
};

// The events that clients enabled on one object. Entries (KSEVENT_ENTRY) lie in machine memory, with the extra bytes of
// their item. Guarded by a spin lock of the machine, as drivers generate events at DISPATCH_LEVEL. Owned by its object.
class EventList {
 public:
  explicit EventList(System& system);
  ~EventList();  // empty by then
  EventList(const EventList&) = delete;
  EventList& operator=(const EventList&) = delete;

  void add(KSEVENT_ENTRY& entry);
  // KsGenerateEvents: every entry of this set and id for which `test` (a driver's, may be null) says yes.
  void generate(const GUID* set, ULONG id, ULONG data_bytes, void* data, PFNKSGENERATEEVENTCALLBACK test, void* context,
                nt::Scope* scope = nullptr);
  // The class's own, which have no data.
  void generate(const GUID& set, ULONG id) { generate(&set, id, 0, nullptr, nullptr, nullptr); }
  // Disables those that were enabled through this file; null: all of them (KsFreeEventList).
  void disable(const FILE_OBJECT* file);
  // By the client's KSEVENTDATA address and file; false when there is none.
  bool disable_one(const FILE_OBJECT* file, const KSEVENTDATA* data);
  bool empty();
  // Calls `visit` for each entry, under the lock; generates those for which it returns true.
  void each(const std::function<bool(KSEVENT_ENTRY&)>& visit);
  LIST_ENTRY& entries();
  KSPIN_LOCK& lock();
  EventLock guard() { return {KSEVENTS_SPINLOCK, &lock()}; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same for lists that drivers keep themselves (KsEnableEvent and related functions).
void add_event(nt::Machine& machine, LIST_ENTRY& list, const EventLock& lock, EventEntry& entry);
struct EventQuery {
  const GUID* set;  // null: of any
  ULONG id;
  ULONG data_bytes;
  void* data;
  PFNKSGENERATEEVENTCALLBACK test;  // a driver's; may be null
  void* context;
  nt::Scope* scope;  // of the test
};
void generate_events(nt::Machine& machine, LIST_ENTRY& list, const EventLock& lock, const EventQuery& query);
// `file` null: of any file. `data` null: with any KSEVENTDATA. Returns how many there were.
size_t disable_events(nt::Machine& machine, LIST_ENTRY& list, const EventLock& lock, const FILE_OBJECT* file,
                      const KSEVENTDATA* data);
// KSEVENT_TYPE_QUERYBUFFER: the next notification that was kept. STATUS_NOT_FOUND without such an event;
// STATUS_NO_MORE_ENTRIES (ours) when nothing was kept.
base::Result<std::vector<uint8_t>> query_buffer(nt::Machine& machine, LIST_ENTRY& list, const EventLock& lock,
                                                const FILE_OBJECT* file, const KSEVENTDATA* data);

// Notifies the client that enabled it: signals its event or semaphore, or queues its DPC or work item. An entry that is
// enabled for one occurrence is gone after this.
NTSTATUS generate_event(nt::Machine& machine, KSEVENT_ENTRY& entry);
NTSTATUS generate_data_event(nt::Machine& machine, KSEVENT_ENTRY& entry, ULONG bytes, void* data);

}  // namespace ks
