#include "dxgk/sync/keyed_mutex.h"

#include <algorithm>

#include "nt/machine/machine.h"

namespace dxgk {

KeyedMutex::KeyedMutex(nt::Machine& machine, ob::Ordinals& ordinals, Sharing sharing, uint64_t initial_key,
                       std::vector<uint8_t> runtime_data)
    : ob::Object(kKind, ordinals),
      machine_(machine),
      sharing_(sharing),
      key_(initial_key),
      runtime_data_(std::move(runtime_data)) {}

ob::UnpublishedObject<KeyedMutex> KeyedMutex::create(nt::Machine& machine, ob::Ordinals& ordinals, Sharing sharing,
                                                     uint64_t initial_key, std::vector<uint8_t> runtime_data) {
  return ob::UnpublishedObject<KeyedMutex>::adopt(
      new KeyedMutex(machine, ordinals, sharing, initial_key, std::move(runtime_data)));
}

base::Result<> KeyedMutex::check_runtime_data_locked(size_t buffer_bytes) {
  if (buffer_bytes != 0 && buffer_bytes < runtime_data_.size()) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the buffer is too short for the keyed mutex's runtime data");
  }
  return {};
}

base::Result<> KeyedMutex::offer_runtime_data(std::span<const uint8_t> data) {
  base::Guard guard(lock_);
  TRY(check_runtime_data_locked(data.size()));
  if (runtime_data_.empty()) runtime_data_.assign(data.begin(), data.end());
  return {};
}

std::vector<uint8_t> KeyedMutex::runtime_data() {
  base::Guard guard(lock_);
  return runtime_data_;
}

base::Result<KeyedMutex::Acquisition> KeyedMutex::acquire(KeyedMutexView& view, uint64_t key, base::TimeNs deadline) {
  Waiter self{&view, key, base::Executor::current()};
  Verdict verdict;
  {
    base::Guard guard(lock_);
    verdict = try_acquire_locked(view, key, self.fence);
    if (verdict == Verdict::Waiting) {
      if (deadline <= machine_.executor().now()) return Acquisition{Outcome::TimedOut};
      waiters_.push_back(&self);
    }
  }
  if (verdict == Verdict::Waiting) verdict = wait(self, deadline);
  switch (verdict) {
    case Verdict::Acquired:
      return Acquisition{Outcome::Acquired, self.fence};
    case Verdict::Abandoned:
      return Acquisition{Outcome::Abandoned};
    case Verdict::Waiting:
      return Acquisition{Outcome::TimedOut};
    case Verdict::Withdrawn:
      break;
  }
  return base::Failure(STATUS_INVALID_PARAMETER, "the handle was destroyed while a thread waited through it");
}

KeyedMutex::Verdict KeyedMutex::try_acquire_locked(KeyedMutexView& view, uint64_t key, uint64_t& fence) {
  if (view.left_) return Verdict::Withdrawn;
  if (abandoned_) return Verdict::Abandoned;
  if (owner_ || key != key_) return Verdict::Waiting;
  owner_ = &view;
  fence = fence_;
  return Verdict::Acquired;
}

// The verdict Waiting means here that the time is up.
KeyedMutex::Verdict KeyedMutex::wait(Waiter& self, base::TimeNs deadline) {
  base::Executor& executor = machine_.executor();
  CHECK(self.task);
  nt::UnlimitedWait unlimited;
  for (;;) {
    Verdict verdict = self.verdict.load(std::memory_order_acquire);
    if (verdict != Verdict::Waiting) return verdict;
    if (deadline <= executor.now()) {
      if (give_up(self)) return Verdict::Waiting;
      continue;
    }
    executor.park(deadline, base::Point::Wait);
  }
}

bool KeyedMutex::give_up(Waiter& self) {
  base::Guard guard(lock_);
  return std::erase(waiters_, &self) != 0;
}

// The waiter may be destroyed as soon as it has its verdict; its task is not.
base::Task& KeyedMutex::decide_locked(Waiter& waiter, Verdict verdict) {
  base::Task& task = *waiter.task;
  waiter.fence = fence_;
  waiter.verdict.store(verdict, std::memory_order_release);
  return task;
}

// The mutex is free with a key: the first waiter for that key gets it, and no other thread can take it in between.
base::Task* KeyedMutex::hand_over_locked() {
  auto next = std::find_if(waiters_.begin(), waiters_.end(), [key = key_](Waiter* w) { return w->key == key; });
  if (next == waiters_.end()) return nullptr;
  Waiter& waiter = **next;
  waiters_.erase(next);
  owner_ = waiter.view;
  return &decide_locked(waiter, Verdict::Acquired);
}

base::Result<> KeyedMutex::release_to(KeyedMutexView& view, uint64_t key, uint64_t fence,
                                      std::span<const uint8_t> data) {
  base::Task* next;
  {
    base::Guard guard(lock_);
    if (owner_ != &view) return base::Failure(STATUS_INVALID_PARAMETER, "the handle does not own the keyed mutex");
    TRY(check_runtime_data_locked(data.size()));
    owner_ = nullptr;
    key_ = key;
    fence_ = fence;
    if (runtime_data_.empty()) {
      runtime_data_.assign(data.begin(), data.end());
    } else if (!data.empty()) {
      std::copy_n(data.begin(), runtime_data_.size(), runtime_data_.begin());
    }
    next = hand_over_locked();
  }
  if (next) machine_.executor().unpark(*next);
  return {};
}

void KeyedMutex::leave(KeyedMutexView& view) {
  std::vector<base::Task*> woken;
  {
    base::Guard guard(lock_);
    view.left_ = true;
    if (owner_ == &view) {
      owner_ = nullptr;
      abandoned_ = true;
    }
    std::erase_if(waiters_, [&](Waiter* waiter) REQUIRES(lock_) {
      if (waiter->view != &view && !abandoned_) return false;
      woken.push_back(&decide_locked(*waiter, waiter->view == &view ? Verdict::Withdrawn : Verdict::Abandoned));
      return true;
    });
  }
  for (base::Task* task : woken) machine_.executor().unpark(*task);
}

void KeyedMutexView::on_last_handle_closed() {
  mutex_->leave(*this);
  mutex_.let_go();
}

}  // namespace dxgk
