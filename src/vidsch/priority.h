#pragma once

#include <algorithm>
#include <cstdint>

namespace vidsch {

// Which context goes first at a node: the higher level always. 0 to 31 are clients', with 16 to 31 for the real-time
// class.
using Level = uint8_t;
inline constexpr Level kLevels = 64;       // one bit each in a run queue
inline constexpr Level kSystemLevel = 63;  // the memory manager's paging
inline constexpr Level kNormalLevel = 8;

// In the order of D3DKMT_SCHEDULINGPRIORITYCLASS.
enum class ProcessClass : uint8_t { Idle, BelowNormal, Normal, AboveNormal, High, Realtime };

// A process's class and the priority of a context in its process (-7 to +7) as one level. How Windows folds the two is
// not documented; the policy here is that of its CPU scheduler ("Scheduling Priorities"): a base level for each class,
// and real time never mixes with the rest.
constexpr Level fold_priority(ProcessClass process, int in_process) {
  constexpr int kBase[] = {4, 6, 8, 10, 13, 24};
  const bool realtime = process == ProcessClass::Realtime;
  const int level = kBase[static_cast<int>(process)] + std::clamp(in_process, -7, 7);
  return static_cast<Level>(std::clamp(level, realtime ? 16 : 1, realtime ? 31 : 15));
}

}  // namespace vidsch
