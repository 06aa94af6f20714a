#pragma once

#include <atomic>
#include <functional>

#include "base/executor.h"
#include "base/mutex.h"
#include "nt/io/file_objects.h"

namespace nt {

// One request that a program, or the kernel itself, has sent to a device and can wait for or cancel. Owned by the
// requester and not destroyed while it is pending. start() and wait() by one thread at a time; cancel() by any, as long
// as the owner keeps it. The thread that completes the IRP ends it.
class IoRequest {
 public:
  explicit IoRequest(Machine& machine) : machine_(machine) {}
  ~IoRequest();
  IoRequest(const IoRequest&) = delete;
  IoRequest& operator=(const IoRequest&) = delete;

  // Called once for each start, on the thread that completes the IRP, at DISPATCH_LEVEL or below; status() is known
  // then and wait() has not returned. Set before start().
  void on_done(std::function<void()> done) { on_done_ = std::move(done); }

  // STATUS_PENDING, or how it ended. May be started again once it has ended.
  NTSTATUS start(const Files::Control& control);
  NTSTATUS start(const Files::Transfer& transfer);
  // The same for an IRP that was made by hand; from here on it is the I/O manager's.
  NTSTATUS send(DEVICE_OBJECT& device, IRP& irp);
  // Whether the driver got it: a request that could not be built never did.
  bool sent() const { return state_.load(std::memory_order_acquire) != State::Idle; }
  bool pending() const { return state_.load(std::memory_order_acquire) == State::Sent; }
  // Asks the driver to give up; it still has to be waited for.
  void cancel();
  // How it ended, or STATUS_TIMEOUT.
  NTSTATUS wait(base::TimeNs deadline = base::kForever);
  const IO_STATUS_BLOCK& status() const { return status_; }

 private:
  friend class Irps;
  friend class Process;
  enum class State : uint8_t { Idle, Sent, Ended, Done };  // Done: on_done has run, the waiter is woken

  NTSTATUS start(FILE_OBJECT& file, base::Result<IRP*> built);
  // Called by the I/O manager: frees the IRP, then ends the request.
  void finished(IRP& irp, const IO_STATUS_BLOCK& status);
  void tell_done();
  // Between these two calls the IRP is not freed and the request does not end. False: it has ended already.
  bool begin_cancel();
  void finish_cancel();

  Machine& machine_;
  std::function<void()> on_done_;
  std::atomic<State> state_{State::Idle};
  IO_STATUS_BLOCK status_{};
  FILE_OBJECT* file_ = nullptr;  // referenced while it is pending
  Process* process_ = nullptr;   // can cancel the request while it is pending
  base::Mutex<base::LockRank::Fence> lock_;
  IRP* irp_ GUARDED_BY(lock_) = nullptr;
  uint32_t cancelling_ GUARDED_BY(lock_) = 0;
  IRP* ended_irp_ GUARDED_BY(lock_) = nullptr;  // ended while it was being cancelled
  base::Task* waiter_ GUARDED_BY(lock_) = nullptr;
};

}  // namespace nt
