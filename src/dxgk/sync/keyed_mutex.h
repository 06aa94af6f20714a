#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "abi/shared/d3dukmdt.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/result.h"
#include "dxgk/object/owned_handle.h"
#include "ob/object.h"

namespace nt {
class Machine;
}

namespace dxgk {

class KeyedMutexView;

// A mutex that is released to a key and acquired by it, as all its openers share it. Its handle count is what has it
// open: views, and what D3DKMTShareObjects made of it. Process tables hold views, the machine's table of global handles
// holds these. Any thread.
//
// clang-format off
//             acquire(key)                 the owner's handle goes
//   Free(key) ───────────► Owned(by a view) ──────────────────────► Abandoned, for good (observed)
//       ▲                      │
//       └──────────────────────┘ release_to(key) while no view waits for that key; else the first waiter owns it
// clang-format on
class KeyedMutex final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::KeyedMutex;

  enum class Sharing : uint8_t { GlobalHandle, NtHandle };
  enum class Outcome : uint8_t { Acquired, TimedOut, Abandoned };
  struct Acquisition {
    Outcome outcome;
    uint64_t fence = 0;  // what the last owner left; of an acquired one only
  };

  static ob::UnpublishedObject<KeyedMutex> create(nt::Machine& machine, ob::Ordinals& ordinals, Sharing sharing,
                                                  uint64_t initial_key, std::vector<uint8_t> runtime_data = {});

  Sharing sharing() const { return sharing_; }

  // An opener's runtime data: kept if the mutex has none (documented), else only measured against it.
  base::Result<> offer_runtime_data(std::span<const uint8_t> data);
  // How a client's buffer is judged: none at all is fine, one that is too short for the mutex's data is not (observed
  // for an opener; by policy for an acquirer and a releaser too).
  base::Result<> check_runtime_data(size_t buffer_bytes) {
    base::Guard guard(lock_);
    return check_runtime_data_locked(buffer_bytes);
  }
  std::vector<uint8_t> runtime_data();

  // Waits until `deadline`; one that has passed asks for an answer at once. STATUS_INVALID_PARAMETER when the view's
  // own handle goes while it waits. At PASSIVE_LEVEL, with no mutex held.
  base::Result<Acquisition> acquire(KeyedMutexView& view, uint64_t key, base::TimeNs deadline);
  // `data` replaces the runtime data, as much of it as the mutex has; if it has none, all. Empty: it stays.
  base::Result<> release_to(KeyedMutexView& view, uint64_t key, uint64_t fence, std::span<const uint8_t> data = {});
  // The view's handle has been closed: the mutex is abandoned if the view owns it, and waits through the view end.
  void leave(KeyedMutexView& view);

 private:
  enum class Verdict : uint8_t { Waiting, Acquired, Abandoned, Withdrawn };
  // A thread that waits, on its own stack.
  struct Waiter {
    KeyedMutexView* view;
    uint64_t key;
    base::Task* task;
    uint64_t fence = 0;
    std::atomic<Verdict> verdict{Verdict::Waiting};
  };

  KeyedMutex(nt::Machine& machine, ob::Ordinals& ordinals, Sharing sharing, uint64_t initial_key,
             std::vector<uint8_t> runtime_data);
  base::Result<> check_runtime_data_locked(size_t buffer_bytes) REQUIRES(lock_);
  Verdict try_acquire_locked(KeyedMutexView& view, uint64_t key, uint64_t& fence) REQUIRES(lock_);
  Verdict wait(Waiter& self, base::TimeNs deadline) EXCLUDES(lock_);
  bool give_up(Waiter& self) EXCLUDES(lock_);
  base::Task& decide_locked(Waiter& waiter, Verdict verdict) REQUIRES(lock_);
  base::Task* hand_over_locked() REQUIRES(lock_);

  nt::Machine& machine_;
  const Sharing sharing_;
  base::Mutex<base::LockRank::Adapter> lock_;
  KeyedMutexView* owner_ GUARDED_BY(lock_) = nullptr;
  bool abandoned_ GUARDED_BY(lock_) = false;
  uint64_t key_ GUARDED_BY(lock_);  // while it is free
  uint64_t fence_ GUARDED_BY(lock_) = 0;
  std::vector<uint8_t> runtime_data_ GUARDED_BY(lock_);
  std::deque<Waiter*> waiters_ GUARDED_BY(lock_);  // in the order they came
};

// A keyed mutex as one handle of a process has it open. Ownership belongs to the handle and is abandoned with it
// (observed), hence with its process too.
class KeyedMutexView final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::KeyedMutex;

  KeyedMutexView(ob::UnpublishedObject<KeyedMutex> mutex, ob::Ordinals& ordinals)
      : ob::Object(kKind, ordinals), mutex_(std::move(mutex)) {}

  KeyedMutex& mutex() const { return *mutex_; }

 private:
  friend class KeyedMutex;
  void on_last_handle_closed() override;

  OwnedHandle<KeyedMutex> mutex_;
  bool left_ = false;  // guarded by the mutex's lock
};

}  // namespace dxgk
