// A video stream's states. AVStream steps through them one by one, with the filter control mutex held.
#include "stream.h"

#pragma code_seg("PAGE")

namespace testcam {

// Only here the counts begin anew: they stay what they are from PAUSE to RUN and back.
NTSTATUS Stream::acquire() {
  PAGED_CODE();
  // InstancesPossible counts within one filter; another program's filter may have the channel.
  if (!attach(*camera_, channel_, *this)) return STATUS_DEVICE_BUSY;
  NTSTATUS status = ring_.allocate(camera_->dma, format_.bytes);
  if (!NT_SUCCESS(status)) {
    detach(*camera_, channel_);
    return status;
  }
  // A graph need not have a clock; then the frames have no times.
  if (!NT_SUCCESS(KsPinGetReferenceClockInterface(pin_, &clock_))) clock_ = nullptr;
  forget_pictures();
  return STATUS_SUCCESS;
}

void Stream::prepare() {
  PAGED_CODE();
  prepared_ = true;
  set_taking(true);
  control(*camera_, channel_, TESTCAM_CONTROL_PAUSE);
}

void Stream::run() {
  PAGED_CODE();
  control(*camera_, channel_, TESTCAM_CONTROL_RUN);
}

void Stream::pause() {
  PAGED_CODE();
  control(*camera_, channel_, TESTCAM_CONTROL_PAUSE);
}

void Stream::unprepare() {
  PAGED_CODE();
  if (!prepared_) return;
  prepared_ = false;
  stop_channel(*camera_, channel_);
  set_taking(false);
  give_up_frames();
}

void Stream::release() {
  PAGED_CODE();
  if (!acquired()) return;
  detach(*camera_, channel_);
  ring_.release();
  if (clock_ != nullptr) clock_->Release();
  clock_ = nullptr;
}

}  // namespace testcam
