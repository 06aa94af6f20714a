#include "umd/common/pending_commands.h"

#include <algorithm>

namespace umd {
namespace {

// The oldest draws count as submitted where more than these wait.
constexpr size_t kMostDraws = 4096;

bool knows_memory(const Resource& resource) { return resource.associated || resource.unnamed; }

}  // namespace

void PendingCommands::add(Work work, std::span<Resource* const> resources, const Count& before, bool several_contexts) {
  ++commands_;
  bool draws = work == Work::Draw;
  if (draws ? count_.drawing != before.drawing : count_.all != before.all) return;
  for (Resource* resource : resources) {
    if (resource && !resource->system_memory) resource->use.last_command = commands_;
  }
  if (draws && several_contexts) note_draw(resources);
}

void PendingCommands::note_draw(std::span<Resource* const> resources) {
  Draw draw{.memory = {}, .all_known = true};
  for (const Resource* resource : resources) {
    if (!resource || resource->system_memory) continue;
    draw.memory.push_back(resource->use.id);
    draw.all_known &= knows_memory(*resource);
  }
  if (draw.memory.empty()) return;
  if (draws_.size() == kMostDraws) draws_.erase(draws_.begin());
  draws_.push_back(std::move(draw));
}

void PendingCommands::submitted(const Submission& submission) {
  auto names = [&](uint64_t id) { return std::ranges::find(*submission.memory, id) != submission.memory->end(); };
  auto may_contain = [&](const Draw& draw) {
    if (!submission.can_draw) return false;
    return !submission.memory || !draw.all_known || std::ranges::any_of(draw.memory, names);
  };
  covered_ = commands_;
  std::erase_if(draws_, may_contain);
  ++count_.all;
  if (submission.can_draw) ++count_.drawing;
}

void PendingCommands::forget() {
  covered_ = commands_;
  draws_.clear();
}

bool PendingCommands::pending(const MemoryUse& use) const {
  auto uses_it = [&](const Draw& draw) { return std::ranges::find(draw.memory, use.id) != draw.memory.end(); };
  return use.last_command > covered_ || std::ranges::any_of(draws_, uses_it);
}

}  // namespace umd
