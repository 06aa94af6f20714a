#include "dxgk/destruction_queue.h"

#include <algorithm>

#include "dxgk/destruction.h"
#include "nt/machine.h"

namespace dxgk {

DestructionQueue::DestructionQueue(nt::Machine& machine) : machine_(machine) {}
DestructionQueue::~DestructionQueue() = default;

void DestructionQueue::add(std::unique_ptr<Destruction> destruction) {
  bool start = false;
  {
    base::Guard guard(lock_);
    waiting_.push_back(std::move(destruction));
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
      if (waiting_.empty() || machine_.ending()) {
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
      park = !kicked_ && !waiting_.empty();
    }
    if (park) machine_.executor().park(base::kForever, base::Point::Wait);
  }
}

// Takes each one off the list while it works on it: the driver runs outside of every lock.
bool DestructionQueue::advance_ready() {
  bool advanced = false;
  std::list<std::unique_ptr<Destruction>> ready;
  {
    base::Guard guard(lock_);
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      auto next = std::next(it);
      if ((*it)->could_advance()) ready.splice(ready.end(), waiting_, it);
      it = next;
    }
    in_hand_ += ready.size();
  }
  while (!ready.empty()) {
    std::unique_ptr<Destruction> destruction = std::move(ready.front());
    ready.pop_front();
    bool done;
    {
      Inside inside(destruction->gate());
      done = destruction->advance();
    }
    advanced |= done;
    std::vector<base::Task*> woken;
    {
      base::Guard guard(lock_);
      if (!done) waiting_.push_back(std::move(destruction));
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
      bool left = in_hand_ != 0 || std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& waiting) {
                    return !device || waiting->device() == device;
                  });
      if (!left) return;
      drainers_.push_back(self);
    }
    nt::WaitingFor waits("objects that are being destroyed");
    machine_.executor().park(base::kForever, base::Point::Wait);
  }
}

size_t DestructionQueue::size() const {
  base::Guard guard(lock_);
  return waiting_.size() + in_hand_;
}

}  // namespace dxgk
