// The state of synchronisation objects: their values, and their waiters.
//
// Three classes hold the six types: Counted (mutex, semaphore), Fence in monitored_fence.h (fence, monitored and
// periodic fence), CpuNotification. A Waiter is one wait, of a context's queue or of the CPU, for one object or
// several. It is linked to each of its objects by a Term until it is satisfied, lost or cancelled.
//
//   context queue or CPU       Waiter                         SyncObject
//     begin(conditions) ---->    Term --- heap by value --->    Fence
//                                Term --- first come ------>    Counted
//     wake() <--- WokenList <------------------------------- signal()
//
// Locking: nothing in here locks. All objects of one kernel are under one SyncLock, as one wait may name objects of
// several adapters; with the lock held, only functions of this file are called. What a signal woke is collected in a
// WokenList and told after the lock has been left. That is safe because the list keeps its waiters alive, and because a
// waiter that was woken is on no object any more.
//
// How a context's queue uses it: the wait packet at the head calls begin(). True: go on with the next packet. False:
// the queue stops; wake() comes later, once, and then the packet is done (what a semaphore had to give has been taken:
// do not ask again). A queue that goes away calls cancel(). A signal packet calls signal(), and deliver() without the
// lock.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/ref.h"
#include "base/result.h"

namespace vidsch {

class SyncObject;
class Waiter;

using SyncLock = base::Mutex<base::LockRank::Fence>;

// Is told when something was signalled. wake() runs without the SyncLock, on the thread that signalled, at any IRQL up
// to DISPATCH_LEVEL; it does not block.
class Wakeable : public base::RefCounted {
 public:
  virtual void wake() = 0;
};

// The waits that a signal ended, in the order in which they were satisfied. Filled under the SyncLock, delivered
// without it.
class WokenList {
 public:
  WokenList() = default;
  WokenList(const WokenList&) = delete;
  WokenList& operator=(const WokenList&) = delete;
  ~WokenList() { CHECK(woken_.empty()); }  // a wake-up that is dropped is a hang

  void add(base::Ref<Wakeable> woken) { woken_.push_back(std::move(woken)); }
  void deliver();
  bool empty() const { return woken_.empty(); }
  std::span<const base::Ref<Wakeable>> woken() const { return woken_; }

 private:
  std::vector<base::Ref<Wakeable>> woken_;
};

// One object's entry in a wait. Belongs to its Waiter; the object links it into its own list.
struct Term {
  Waiter* waiter = nullptr;
  SyncObject* object = nullptr;
  uint64_t value = 0;  // fences: what is waited for
  bool met = false;    // fences: the value has been reached
  bool linked = false;
  uint64_t order = 0;                         // fences: among equal values, first come first served
  size_t heap_index = 0;                      // fences
  Term *previous = nullptr, *next = nullptr;  // counted objects
};

// One wait at a time. Made by the code that waits, which holds a reference and keeps the objects alive; while it waits
// it also holds a reference to itself. Under the SyncLock.
class Waiter : public Wakeable {
 public:
  struct Condition {
    SyncObject* object;
    uint64_t value = 0;  // fences only
  };
  // All: of fences, each at its time (one that is rewound later has been reached all the same); mutexes and semaphores
  // are taken together or not at all. Any: by the first.
  enum class Need : uint8_t { All, Any };
  enum class State : uint8_t {
    Idle,
    Waiting,
    Satisfied,
    Lost,  // an object of it was destroyed
    Cancelled,
  };

  ~Waiter() override;

  // True when there is nothing to wait for: it is satisfied, or Lost because an object is already gone. Otherwise
  // wake() will be called, unless it is cancelled before.
  bool begin(std::span<const Condition> conditions, Need need);
  // False if it was too late: wake() has been called or is about to be.
  bool cancel();
  State state() const { return state_; }

 private:
  friend class Counted;
  friend class Fence;
  friend class SyncObject;

  std::span<Term> terms() { return {more_ ? more_.get() : &single_, count_}; }
  void set_terms(std::span<const Condition> conditions);
  bool satisfied_at_once();
  bool take_counted();
  void link_unmet();
  void unlink_all();
  void reached(Term& term, WokenList& out);  // a fence, which has unlinked it
  bool offer(Term& term, WokenList& out);    // a counted object that has something to give
  void finish(State state, WokenList& out);

  Term single_;  // most waits are for one object
  std::unique_ptr<Term[]> more_;
  uint32_t count_ = 0;
  uint32_t fences_pending_ = 0;
  Need need_ = Need::All;
  State state_ = State::Idle;
};

enum class Rewind : uint8_t { Refused, Allowed };

// The value of one synchronisation object, and its waiters. Owned by the graphics kernel's object; under the SyncLock.
class SyncObject {
 public:
  SyncObject() = default;
  SyncObject(const SyncObject&) = delete;
  SyncObject& operator=(const SyncObject&) = delete;
  virtual ~SyncObject() = default;

  // A wait for this object alone; Waiter::begin() tells the rest.
  bool try_wait(Waiter& waiter, uint64_t value);
  // The waiters that need not wait any more are in `out`. `value` matters to fences only: going backwards is refused
  // (STATUS_INVALID_PARAMETER), unless allowed. A mutex that has no owner: STATUS_MUTANT_NOT_OWNED; a semaphore at its
  // maximum: STATUS_SEMAPHORE_LIMIT_EXCEEDED.
  virtual base::Result<> signal(uint64_t value, Rewind rewind, WokenList& out) = 0;
  // A device that could have signalled it is lost. Does what the object's flags ask for.
  virtual void device_lost(WokenList&) {}
  // The object is destroyed: its waiters end with Lost, and so does every later wait.
  void close(WokenList& out);
  bool closed() const { return closed_; }
  virtual bool has_waiters() const = 0;
  virtual bool validate() const = 0;

 protected:
  friend class Waiter;

  // Whether a fence has reached `value`. Others never reach: they give.
  virtual bool has_reached(uint64_t) { return false; }
  virtual bool counted() const { return false; }
  virtual bool take() { return false; }  // one unit, if there is one
  virtual void give_back() {}            // what take() took
  virtual void link(Term& term) = 0;
  virtual void unlink(Term& term) = 0;
  virtual Term* first_waiting() = 0;

 private:
  bool closed_ = false;
};

// A mutex (one unit, there while it has no owner) or a semaphore.
class Counted final : public SyncObject {
 public:
  static Counted mutex(bool owned) { return Counted(owned ? 0 : 1, 1, STATUS_MUTANT_NOT_OWNED); }
  static Counted semaphore(uint32_t initial, uint32_t maximum) {
    return Counted(initial, maximum, STATUS_SEMAPHORE_LIMIT_EXCEEDED);
  }

  base::Result<> signal(uint64_t value, Rewind rewind, WokenList& out) override;
  uint32_t count() const { return count_; }
  bool has_waiters() const override { return first_ != nullptr; }
  bool validate() const override;

 private:
  Counted(uint32_t initial, uint32_t maximum, NTSTATUS beyond) : count_(initial), maximum_(maximum), beyond_(beyond) {}
  bool counted() const override { return true; }
  bool take() override;
  void give_back() override { ++count_; }
  void link(Term& term) override;
  void unlink(Term& term) override;
  Term* first_waiting() override { return first_; }

  uint32_t count_;
  const uint32_t maximum_;
  const NTSTATUS beyond_;
  Term* first_ = nullptr;
  Term* last_ = nullptr;
};

// Tells the CPU each time it is signalled. No Waiter waits for it: the client waits for its event.
class CpuNotification final : public SyncObject {
 public:
  explicit CpuNotification(base::Ref<Wakeable> event) : event_(std::move(event)) {}

  base::Result<> signal(uint64_t value, Rewind rewind, WokenList& out) override;
  bool has_waiters() const override { return false; }
  bool validate() const override { return true; }

 private:
  void link(Term&) override;
  void unlink(Term&) override;
  Term* first_waiting() override { return nullptr; }

  base::Ref<Wakeable> event_;
};

}  // namespace vidsch
