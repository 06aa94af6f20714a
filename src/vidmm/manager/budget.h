#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace vidmm {

class Budgets;
class DeviceResidency;

// Segments are counted in two groups (D3DKMT_MEMORY_SEGMENT_GROUP).
enum class MemoryGroup : uint8_t { Local, NonLocal };
inline constexpr size_t kMemoryGroups = 2;

// What D3DKMTQueryVideoMemoryInfo tells.
struct VideoMemoryInfo {
  uint64_t budget = 0;
  uint64_t usage = 0;
  uint64_t reservation = 0;
  uint64_t available_for_reservation = 0;
};

// A device that should give memory back (TrimToBudget), and how much of it.
struct TrimRequest {
  DeviceResidency* device;
  uint64_t bytes;
};

// What one process has on the residency lists of its devices. One for each process on an adapter; it outlives those
// devices. Guarded by the manager's lock.
class ProcessMemory {
 public:
  explicit ProcessMemory(Budgets& budgets, uint32_t ordinal = 0);
  ~ProcessMemory();
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  uint64_t usage(MemoryGroup group) const { return usage_[static_cast<size_t>(group)]; }
  uint64_t reservation(MemoryGroup group) const { return reservation_[static_cast<size_t>(group)]; }
  uint32_t ordinal() const { return ordinal_; }

 private:
  friend class Budgets;

  Budgets& budgets_;
  uint32_t ordinal_;
  std::array<uint64_t, kMemoryGroups> usage_{};
  std::array<uint64_t, kMemoryGroups> reservation_{};
  uint64_t round_ = 0;
};

// How the memory of each group is shared out between processes. Owned by the manager.
//
// Documented is that a budget is imposed only under pressure, and what the four numbers are called; the sums are our
// policy. No process has to make room for more than an equal share (or a reservation, if that is larger):
//
//   budget(p)    = capacity − Σ over the others of min(usage, max(capacity / processes, reservation)), at least
//                  p's own reservation
//   available(p) = capacity / 2 − Σ reservations of the others
class Budgets {
 public:
  void set_capacity(MemoryGroup group, uint64_t bytes) { capacity_[index(group)] = bytes; }
  uint64_t capacity(MemoryGroup group) const { return capacity_[index(group)]; }
  // No budget is larger than this (the verifier's restricted budget). 0: no restriction.
  void restrict_to(MemoryGroup group, uint64_t bytes) { restriction_[index(group)] = bytes; }
  bool restricted(MemoryGroup group) const { return restriction_[index(group)] != 0; }

  VideoMemoryInfo query(const ProcessMemory& process, MemoryGroup group) const;
  uint64_t budget(const ProcessMemory& process, MemoryGroup group) const;
  // By how much the process is over its budget, both groups together.
  uint64_t excess(const ProcessMemory& process) const;
  // STATUS_INVALID_PARAMETER when it is more than there is to reserve.
  base::Result<> set_reservation(ProcessMemory& process, MemoryGroup group, uint64_t bytes);

  void charge(ProcessMemory& process, MemoryGroup group, uint64_t bytes) { process.usage_[index(group)] += bytes; }
  void discharge(ProcessMemory& process, MemoryGroup group, uint64_t bytes);
  // For walks over a block's users that should meet each process once: true the first time in a round.
  bool first_in_round(ProcessMemory& process, uint64_t round);

  std::span<ProcessMemory* const> processes() const { return processes_; }

 private:
  friend class ProcessMemory;

  static size_t index(MemoryGroup group) { return static_cast<size_t>(group); }
  uint64_t available(const ProcessMemory& process, MemoryGroup group) const;

  std::vector<ProcessMemory*> processes_;  // in the order of their creation
  std::array<uint64_t, kMemoryGroups> capacity_{};
  std::array<uint64_t, kMemoryGroups> restriction_{};
};

}  // namespace vidmm
