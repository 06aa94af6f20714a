#pragma once

#include "abi/km/wdm.h"
#include "nt/machine/machine.h"

namespace ks {

// One of the class's documented mutexes: a device's, a filter's control mutex, a processing mutex. A real mutex object
// of the machine, so that the lock-order check sees it and a deadlock report shows its owner. May be held while a
// driver runs. One thread can take it twice; the functions that drivers call report where that is forbidden. Any thread
// at PASSIVE_LEVEL.
class ControlMutex {
 public:
  explicit ControlMutex(nt::Machine& machine);
  ~ControlMutex();
  ControlMutex(const ControlMutex&) = delete;
  ControlMutex& operator=(const ControlMutex&) = delete;

  void acquire();
  void release();
  bool held() const;  // by this thread

 private:
  nt::Machine& machine_;
  KMUTEX* const mutex_;
};

// Holds one for the length of a block.
class [[nodiscard]] Holding {
 public:
  explicit Holding(ControlMutex& mutex) : mutex_(mutex) { mutex_.acquire(); }
  ~Holding() { mutex_.release(); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  ControlMutex& mutex_;
};

}  // namespace ks
