#include "kmt/memory_groups.h"

#include <algorithm>

namespace kmt {

MemoryGroups memory_groups(const dxgk::AdapterCaps& caps) {
  MemoryGroups groups;
  for (const dxgk::Segment& segment : caps.segments) {
    if (segment.aperture) {
      groups.non_local += segment.commit_limit ? std::min(segment.commit_limit, segment.size) : segment.size;
    } else {
      groups.local += segment.size;
    }
  }
  return groups;
}

MemoryBudget memory_budget(const MemoryGroups& groups, D3DKMT_MEMORY_SEGMENT_GROUP group, uint64_t used) {
  bool local = group == D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
  MemoryBudget answer;
  answer.budget = local ? groups.local : groups.non_local;
  bool used_here = local == (groups.local != 0);
  answer.usage = used_here ? std::min(used, answer.budget) : 0;
  answer.available_for_reservation = answer.budget / 2;
  return answer;
}

}  // namespace kmt
