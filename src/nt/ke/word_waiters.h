#pragma once

#include "nt/ke/dispatcher.h"

namespace nt {

// A thread that waits on an object of one word, which has no room for an event (push locks, rundown references). On the
// waiting thread's stack; listed in the in-use table, first come first. The list is guarded by the dispatcher lock.
struct WordWaiter {
  KEVENT event;
  bool shared = false;
  WordWaiter* next = nullptr;
};

inline WordWaiter* first_waiter(InUseTable& live, uintptr_t word) {
  void** head = live.find(word, InUseKind::WordWaiters);
  return head ? static_cast<WordWaiter*>(*head) : nullptr;
}

inline void add_waiter(InUseTable& live, uintptr_t word, WordWaiter& waiter) {
  void*& head = live.ensure(word, InUseKind::WordWaiters);
  if (!head) {
    head = &waiter;
    return;
  }
  auto* last = static_cast<WordWaiter*>(head);
  while (last->next) last = last->next;
  last->next = &waiter;
}

// Removes the waiters before `end` from the list.
inline void keep_waiters_from(InUseTable& live, uintptr_t word, WordWaiter* end) {
  if (end) {
    live.ensure(word, InUseKind::WordWaiters) = end;
  } else {
    live.erase(word, InUseKind::WordWaiters);
  }
}

// Wakes a list that was taken off. A waiter is gone as soon as it is woken.
inline void wake_waiters(Dispatcher& dispatcher, WordWaiter* first, const WordWaiter* end) {
  while (first != end) {
    WordWaiter* next = first->next;
    dispatcher.set_event(first->event);
    first = next;
  }
}

inline void prepare(Dispatcher& dispatcher, WordWaiter& waiter) {
  dispatcher.initialise(&waiter.event, sizeof(waiter.event), ObjectType::NotificationEvent, 0);
}

inline void wait(Dispatcher& dispatcher, WordWaiter& waiter) {
  void* event = &waiter.event;
  dispatcher.wait({&event, 1}, WaitAny, base::kForever);
}

}  // namespace nt
