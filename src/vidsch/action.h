#pragma once

#include <cstdint>

#include "base/executor.h"
#include "vidsch/packet.h"

namespace vidsch {

// Whether what a driver said can be true. A violation carries parameter 1 of bug check 0x119
// (VIDEO_SCHEDULER_INTERNAL_ERROR) and a sentence. What an interrupt said is then ignored; for the
// worker's calls see there.
struct [[nodiscard]] Verdict {
  uint32_t parameter = 0;
  const char* sentence = nullptr;

  bool fine() const { return sentence == nullptr; }
};

enum ViolationReport : uint32_t {
  kInvalidFence = 0x1,
  kFaultedSystemCommand = 0x5,
  kInvalidNodeMask = 0x8,
  kInvalidAbortedFence = 0xA,
  kFatalPageFault = 0xC,
  kInvalidPageFault = 0xD,
};

// What the worker is to do next. The worker does it and then answers, before it asks again:
struct Action {
  enum class Kind : uint8_t {
    None,        // sleep until Scheduler::next_deadline() or until something happens
    Submit,      // `packet` with `fence`; then submitted()
    Cancel,      // DxgkDdiCancelCommand for `packet`; then cancelled()
    Preempt,     // DxgkDdiPreemptCommand on `node` with `fence`; no answer but the interrupt
    QueryFence,  // DxgkDdiQueryCurrentFence on `node`: an interrupt may have been lost; no answer but the interrupt
    QueryDependents,  // DxgkDdiQueryDependentEngineGroup for `node`; then dependents()
    ResetEngine,      // DxgkDdiResetEngine on `node`, DPCs flushed before; then engine_reset()
    ResetAdapter,     // DxgkDdiResetFromTimeout … DxgkDdiRestartFromTimeout; then adapter_reset_done()
    Unanswered,       // a note: the driver never answered preemption `fence` on `node`, and its hardware is idle
    BugCheck,         // `code` with `parameter`, because of `sentence`; the scheduler does nothing more
  };

  Kind kind = Kind::None;
  uint32_t node = 0;
  FenceId fence = 0;
  Packet* packet = nullptr;   // Submit, Cancel; ResetEngine, ResetAdapter: the one that timed out, or null
  base::TimeNs deadline = 0;  // ResetAdapter: when every thread must have left the driver (TdrDdiDelay)
  bool timed_out = false;     // QueryDependents, ResetAdapter: the first of a recovery that was not requested
  uint32_t code = 0;
  uint32_t parameter = 0;
  const char* sentence = nullptr;
};

}  // namespace vidsch
