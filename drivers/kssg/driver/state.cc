// The stream's states. AVStream steps through them one by one, with the filter control mutex held.
#include "stream.h"

#pragma code_seg("PAGE")

namespace kssg {

// Another filter of the same device may have a pin too. Only here the counts begin anew: they stay what they are from
// PAUSE to RUN and back.
NTSTATUS Stream::acquire() {
  PAGED_CODE();
  if (InterlockedExchange(&grabber_->acquired, 1) != 0) return STATUS_DEVICE_BUSY;
  NTSTATUS status = ring_.allocate(grabber_->dma);
  if (!NT_SUCCESS(status)) {
    InterlockedExchange(&grabber_->acquired, 0);
    return status;
  }
  // A graph need not have a clock; then the frames have no times.
  if (!NT_SUCCESS(KsPinGetReferenceClockInterface(pin_, &clock_))) clock_ = nullptr;
  counts_ = {};
  discontinuity_ = false;
  last_time_ = 0;
  return STATUS_SUCCESS;
}

void Stream::run() {
  PAGED_CODE();
  running_ = true;
  attach(*grabber_, *this);
  lock_frames();
}

void Stream::pause() {
  PAGED_CODE();
  if (!running_) return;
  running_ = false;
  set_taking(false);
  detach(*grabber_);
  unlock_frames();
}

void Stream::release() {
  PAGED_CODE();
  if (!acquired()) return;
  ring_.release();
  InterlockedExchange(&grabber_->acquired, 0);
  if (clock_ != nullptr) clock_->Release();
  clock_ = nullptr;
}

}  // namespace kssg
