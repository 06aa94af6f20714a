#include "ks/pin/pin_process.h"

#include "ks/exports/callback.h"
#include "ks/stream/queue.h"

namespace ks {

bool PinProcess::ready() { return active() && queue_.ready(); }

ProcessLoop::Outcome PinProcess::run() {
  PFNKSPIN process = body_.Descriptor->Dispatch ? body_.Descriptor->Dispatch->Process : nullptr;
  if (!process) return ProcessLoop::Outcome::Wait;  // edited away
  return outcome_of(call(machine_, Ddi::PinProcess, scope_, process, &body_));
}

uint64_t PinProcess::progress() { return queue_.progress(); }

bool PinProcess::cloned() { return queue_.first_clone() != nullptr; }

}  // namespace ks
