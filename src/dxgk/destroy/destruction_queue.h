#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"

namespace nt {
class Machine;
}

namespace dxgk {

class Destruction;
class Device;
class Timeline;

// The destructions of one adapter that have to wait, and the worker that finishes them: of those that can be finished,
// the one requested first comes first. Each is filed under what it waits for, so that the cost of a fence that moves
// depends on what it frees, not on how many wait. Any thread.
class DestructionQueue {
 public:
  explicit DestructionQueue(nt::Machine& machine);
  ~DestructionQueue();

  void add(std::unique_ptr<Destruction> destruction);
  // A fence or a reference has changed: wakes the worker. At any IRQL.
  void kick();
  // Waits until no destruction of the device is left. Without the mutex.
  void drain(const Device& device) { drain_of(&device); }
  // Waits until no destruction at all is left. Without the mutex.
  void drain() { drain_of(nullptr); }
  size_t size() const;

 private:
  struct Waiting {
    uint64_t number;  // in the order of arrival
    std::unique_ptr<Destruction> destruction;
  };
  using ByValue = std::multimap<uint64_t, Waiting>;

  void drain_of(const Device* device);
  void work();
  bool advance_ready();
  void add_locked(std::unique_ptr<Destruction> destruction) REQUIRES(lock_);
  void file(Waiting waiting, std::vector<Waiting>& ready) REQUIRES(lock_);
  std::vector<Waiting> take_ready() REQUIRES(lock_);

  nt::Machine& machine_;
  mutable base::Mutex<base::LockRank::Adapter> lock_;
  std::unordered_map<const Timeline*, ByValue> on_timelines_ GUARDED_BY(lock_);
  ByValue on_memory_ GUARDED_BY(lock_);
  std::vector<Waiting> on_others_ GUARDED_BY(lock_);                        // looked at whenever something changes
  std::unordered_map<const Device*, size_t> of_devices_ GUARDED_BY(lock_);  // how many wait
  size_t waiting_ GUARDED_BY(lock_) = 0;
  uint64_t arrivals_ GUARDED_BY(lock_) = 0;
  std::vector<base::Task*> drainers_ GUARDED_BY(lock_);
  base::Task* worker_ GUARDED_BY(lock_) = nullptr;
  bool kicked_ GUARDED_BY(lock_) = false;
  bool running_ GUARDED_BY(lock_) = false;
  size_t in_hand_ GUARDED_BY(lock_) = 0;  // taken off the list by the worker
};

}  // namespace dxgk
