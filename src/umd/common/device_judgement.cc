// What is judged when a function of the driver returns: how it handled the answers of its callbacks.
#include <fmt/format.h>

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback.h"

namespace umd {
namespace {

constexpr uint32_t kPolling = 4;  // batches in a row

}  // namespace

void Device::answered(Callback callback, HRESULT result) {
  Frame* caller = frame();
  if (!caller) return;
  if (SUCCEEDED(result) || result == E_PENDING) {
    caller->pending |= result == E_PENDING;
    for (Frame::Failed& failed : caller->failed) failed.repaired |= failed.callback == callback;
    return;
  }
  caller->failed.push_back({callback, result, false});
  if (result == D3DDDIERR_DEVICEREMOVED) explain_loss();
  // How the driver reacts is not judged. It may have to drop its batch, and then needs no submission.
  RuntimeGuard guard(runtime.lock);
  commands_.forget();
  written_.clear();
}

// Documented in "Returning Error Codes Received from Runtime Functions": a driver hands on what a callback returned,
// and may only go without memory that it wanted and did not need. A call that succeeded at the second attempt is not
// judged, and neither is one that said to wait. Functions that destroy cannot return an error.
void Device::judge_errors(Frame& frame, HRESULT result) {
  judge_discard(frame, result);
  if (result == E_PENDING) pending_taken_for_failure(frame);
  if (frame.failed.empty() || frame.found || frame.role == Role::Destroy || frame.role == Role::DestroyDevice) return;
  const Frame::Failed* swallowed = nullptr;
  for (const Frame::Failed& failed : frame.failed) {
    if (failed.result == result) return;
    bool harmless = failed.result == E_OUTOFMEMORY || failed.result == D3DERR_OUTOFVIDEOMEMORY ||
                    failed.result == D3DDDIERR_WASSTILLDRAWING;
    if (!failed.repaired && (!harmless || FAILED(result))) swallowed = &failed;
  }
  if (!swallowed) return;
  bool removed = swallowed->result == D3DDDIERR_DEVICEREMOVED;
  report_violation(removed ? nt::Violation::UmdRemovedSwallowed : nt::Violation::UmdErrorChanged,
                   fmt::format("{} returned {} after {} had returned {}", frame.name, name_of(result),
                               name_of(swallowed->callback), name_of(swallowed->result)));
}

// pfnLockCb's page: flush, and try once more with Discard and NoExistingReference. A driver that got the memory some
// other way is not judged, and neither is one that failed in the attempt.
void Device::judge_discard(Frame& frame, HRESULT result) {
  if (!frame.discard_busy || frame.found || SUCCEEDED(result)) return;
  const Frame::Failed& last = frame.failed.back();
  if (last.callback != Callback::Lock || last.result != D3DDDIERR_WASSTILLDRAWING) return;
  report_violation(nt::Violation::UmdDiscardNotRetried,
                   fmt::format("{} returned {} after pfnLockCb with Discard had been busy, and did not try again with "
                               "NoExistingReference",
                               frame.name, name_of(result)));
}

void Device::judge_wait(const Frame& frame) {
  if (frame.may_wait || !frame.waited || frame.found) return;
  report_violation(nt::Violation::UmdWaitedUnasked,
                   fmt::format("{} shall not wait, and waited for the GPU in a callback", frame.name));
}

// E_PENDING is no result of any function of a driver; a driver that got it from another source is not judged here.
void Device::pending_taken_for_failure(const Frame& frame) {
  if (!frame.pending || frame.found) return;
  report_violation(
      nt::Violation::UmdPendingTakenForFailure,
      fmt::format("{} failed with E_PENDING, which a callback had answered: its work is on its way, and a paging "
                  "fence says when it is done",
                  frame.name));
}

// The kernel is asked once, inside of the callback that told the driver. Where failures are injected, paging may fail
// too; that the GPU finds no memory is then no violation of the driver's.
void Device::explain_loss() {
  {
    RuntimeGuard guard(runtime.lock);
    if (std::exchange(loss_explained_, true)) return;
  }
  D3DKMT_GETDEVICESTATE args{};
  args.hDevice = kernel_;
  args.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  if (kmt::GetDeviceState(client_, &args) < 0) return;
  bool excused = machine().broken() || machine().observer().wants_faults();
  if (args.ExecutionState != D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT || excused) return;
  report_violation(nt::Violation::UmdCommandsFaulted,
                   "the device is lost: the GPU met a page fault in commands that the driver had submitted");
}

// --- Escapes that stop the GPU ---

void Device::note_hardware_access() {
  RuntimeGuard guard(runtime.lock);
  accessed_hardware_ = true;
}

void Device::batch_ended() {
  {
    RuntimeGuard guard(runtime.lock);
    batches_with_access_ = std::exchange(accessed_hardware_, false) ? batches_with_access_ + 1 : 0;
    if (batches_with_access_ != kPolling) return;
  }
  report_violation(
      nt::Violation::UmdHardwareAccessPolled,
      fmt::format("each of the last {} batches came with an escape with HardwareAccess, for which the whole adapter "
                  "goes idle",
                  kPolling));
}

}  // namespace umd
