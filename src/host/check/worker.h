#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "host/check/batch.h"
#include "host/check/check.h"
#include "host/check/zygote.h"
#include "host/run/images.h"
#include "host/run/run_seed.h"

namespace host {

// Runs single seeds for a batch. Implemented over a driver's images, and by tests.
class SeedRunner {
 public:
  virtual SeedResult run(const Scenario& scenario, uint64_t seed, const SeedOptions& options) = 0;
  // Of the last run, or of the one that is under way.
  virtual std::span<const verifier::Finding> findings() const = 0;
  // Why that run cannot go on: a rule that is off ended it. Empty: it can, or something was found.
  virtual std::string unfinished() const { return {}; }
  virtual std::string build_id() const = 0;

 protected:
  ~SeedRunner() = default;
};

// Runs a batch, writes one JSON object a line to `out`, and returns what the process ends with:
//   {"type":"seed","seed":…,"failing":…,"hash":…,"findings_hash":…}
//                                                     a seed ended; where it is so also "hung", "warned", "activity",
//                                                     and as sentences "skipped", "idle" and "incomplete"
//   {"type":"finding","seed":…,"finding":{…}}         something was found in it
//   {"type":"schedule","seed":…,"text":…}             what was chosen in it
//   {"type":"fault","place":…,"places":[…]}           a failure was injected there; places seen for the first time; and
//                                                     "incomplete" where a rule that is off ended the run
//   {"type":"stopped"}                                the seed of a sweep stops at a finding of its own
//   {"type":"diverged","text":…}                      the schedule that was to be replayed does not fit
//   {"type":"trace","text":…}                         the trace could not be written
//   {"type":"error","text":…}                         the batch cannot be run at all
//   {"type":"end"}                                    the worker ends now, as it planned
int run_batch(SeedRunner& runner, const CheckOptions& options, const BatchCommand& command, int out,
              WorkerStatus& status);

// A worker's process: the driver's images, and batches over them.
class DriverWorker final : public ZygoteBody {
 public:
  // `options` outlive it.
  explicit DriverWorker(const CheckOptions& options) : options_(options) {}

  bool load(std::string* error) override;
  [[noreturn]] void run(const BatchCommand& command, int out, WorkerStatus& status) override;

 private:
  const CheckOptions& options_;
  std::optional<Images> images_;
};

}  // namespace host
