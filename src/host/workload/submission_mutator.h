#pragma once

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/workload/gpu_submission.h"

namespace host {

// Changes of submissions, as a hostile client makes them: valid ones become wrong in one place or several. Chance is
// the seed's. Used on one thread at a time.
class SubmissionMutator {
 public:
  explicit SubmissionMutator(ScenarioEnvironment& environment) : environment_(environment) {}

  // One to three changes of what there is.
  void change(GpuSubmission& submission);
  // Of private data: a byte, a word, or its length.
  void change(std::vector<uint8_t>& bytes);

 private:
  void change_once(GpuSubmission& submission);
  void change_patch(GpuSubmission& submission);
  void change_lists(GpuSubmission& submission);
  void change_length(GpuSubmission& submission);
  // A number near `right`, or one that is often not expected.
  uint32_t odd_number(uint32_t right);
  uint32_t below(size_t count) { return environment_.choose(static_cast<uint32_t>(count)); }

  ScenarioEnvironment& environment_;
};

}  // namespace host
