#include "dxgk/destroy/destruction_queue.h"

#include <algorithm>
#include <utility>

#include "dxgk/destroy/destruction.h"
#include "dxgk/work/timeline.h"
#include "nt/machine/machine.h"

namespace dxgk {

DestructionQueue::DestructionQueue(nt::Machine& machine) : machine_(machine) {}
DestructionQueue::~DestructionQueue() = default;

void DestructionQueue::add(std::unique_ptr<Destruction> destruction) {
  bool start = false;
  {
    base::Guard guard(lock_);
    add_locked(std::move(destruction));
    start = !std::exchange(running_, true);
  }
  if (start) {
    machine_.create_thread({.name = "graphics reclaimer", .body = [this] { work(); }, .housekeeping = true});
  }
  kick();
}

void DestructionQueue::kick() {
  base::Task* worker;
  {
    base::Guard guard(lock_);
    kicked_ = true;
    worker = worker_;
  }
  if (worker) machine_.executor().unpark(*worker);
}

// One thread, made when first needed; it ends when nothing is left to wait for.
void DestructionQueue::work() {
  for (;;) {
    {
      base::Guard guard(lock_);
      if (waiting_ == 0 || machine_.ending()) {
        worker_ = nullptr;
        running_ = false;
        return;
      }
      worker_ = base::Executor::current();
      kicked_ = false;
    }
    if (advance_ready()) continue;
    bool park;
    {
      base::Guard guard(lock_);
      park = !kicked_ && waiting_ != 0;
    }
    if (park) machine_.executor().park(base::kForever, base::Point::Wait);
  }
}

// --- What waits ---

void DestructionQueue::add_locked(std::unique_ptr<Destruction> destruction) {
  ++waiting_;
  ++of_devices_[destruction->device()];
  // Looked at when something changes, or by the worker that is woken for it.
  on_others_.push_back({arrivals_++, std::move(destruction)});
}

// Files it under what it waits for now, or adds it to `ready`.
void DestructionQueue::file(Waiting waiting, std::vector<Waiting>& ready) {
  using Kind = Destruction::Obstacle::Kind;
  Destruction::Obstacle obstacle = waiting.destruction->obstacle();
  switch (obstacle.kind) {
    case Kind::None:
      ready.push_back(std::move(waiting));
      break;
    case Kind::Timeline: {
      ByValue& on = on_timelines_[obstacle.timeline];
      on.emplace_hint(on.end(), obstacle.value, std::move(waiting));
      break;
    }
    case Kind::Memory:
      on_memory_.emplace_hint(on_memory_.end(), obstacle.value, std::move(waiting));
      break;
    case Kind::Children:
      on_others_.push_back(std::move(waiting));
      break;
  }
}

// The values of each timeline pass in order, and so does the memory manager's work.
std::vector<DestructionQueue::Waiting> DestructionQueue::take_ready() {
  std::vector<Waiting> moved = std::exchange(on_others_, {});
  for (auto it = on_timelines_.begin(); it != on_timelines_.end();) {
    ByValue& on = it->second;
    while (!on.empty() && it->first->passed(on.begin()->first)) {
      moved.push_back(std::move(on.begin()->second));
      on.erase(on.begin());
    }
    it = on.empty() ? on_timelines_.erase(it) : std::next(it);
  }
  while (!on_memory_.empty()) {
    auto first = on_memory_.begin();
    if (first->second.destruction->obstacle().kind != Destruction::Obstacle::Kind::None) break;
    moved.push_back(std::move(first->second));
    on_memory_.erase(first);
  }
  std::vector<Waiting> ready;
  for (Waiting& waiting : moved) file(std::move(waiting), ready);
  std::sort(ready.begin(), ready.end(), [](const Waiting& a, const Waiting& b) { return a.number < b.number; });
  for (const Waiting& waiting : ready) {
    auto of_device = of_devices_.find(waiting.destruction->device());
    if (--of_device->second == 0) of_devices_.erase(of_device);
  }
  waiting_ -= ready.size();
  return ready;
}

// The driver runs with no lock held.
bool DestructionQueue::advance_ready() {
  bool advanced = false;
  std::vector<Waiting> ready;
  {
    base::Guard guard(lock_);
    ready = take_ready();
    in_hand_ += ready.size();
  }
  for (Waiting& each : ready) {
    std::unique_ptr<Destruction> destruction = std::move(each.destruction);
    bool done;
    {
      ParkingLock lock(destruction->mutex());
      done = destruction->advance();
    }
    advanced |= done;
    std::vector<base::Task*> woken;
    {
      base::Guard guard(lock_);
      if (!done) add_locked(std::move(destruction));
      --in_hand_;
      woken = drainers_;
    }
    for (base::Task* task : woken) machine_.executor().unpark(*task);
  }
  return advanced;
}

void DestructionQueue::drain_of(const Device* device) {
  base::Task* self = base::Executor::current();
  for (;;) {
    {
      base::Guard guard(lock_);
      std::erase(drainers_, self);
      bool left = in_hand_ != 0 || (device ? of_devices_.count(device) != 0 : waiting_ != 0);
      if (!left) return;
      drainers_.push_back(self);
    }
    nt::WaitingFor waits("objects that are being destroyed");
    machine_.executor().park(base::kForever, base::Point::Wait);
  }
}

size_t DestructionQueue::size() const {
  base::Guard guard(lock_);
  return waiting_ + in_hand_;
}

}  // namespace dxgk
