#pragma once

#include <cstdint>

#include "host/check.h"
#include "host/images.h"

namespace host {

// What a zygote is told: seeds [first, first + count) of one scenario. Plain bytes through a pipe.
struct BatchCommand {
  uint32_t scenario;  // index in CheckOptions::scenarios
  uint64_t first;
  uint64_t count;
  uint32_t max_failing;  // seeds; then the batch ends early
  bool keep_schedule;
  bool trace;      // the finding's history is wanted
  uint32_t fault;  // make this failure happen; 0: none
  bool sweep;      // `first` and `count` number failures of the options' first seed, not seeds
};

// Where a worker is, for whoever looks at it after it died or while it hangs. In memory shared by all.
struct WorkerStatus {
  int32_t pid;
  uint64_t seed;       // the one that runs now, or the failure of a sweep
  uint64_t heartbeat;  // moves with every seed
};

// A seed with a loop that never ends takes seconds, and more of them say nothing new: it counts for so many failing
// ones besides itself.
inline constexpr uint32_t kHangingSeed = 9;

// How a worker ends. Anything else is a death it did not plan.
inline constexpr int kWorkerDone = 0;
inline constexpr int kWorkerOurFault = 3;  // a CHECK of ours failed
inline constexpr int kWorkerTainted = 10;  // what was found may have damaged the process: go on after `seed` in another

// Runs a batch and writes one JSON object a line to `out`:
//   {"type":"seed","seed":…,"failing":…,"hash":…,"findings_hash":…}    a seed ended
//   {"type":"finding","seed":…,"finding":{…}}         something was found in it
//   {"type":"schedule","seed":…,"text":…}             what was chosen in it
//   {"type":"fault","place":…,"places":[…]}           a failure was injected there; places seen for the first time
//   {"type":"diverged","text":…}                      the schedule that was to be replayed does not fit
[[noreturn]] void run_worker(const Images& images, const CheckOptions& options, const BatchCommand& command, int out,
                             WorkerStatus* status);

}  // namespace host
