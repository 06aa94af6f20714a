#include "kmt/memory/memory_groups.h"

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

}  // namespace kmt
