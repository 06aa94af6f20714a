#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "nt/machine/machine.h"

namespace client {

// A thread of the client that has called D3DKMT. It is registered with the machine from its first call to its end, so
// that later calls need no registration. Between two calls it does not run for the machine: a fault or a signal there
// is not handled by the machine. Made, used and deleted on its own thread.
class ClientThread {
 public:
  ClientThread(nt::Machine& machine, const std::string& name);
  ~ClientThread();
  ClientThread(const ClientThread&) = delete;
  ClientThread& operator=(const ClientThread&) = delete;

  void enter();
  void leave();
  bool inside() const { return inside_.load(); }  // any thread may ask

 private:
  nt::Machine::Visit visit_;
  nt::Thread* thread_;  // what the machine knows it by; hidden between calls
  std::atomic<bool> inside_{false};
};

// The threads of a process that have called D3DKMT and not ended. One in a process; any thread.
class ClientThreads {
 public:
  explicit ClientThreads(nt::Machine& machine);

  // Lets the calling thread into the machine until its leave(). STATUS_PROCESS_IS_TERMINATING after close();
  // STATUS_UNSUCCESSFUL when it is inside already, and this is a signal handler that interrupted it.
  base::Expected<ClientThread*, NTSTATUS> enter();

  // Lets no more threads in, and waits for those that are inside. Returns how many of them are left after `patience`,
  // the calling thread included.
  size_t close(std::chrono::milliseconds patience);
  // The calling thread ends, or has nothing more to say.
  void forget_mine();
  // In the child of a fork: the threads are the parent's, and so is all that they point to.
  static void abandon();

 private:
  static void thread_ended(void* raw);
  ClientThread& introduce();
  size_t others_inside();

  nt::Machine& machine_;
  std::atomic<bool> closed_{false};
  std::atomic<size_t> arriving_{0};  // threads on their way in for the first time
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<ClientThread*> threads_ GUARDED_BY(lock_);
};

}  // namespace client
