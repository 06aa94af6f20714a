#pragma once

#include <cstdint>

namespace host {

// What a zygote is told: seeds [first, first + count) of one scenario. Plain bytes through a pipe.
struct BatchCommand {
  uint32_t scenario = 0;  // index in CheckOptions::scenarios
  uint64_t first = 0;
  uint64_t count = 0;
  uint32_t max_failing = 0;  // seeds; then the batch ends early
  bool keep_schedule = false;
  bool trace = false;  // the finding's history is wanted
  uint32_t fault = 0;  // make this failure happen; 0: none
  bool sweep = false;  // `first` and `count` number failures of `seed`, not seeds; number 0 is its run without any
  uint64_t seed = 0;   // of a sweep

  friend bool operator==(const BatchCommand&, const BatchCommand&) = default;
};

// Where a worker is, for the check, which reads it when the worker has died or hangs. In memory shared by all.
struct WorkerStatus {
  int32_t pid;
  uint64_t seed;       // the one that runs now, or the failure of a sweep
  uint64_t heartbeat;  // moves with every seed
};

// A seed with a loop that never ends takes seconds, and more of them say nothing new: it counts for so many failing
// ones besides itself.
inline constexpr uint32_t kHangingSeed = 9;

// How a worker ends that has said "end". Any other end is a death it did not plan.
inline constexpr int kWorkerDone = 0;
inline constexpr int kWorkerTainted = 10;  // what was found may have damaged the process: go on after `seed` in another
// A CHECK of ours failed.
inline constexpr int kWorkerOurFault = 3;

}  // namespace host
