#pragma once

#include <functional>
#include <string>
#include <vector>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/result.h"
#include "nt/ex/kernel_handles.h"
#include "ob/handle_table.h"

namespace nt {

class IoRequest;
class Machine;
class Thread;

// A program: the threads that run in it, a table of handles, the requests that it has started. Handle numbers carry a
// bit that kernel handles do not (ours), so that one is never taken for the other. Created and owned by the code that
// plays the program; ended before it is destroyed. Any thread.
class Process {
 public:
  Process(Machine& machine, std::string name);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The program that the current thread runs in; null: none.
  static Process* current();
  const std::string& name() const { return name_; }
  _EPROCESS& body() { return *body_; }

  // A new handle to an object of the kernel.
  base::Result<HANDLE> open(ob::ObjectKind kind, void* body, ACCESS_MASK access);
  base::Result<> close(HANDLE handle);
  // `type` null: of any type.
  base::Result<KernelHandles::Found> find(HANDLE handle, POBJECT_TYPE type);
  static bool is_handle(HANDLE handle);
  uint32_t open_handles() const { return table_.open_count(); }

  // An event of the program's own.
  base::Result<HANDLE> create_event(EVENT_TYPE type, bool signalled);

  // Starts a thread of the program.
  Thread& create_thread(const std::string& name, std::function<void()> body);
  // The current thread runs in the program for as long as this lives.
  class [[nodiscard]] Inside {
   public:
    explicit Inside(Process& process);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Process* outer_;
  };

  // The program ends: the requests of its threads are cancelled and waited for, then every handle is closed, in table
  // order. A driver may keep a request until its file is closed, so the wait goes on after that. Called once, when the
  // program's threads have ended or do not use it any more.
  void end();
  bool ended() const { return ended_; }

 private:
  friend class IoRequest;

  void add(IoRequest& request);
  void remove(IoRequest& request);
  void cancel_requests();
  void await_requests(base::TimeNs deadline);
  void let_go(KernelObject& object);

  Machine& machine_;
  const std::string name_;
  ob::Ordinals ordinals_;
  ob::NtHandleTable table_;
  _EPROCESS* body_;
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<IoRequest*> requests_ GUARDED_BY(lock_);  // pending
  base::Task* ending_ GUARDED_BY(lock_) = nullptr;      // waits for the last of them
  bool ended_ = false;
};

}  // namespace nt
