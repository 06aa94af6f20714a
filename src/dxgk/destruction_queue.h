#pragma once

#include <list>
#include <memory>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"

namespace nt {
class Machine;
}

namespace dxgk {

class Destruction;
class Device;

// The destructions of one adapter that have to wait, in the order of the calls that asked for them, and the worker that
// finishes them. Any thread.
class DestructionQueue {
 public:
  explicit DestructionQueue(nt::Machine& machine);
  ~DestructionQueue();

  void add(std::unique_ptr<Destruction> destruction);
  // Something moved: a fence, a reference. At any IRQL.
  void kick();
  // Waits until no destruction of the device is left. Outside of the gate.
  void drain(const Device& device) { drain_of(&device); }
  // … no destruction at all.
  void drain() { drain_of(nullptr); }
  size_t size() const;

 private:
  void drain_of(const Device* device);
  void work();
  bool advance_ready();

  nt::Machine& machine_;
  mutable base::Mutex<base::LockRank::Adapter> lock_;
  std::list<std::unique_ptr<Destruction>> waiting_ GUARDED_BY(lock_);
  std::vector<base::Task*> drainers_ GUARDED_BY(lock_);
  base::Task* worker_ GUARDED_BY(lock_) = nullptr;
  bool kicked_ GUARDED_BY(lock_) = false;
  bool running_ GUARDED_BY(lock_) = false;
  size_t in_hand_ GUARDED_BY(lock_) = 0;  // taken off the list by the worker
};

}  // namespace dxgk
