#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "nt/machine/machine.h"

namespace ks {

// One enabled event: the KSEVENT_ENTRY that drivers see, in the machine's memory with the extra bytes of its item
// behind it, and what only the class knows of it in front. Lives from make() to discard(); in between it is guarded by
// the lock of the list that it is in.
class alignas(16) EventEntry {
 public:
  struct Origin {
    nt::Machine& machine;
    nt::Scope* scope;  // of the driver's routines
    bool drivers;      // the row is a driver's
    const KSEVENT_SET& set;
    const KSEVENT_ITEM& item;
    FILE_OBJECT* file;
    KPROCESSOR_MODE mode;
    ULONG flags;                      // KSEVENT_TYPE_…
    const KSEVENTDATA& notification;  // a copy
    KSEVENTDATA* clients;             // what the client knows it by
  };
  // STATUS_INVALID_PARAMETER for an unknown notification type, or one that programs may not use; STATUS_INVALID_HANDLE.
  static base::Result<KSEVENT_ENTRY*> make(const Origin& origin);
  static EventEntry& of(KSEVENT_ENTRY& entry);
  // Null, after a finding, for anything else.
  static EventEntry* find(nt::Machine& machine, KSEVENT_ENTRY* entry, const char* by);

  KSEVENT_ENTRY& operator*() { return *reinterpret_cast<KSEVENT_ENTRY*>(this + 1); }
  bool matches(const GUID* set, ULONG id);
  bool one_shot() const { return flags_ & KSEVENT_TYPE_ONESHOT; }
  bool buffered() const { return flags_ & KSEVENT_TYPE_ENABLEBUFFERED; }

  // Puts it at the end of a list, whose lock is held; true: it is in one.
  void link(LIST_ENTRY& list);
  bool linked() const { return linked_; }
  // Notifies the client that enabled it. At any IRQL.
  NTSTATUS notify(const void* data, ULONG bytes);
  // Takes it out of its list: the driver's RemoveHandler does so where it has one. Under the list's lock.
  void remove(FILE_OBJECT* file);
  void discard();
  // The next notification that was kept for KSEVENT_TYPE_QUERYBUFFER; false: there is none.
  bool take_buffered(std::vector<uint8_t>& data);

 private:
  EventEntry(const Origin& origin, void* object);
  static base::Result<void*> resolve(const Origin& origin);
  NTSTATUS signal();

  static constexpr uint64_t kSignature = 0x746e657645736bu;
  uint64_t signature_ = kSignature;
  nt::Machine& machine_;
  nt::Scope* const scope_;
  const bool drivers_;
  const ULONG flags_;
  const KSEVENTDATA notification_;
  bool linked_ = false;
  std::deque<std::vector<uint8_t>> kept_;
};

}  // namespace ks
