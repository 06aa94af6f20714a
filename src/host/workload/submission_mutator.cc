#include "host/workload/submission_mutator.h"

#include <algorithm>
#include <cstring>

namespace host {

uint32_t SubmissionMutator::odd_number(uint32_t right) {
  switch (environment_.choose(8)) {
    case 0:
      return 0;
    case 1:
      return ~uint32_t{0};
    case 2:
      return 0x7FFFFFFF;
    case 3:
      return right + 1;
    case 4:
      return right - 1;
    case 5:
      return right ^ (1u << environment_.choose(32));
    case 6:
      return right + 4 * (1 + environment_.choose(1024));
    default:
      return environment_.choose(0x7FFFFFFF);
  }
}

void SubmissionMutator::change(std::vector<uint8_t>& bytes) {
  uint32_t word = 0;
  if (bytes.empty() || environment_.choose(4) == 0) {
    bytes.resize(environment_.perhaps() ? below(bytes.size() + 1) : bytes.size() + 1 + environment_.choose(64));
  } else if (bytes.size() >= sizeof(word) && environment_.choose(4) != 0) {
    uint8_t* at = bytes.data() + sizeof(word) * below(bytes.size() / sizeof(word));
    std::memcpy(&word, at, sizeof(word));
    word = odd_number(word);
    std::memcpy(at, &word, sizeof(word));
  } else {
    bytes[below(bytes.size())] ^= static_cast<uint8_t>(1u << environment_.choose(8));
  }
}

void SubmissionMutator::change_patch(GpuSubmission& submission) {
  D3DDDI_PATCHLOCATIONLIST& patch = submission.patches[below(submission.patches.size())];
  auto commands = static_cast<uint32_t>(submission.commands.size());
  switch (environment_.choose(5)) {
    case 0:
      patch.PatchOffset = environment_.perhaps() ? odd_number(commands) : odd_number(patch.PatchOffset);
      break;
    case 1:
      patch.AllocationIndex = odd_number(static_cast<uint32_t>(submission.allocations.size()));
      break;
    case 2:
      patch.AllocationOffset = odd_number(patch.AllocationOffset);
      break;
    case 3:
      patch.SlotId = odd_number(patch.SlotId) & 0xFFFFFF;
      break;
    default:
      patch.DriverId = odd_number(patch.DriverId);
  }
}

void SubmissionMutator::change_lists(GpuSubmission& submission) {
  std::vector<D3DDDI_PATCHLOCATIONLIST>& patches = submission.patches;
  switch (environment_.choose(4)) {
    case 0:
      patches.pop_back();
      break;
    case 1:
      patches.push_back(patches[below(patches.size())]);
      break;
    case 2:
      std::swap(patches.front(), patches.back());
      break;
    default:
      if (!submission.allocations.empty()) submission.allocations.pop_back();
  }
}

// Shorter, or with what lay in the buffer before.
void SubmissionMutator::change_length(GpuSubmission& submission) {
  submission.command_bytes = below(submission.commands.size() + 64);
}

void SubmissionMutator::change_once(GpuSubmission& submission) {
  switch (environment_.choose(6)) {
    case 0:
      return change_length(submission);
    case 1:
      return change(submission.private_data);
    case 2:
    case 3:
      if (!submission.patches.empty()) return change_patch(submission);
      break;
    case 4:
      if (!submission.patches.empty()) return change_lists(submission);
      break;
    default:
      break;
  }
  std::vector<uint8_t> changed = submission.commands;
  change(changed);
  changed.resize(submission.commands.size());
  submission.commands = std::move(changed);
}

void SubmissionMutator::change(GpuSubmission& submission) {
  for (uint32_t i = 1 + environment_.choose(3); i > 0; --i) change_once(submission);
}

}  // namespace host
