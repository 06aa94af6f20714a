#include "nt/io/io_request.h"

#include "base/sanitizer.h"
#include "nt/boundary/refuse.h"
#include "nt/io/irps.h"
#include "nt/ke/process.h"
#include "nt/machine/machine.h"

namespace nt {

IoRequest::~IoRequest() {
  State state = state_.load(std::memory_order_acquire);
  CHECK_MSG(state == State::Idle || state == State::Done, "a request is destroyed while a driver has its IRP");
}

NTSTATUS IoRequest::start(const Files::Control& control) {
  return start(control.file, machine_.files().build_control(control));
}

NTSTATUS IoRequest::start(const Files::Transfer& transfer) {
  return start(transfer.file, machine_.files().build_transfer(transfer));
}

NTSTATUS IoRequest::start(FILE_OBJECT& file, base::Result<IRP*> built) {
  if (!built.ok()) {
    status_ = {};
    status_.Status = refuse(machine_, built.failure());
    return status_.Status;
  }
  file_ = &file;
  machine_.files().reference(file);
  return send(machine_.files().target(file), *built.take());
}

NTSTATUS IoRequest::send(DEVICE_OBJECT& device, IRP& irp) {
  CHECK(!pending());
  status_ = {};
  process_ = machine_.self().process;
  if (process_) process_->add(*this);
  machine_.irps().set_end(irp, Irps::End::Request, this);
  {
    base::Guard guard(lock_);
    irp_ = &irp;
  }
  state_.store(State::Sent, std::memory_order_release);
  machine_.executor().yield(base::Point::Call);
  machine_.irps().call(device, irp);
  return pending() ? STATUS_PENDING : wait();
}

void IoRequest::cancel() {
  if (begin_cancel()) finish_cancel();
}

bool IoRequest::begin_cancel() {
  base::Guard guard(lock_);
  if (irp_) ++cancelling_;
  return irp_ != nullptr;
}

void IoRequest::finish_cancel() {
  IRP* irp;
  {
    base::Guard guard(lock_);
    irp = irp_;
  }
  if (irp) machine_.irps().cancel(*irp);
  IRP* ended = nullptr;
  {
    base::Guard guard(lock_);
    if (--cancelling_ == 0) ended = std::exchange(ended_irp_, nullptr);
  }
  if (!ended) return;
  machine_.irps().free(*ended);
  tell_done();
}

NTSTATUS IoRequest::wait(base::TimeNs deadline) {
  if (state_.load(std::memory_order_relaxed) == State::Idle) return status_.Status;  // it could not be sent
  base::Executor& executor = machine_.executor();
  IRP* irp = nullptr;
  if (deadline == base::kForever) {
    base::Guard guard(lock_);
    irp = irp_;
  }
  RequestWaits::Wait waits(machine_.irps().waits(), irp);
  for (bool late = false;;) {
    {
      base::Guard guard(lock_);
      waiter_ = nullptr;
      if (state_.load(std::memory_order_acquire) == State::Done) {
        base::happens_after(this);
        return status_.Status;
      }
      if (late) return STATUS_TIMEOUT;
      waiter_ = base::Executor::current();
    }
    late = executor.park(deadline, base::Point::Wait) == base::Wake::Deadline;
  }
}

void IoRequest::finished(IRP& irp, const IO_STATUS_BLOCK& status) {
  status_ = status;
  if (process_) std::exchange(process_, nullptr)->remove(*this);
  if (FILE_OBJECT* file = std::exchange(file_, nullptr)) machine_.files().dereference_anywhere(*file);
  bool cancelled_now;
  {
    base::Guard guard(lock_);
    irp_ = nullptr;
    cancelled_now = cancelling_ != 0;
    if (cancelled_now) ended_irp_ = &irp;
  }
  if (cancelled_now) return;  // the thread in cancel() frees the IRP and ends the request
  machine_.irps().free(irp);
  tell_done();
}

void IoRequest::tell_done() {
  base::happens_before(this);
  state_.store(State::Ended, std::memory_order_release);
  if (on_done_) on_done_();
  base::Executor& executor = machine_.executor();  // once it is done the owner may destroy it
  base::Task* waiter;
  {
    base::Guard guard(lock_);
    waiter = std::exchange(waiter_, nullptr);
    state_.store(State::Done, std::memory_order_release);
  }
  if (waiter) executor.unpark(*waiter);
}

}  // namespace nt
