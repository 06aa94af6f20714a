#include "nt/ke/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/sanitizer.h"
#include "nt/ke/dpc_queues.h"
#include "nt/ke/timers.h"
#include "nt/machine/machine.h"
#include "nt/mm/resident.h"

namespace nt {
namespace {

ObjectType type_of(const DISPATCHER_HEADER& header) { return static_cast<ObjectType>(header.Type); }

DISPATCHER_HEADER& header_of(void* object) { return *static_cast<DISPATCHER_HEADER*>(object); }

// An object named twice is waited for once, at its first place.
bool named_before(std::span<void* const> objects, size_t i) {
  auto end = objects.begin() + static_cast<ptrdiff_t>(i);
  return std::find(objects.begin(), end, objects[i]) != end;
}

// Objects that are used up by the wait they satisfy.
bool synchronises(ObjectType type) {
  return type == ObjectType::SynchronizationEvent || type == ObjectType::SynchronizationTimer;
}

// Its name in the trace.
uint8_t traced_kind(const DISPATCHER_HEADER& header) {
  switch (type_of(header)) {
    case ObjectType::NotificationEvent:
    case ObjectType::SynchronizationEvent:
      return static_cast<uint8_t>(trace::ObjectKind::Event);
    case ObjectType::Mutex:
      return static_cast<uint8_t>(trace::ObjectKind::Mutex);
    case ObjectType::Semaphore:
      return static_cast<uint8_t>(trace::ObjectKind::Semaphore);
    case ObjectType::NotificationTimer:
    case ObjectType::SynchronizationTimer:
      return static_cast<uint8_t>(trace::ObjectKind::Timer);
    case ObjectType::Thread:
      return static_cast<uint8_t>(trace::ObjectKind::Thread);
  }
  return 0;
}

// What a stuck thread waits for, for the report.
const char* wait_name(const DISPATCHER_HEADER& header) {
  switch (type_of(header)) {
    case ObjectType::NotificationEvent:
    case ObjectType::SynchronizationEvent:
      return "an event";
    case ObjectType::Mutex:
      return "a mutex";
    case ObjectType::Semaphore:
      return "a semaphore";
    case ObjectType::NotificationTimer:
    case ObjectType::SynchronizationTimer:
      return "a timer";
    case ObjectType::Thread:
      return "a thread to end";
  }
  return "an object";
}

const char* name_of(InUseKind kind) {
  switch (kind) {
    case InUseKind::Waiters:
      return "an object that a thread waits on";
    case InUseKind::SpinWaiters:
      return "a spin lock that a processor spins on";
    case InUseKind::Timer:
      return "an armed timer";
    case InUseKind::Dpc:
      return "a queued DPC";
    case InUseKind::WordWaiters:
      return "a push lock or a rundown reference that a thread waits for";
    case InUseKind::Resource:
      return "an ERESOURCE that was not deleted";
    case InUseKind::RemoveLock:
      return "a remove lock that is acquired";
    case InUseKind::TimerDpc:
      return "the DPC of an armed timer";
    case InUseKind::Lookaside:
      return "a lookaside list that was not deleted";
  }
  return "";
}

Violation freed_rule(InUseKind kind) {
  switch (kind) {
    case InUseKind::Timer:
      return Violation::FreedLiveTimer;
    case InUseKind::Dpc:
    case InUseKind::TimerDpc:
      return Violation::FreedLiveDpc;
    case InUseKind::Waiters:
    case InUseKind::SpinWaiters:
    case InUseKind::WordWaiters:
      return Violation::FreedLiveWaiter;
    case InUseKind::Resource:
      return Violation::ResourceNotDeleted;
    case InUseKind::RemoveLock:
      return Violation::RemoveLockMisuse;
    case InUseKind::Lookaside:
      return Violation::LookasideNotDeleted;
  }
  return Violation::FreedLiveWaiter;
}

}  // namespace

NTSTATUS Dispatcher::wait(std::span<void* const> objects, WAIT_TYPE type, base::TimeNs deadline) {
  Thread& thread = machine_.self();
  base::Executor& executor = machine_.executor();
  executor.yield(base::Point::Wait);
  // Asked now: when the wait is over the object may be gone.
  trace::WaitEnd traced{};
  if (machine_.traces()) {
    traced = {.kind = traced_kind(header_of(objects[0])), .ordinal = ordinal_of(header_of(objects[0])), .status = 0};
    machine_.note(trace::WaitStart{.kind = traced.kind,
                                   .ordinal = traced.ordinal,
                                   .objects = static_cast<uint32_t>(objects.size()),
                                   .deadline_ns = deadline});
  }
  NTSTATUS status = STATUS_TIMEOUT;
  {
    Guard guard(lock_);
    if (type == WaitAll) {
      if (take_all(objects, thread)) status = STATUS_SUCCESS;
    } else {
      for (size_t i = 0; i < objects.size() && status == STATUS_TIMEOUT; ++i) {
        if (!signalled(header_of(objects[i]), thread)) continue;
        take(header_of(objects[i]), thread);
        status = static_cast<NTSTATUS>(i);
      }
    }
    if (status == STATUS_TIMEOUT && deadline != 0) {
      thread.waiting = true;
      thread.wait_all = type == WaitAll;
      enqueue(thread, objects);
      status = STATUS_PENDING;
    }
  }
  std::optional<WaitingFor> waits;
  if (status == STATUS_PENDING && machine_.live()) {
    DISPATCHER_HEADER& header = header_of(objects[0]);
    bool mutex = type_of(header) == ObjectType::Mutex;
    waits.emplace(wait_name(header), nullptr, mutex ? &reinterpret_cast<const KMUTEX&>(header) : nullptr,
                  ordinal_of(header));
  }
  while (status == STATUS_PENDING) {
    base::Wake wake = executor.park(deadline, base::Point::Wait);
    Guard guard(lock_);
    if (!thread.waiting) {
      status = thread.wait_status;
    } else if (wake == base::Wake::Deadline) {
      dequeue(thread);
      thread.waiting = false;
      status = STATUS_TIMEOUT;
    }
  }
  if (status != STATUS_TIMEOUT) {
    for (size_t i = 0; i < objects.size(); ++i) {
      if (type == WaitAll || static_cast<size_t>(status) == i) base::happens_after(objects[i]);
    }
  }
  traced.status = status;
  machine_.note(traced);
  return status;
}

void Dispatcher::initialise(void* object, size_t bytes, ObjectType type, LONG state) {
  check_resident(machine_, object, "a dispatcher object");
  auto address = reinterpret_cast<uintptr_t>(object);
  bool live;
  {
    Guard guard(lock_);
    live = live_.any_in(address, address + bytes) &&
           (live_.find(address, InUseKind::Waiters) || live_.find(address, InUseKind::Timer));
  }
  if (live) {
    machine_.report_violation(Violation::ReinitialisedLive,
                              "an object is initialised again while a thread waits on it or it is armed");
  }
  DISPATCHER_HEADER& header = header_of(object);
  header = {};
  header.Type = static_cast<UCHAR>(type);
  header.Signature = kHeaderSignature;
  header.SignalState = state;
  header.Reserved1[0] = next_ordinal();
  machine_.note(trace::ObjectCreate{.kind = traced_kind(header), .ordinal = ordinal_of(header)});
}

LONG Dispatcher::set_event(KEVENT& event) {
  machine_.executor().yield(base::Point::Signal);
  base::happens_before(&event);
  WakeList woken;
  LONG before;
  {
    Guard guard(lock_);
    before = event.Header.SignalState;
    event.Header.SignalState = 1;
    if (before == 0) wake_waiters(event.Header, woken);
  }
  machine_.note(trace::ObjectSignal{.kind = traced_kind(event.Header), .ordinal = ordinal_of(event.Header)});
  woken.wake(machine_.executor());
  return before;
}

LONG Dispatcher::reset(DISPATCHER_HEADER& header) {
  machine_.executor().yield(base::Point::Signal);
  Guard guard(lock_);
  LONG before = header.SignalState;
  header.SignalState = 0;
  return before;
}

LONG Dispatcher::read(const DISPATCHER_HEADER& header) const {
  return __atomic_load_n(&header.SignalState, __ATOMIC_ACQUIRE);
}

base::Result<LONG> Dispatcher::release_semaphore(KSEMAPHORE& semaphore, LONG adjustment) {
  machine_.executor().yield(base::Point::Signal);
  base::happens_before(&semaphore);
  WakeList woken;
  LONG before;
  {
    Guard guard(lock_);
    before = semaphore.Header.SignalState;
    int64_t after = int64_t{before} + adjustment;
    if (adjustment <= 0 || after > semaphore.Limit) {
      return base::Failure(STATUS_SEMAPHORE_LIMIT_EXCEEDED, "a semaphore released beyond its limit");
    }
    semaphore.Header.SignalState = static_cast<LONG>(after);
    wake_waiters(semaphore.Header, woken);
  }
  machine_.note(trace::ObjectSignal{.kind = traced_kind(semaphore.Header), .ordinal = ordinal_of(semaphore.Header)});
  woken.wake(machine_.executor());
  return before;
}

base::Result<LONG> Dispatcher::release_mutex(KMUTEX& mutex) {
  machine_.executor().yield(base::Point::Unlock);
  base::happens_before(&mutex);
  Thread& thread = machine_.self();
  WakeList woken;
  LONG before;
  {
    Guard guard(lock_);
    if (mutex.OwnerThread != thread.body) {
      return base::Failure(STATUS_MUTANT_NOT_OWNED, "a mutex released by a thread that does not own it");
    }
    before = mutex.Header.SignalState;
    ++mutex.Header.SignalState;
    if (--mutex.Depth == 0) {
      mutex.OwnerThread = nullptr;
      wake_waiters(mutex.Header, woken);
    }
  }
  machine_.note(trace::ObjectSignal{.kind = traced_kind(mutex.Header), .ordinal = ordinal_of(mutex.Header)});
  woken.wake(machine_.executor());
  return before;
}

void Dispatcher::signal(DISPATCHER_HEADER& header) {
  base::happens_before(&header);
  WakeList woken;
  {
    Guard guard(lock_);
    header.SignalState = 1;
    wake_waiters(header, woken);
  }
  machine_.note(trace::ObjectSignal{.kind = traced_kind(header), .ordinal = ordinal_of(header)});
  woken.wake(machine_.executor());
}

bool Dispatcher::known(const DISPATCHER_HEADER& header, std::initializer_list<ObjectType> types, const char* function) {
  if (__builtin_expect(header.Signature == kHeaderSignature, 1)) {
    for (ObjectType type : types) {
      if (type_of(header) == type) return true;
    }
  }
  machine_.report_violation(Violation::NotInitialised,
                            fmt::format("{} was given an object that was never initialised", function));
  return false;
}

void Dispatcher::memory_gone(uintptr_t lo, uintptr_t hi, Gone how, const char* what) {
  struct Found {
    uintptr_t address;
    InUseKind kind;
  };
  std::vector<Found> found;
  {
    Guard guard(lock_);
    if (__builtin_expect(!live_.any_in(lo, hi), 1)) return;
    live_.for_each_in(lo, hi, [&](uintptr_t address, InUseKind kind, void*) { found.push_back({address, kind}); });
  }
  // A timer and its DPC are often in one block: that is one mistake, and it is reported for the timer.
  std::stable_partition(found.begin(), found.end(), [](const Found& item) { return item.kind != InUseKind::TimerDpc; });
  for (const Found& item : found) {
    if (item.kind == InUseKind::TimerDpc && !is_live(item.address, item.kind)) continue;
    bool same_rule = how == Gone::Freed || item.kind == InUseKind::Lookaside;
    Violation rule = same_rule ? freed_rule(item.kind) : Violation::UnloadedLive;
    machine_.report_violation(rule, fmt::format("{} holds {} (at offset {}) and {}", what, name_of(item.kind),
                                                item.address - lo, how == Gone::Unloaded ? "is unloaded" : "is freed"));
    if (item.kind == InUseKind::Timer) machine_.timers().cancel(*reinterpret_cast<KTIMER*>(item.address));
    if (item.kind == InUseKind::TimerDpc) machine_.timers().forget_dpc(*reinterpret_cast<KDPC*>(item.address));
    if (item.kind == InUseKind::Dpc) machine_.dpcs().remove(*reinterpret_cast<KDPC*>(item.address));
    if (item.kind == InUseKind::Resource || item.kind == InUseKind::RemoveLock || item.kind == InUseKind::Lookaside) {
      Guard guard(lock_);
      live_.erase(item.address, item.kind);
    }
  }
}

bool Dispatcher::is_live(uintptr_t address, InUseKind kind) {
  Guard guard(lock_);
  return live_.find(address, kind) != nullptr;
}

bool Dispatcher::signalled(const DISPATCHER_HEADER& header, const Thread& thread) const {
  if (type_of(header) == ObjectType::Mutex) {
    return header.SignalState > 0 || reinterpret_cast<const KMUTEX&>(header).OwnerThread == thread.body;
  }
  return header.SignalState > 0;
}

void Dispatcher::take(DISPATCHER_HEADER& header, Thread& thread) {
  switch (type_of(header)) {
    case ObjectType::Mutex: {
      auto& mutex = reinterpret_cast<KMUTEX&>(header);
      --header.SignalState;
      mutex.OwnerThread = thread.body;
      ++mutex.Depth;
      break;
    }
    case ObjectType::Semaphore:
      --header.SignalState;
      break;
    default:
      if (synchronises(type_of(header))) header.SignalState = 0;
  }
}

bool Dispatcher::take_all(std::span<void* const> objects, Thread& thread) {
  for (void* object : objects) {
    if (!signalled(header_of(object), thread)) return false;
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    if (!named_before(objects, i)) take(header_of(objects[i]), thread);
  }
  return true;
}

void Dispatcher::enqueue(Thread& thread, std::span<void* const> objects) {
  // The blocks must not move once they are linked.
  thread.wait_blocks.clear();
  thread.wait_blocks.reserve(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    if (named_before(objects, i)) continue;
    thread.wait_blocks.push_back({&thread, objects[i], nullptr, nullptr, static_cast<uint32_t>(i)});
    append(thread.wait_blocks.back());
  }
}

void Dispatcher::dequeue(Thread& thread) {
  for (WaitBlock& block : thread.wait_blocks) unlink(block);
  thread.wait_blocks.clear();
}

// A queue is a ring whose head is in the in-use table; the head's prev is the tail.
void Dispatcher::append(WaitBlock& block) {
  void*& head = live_.ensure(reinterpret_cast<uintptr_t>(block.object), InUseKind::Waiters);
  if (!head) {
    block.next = block.prev = &block;
    head = &block;
    return;
  }
  auto* first = static_cast<WaitBlock*>(head);
  block.next = first;
  block.prev = first->prev;
  first->prev->next = &block;
  first->prev = &block;
}

void Dispatcher::unlink(WaitBlock& block) {
  auto address = reinterpret_cast<uintptr_t>(block.object);
  if (block.next == &block) {
    live_.erase(address, InUseKind::Waiters);
    return;
  }
  block.prev->next = block.next;
  block.next->prev = block.prev;
  void** head = live_.find(address, InUseKind::Waiters);
  if (head && *head == &block) *head = block.next;
}

void Dispatcher::wake_waiters(DISPATCHER_HEADER& header, WakeList& woken) {
  auto address = reinterpret_cast<uintptr_t>(&header);
  void** head = live_.find(address, InUseKind::Waiters);
  if (!head) return;
  auto* block = static_cast<WaitBlock*>(*head);
  auto* last = block->prev;
  for (bool more = true; more && header.SignalState > 0;) {
    WaitBlock* next = block->next;
    more = block != last;
    Thread* thread = block->thread;
    if (try_satisfy(*block)) woken.add(*thread->task);
    block = next;
  }
}

// Satisfying a wait removes all blocks of its thread, of which one at most is in any queue.
bool Dispatcher::try_satisfy(WaitBlock& block) {
  Thread& thread = *block.thread;
  DISPATCHER_HEADER& header = header_of(block.object);
  if (thread.wait_all) {
    for (const WaitBlock& other : thread.wait_blocks) {
      if (!signalled(header_of(other.object), thread)) return false;
    }
    for (const WaitBlock& other : thread.wait_blocks) take(header_of(other.object), thread);
    thread.wait_status = STATUS_SUCCESS;
  } else {
    take(header, thread);
    thread.wait_status = static_cast<NTSTATUS>(block.index);
  }
  dequeue(thread);
  thread.waiting = false;
  return true;
}

}  // namespace nt
