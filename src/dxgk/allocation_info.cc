#include "dxgk/allocation_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dxgk/adapter.h"

namespace dxgk {
namespace {

using nt::Broke;

// Bits of DXGK_ALLOCATIONINFOFLAGS that mean the same in both versions of it.
constexpr uint32_t kCpuVisible = 0x1, kPermanentSysMem = 0x2, kCached = 0x4, kProtected = 0x8, kExistingSysMem = 0x10,
                   kExistingKernelSysMem = 0x20, kHistoryBuffer = 0x4000, kAccessedPhysically = 0x8000,
                   kExplicitResidencyNotification = 0x10000;
constexpr uint32_t kReserved = 0xFFF80000;  // inputs of the kernel's (CA-20)

// Judges one answer; tells every rule it breaks and remembers the first that nobody could go on with.
class Judge {
 public:
  Judge(Adapter& adapter, const AllocationWish& wish) : adapter_(adapter), wish_(wish) {}

  void look_at(const DXGK_ALLOCATIONINFO& info, size_t index) {
    index_ = index;
    if (!info.hAllocation) {
      refuse(Broke::CreatedWithoutHandle, "hAllocation is NULL", "the driver created an allocation without a handle");
    }
    sizes(info);
    segments(info);
    flags(info);
    if (info.AllocationPriority == 0) {
      tell(Broke::AllocationPriorityZero, "AllocationPriority is 0; KMD should set a non-zero initial priority");
    }
  }

  void duplicates(std::span<const DXGK_ALLOCATIONINFO> infos) {
    std::vector<HANDLE> handles;
    for (const auto& info : infos) handles.push_back(info.hAllocation);
    std::sort(handles.begin(), handles.end());
    auto twice = std::adjacent_find(handles.begin(), handles.end());
    if (twice != handles.end() && *twice) {
      refuse(Broke::CreatedWithSameHandle, "hAllocation is the same as another allocation's",
             "the driver gave two allocations the same handle");
    }
  }

  base::Result<> verdict() const {
    if (refusal_) return base::Failure(STATUS_INVALID_PARAMETER, refusal_);
    return {};
  }

 private:
  void sizes(const DXGK_ALLOCATIONINFO& info) {
    if (info.Size == 0) refuse(Broke::AllocationSizeWrong, "Size is 0", "the driver created an allocation of no size");
    if (info.PitchAlignedSize && info.PitchAlignedSize < info.Size) {
      tell(Broke::AllocationSizeWrong,
           fmt::format("PitchAlignedSize {} is below Size {}", info.PitchAlignedSize, info.Size));
    }
  }

  void segments(const DXGK_ALLOCATIONINFO& info) {
    const AdapterCaps& caps = adapter_.caps();
    uint32_t all = caps.segment_set();
    uint32_t supported = info.SupportedWriteSegmentSet | (caps.wddm2() ? 0 : info.SupportedReadSegmentSet);
    if (supported & ~all) {
      refuse(Broke::AllocationSegmentsWrong,
             fmt::format("a supported segment set (0x{:x}) names a segment that the adapter does not have", supported),
             "the driver named a segment that does not exist");
    }
    const auto& preferred = info.PreferredSegment;
    const uint32_t wanted[] = {preferred.SegmentId0, preferred.SegmentId1, preferred.SegmentId2, preferred.SegmentId3,
                               preferred.SegmentId4};
    for (uint32_t id : wanted) {
      if (id && !(supported >> (id - 1) & 1)) {
        tell(Broke::AllocationSegmentsWrong,
             fmt::format("PreferredSegment names segment {}, which is not supported", id));
      }
    }
    if (info.EvictionSegmentSet & ~caps.aperture_set()) {
      tell(Broke::AllocationSegmentsWrong,
           fmt::format("EvictionSegmentSet 0x{:x} names a segment that is no aperture", info.EvictionSegmentSet));
    }
    if (wish_.shared && (info.Flags.Value & kCpuVisible) && (supported & ~caps.aperture_set())) {
      refuse(Broke::SharedVisibleOutsideAperture,
             "Shareable can only be used in combination with CpuVisible if the supported segment set contains "
             "exclusively aperture segments",
             "a shared, CPU-visible allocation may live in aperture segments only");
    }
  }

  void flags(const DXGK_ALLOCATIONINFO& info) {
    uint32_t value = info.Flags.Value;
    if ((value & (kPermanentSysMem | kCached | kHistoryBuffer)) && !(value & kCpuVisible)) {
      tell(Broke::AllocationFlagsWrong, "PermanentSysMem, Cached or HistoryBuffer is set without CpuVisible");
    }
    uint32_t exclusive = value & (kProtected | kPermanentSysMem | kExistingSysMem | kExistingKernelSysMem);
    if (exclusive & (exclusive - 1)) {
      tell(Broke::AllocationFlagsWrong,
           "Protected, PermanentSysMem, ExistingSysMem and ExistingKernelSysMem exclude each other");
    }
    if ((value & kExplicitResidencyNotification) && !(value & kAccessedPhysically)) {
      tell(Broke::AllocationFlagsWrong, "ExplicitResidencyNotification is set without AccessedPhysically");
    }
    if (value & kReserved) tell(Broke::AllocationFlagsWrong, "a reserved bit of Flags was changed");
  }

  void tell(Broke rule, const std::string& what) {
    adapter_.machine().broke(rule, fmt::format("DxgkDdiCreateAllocation, allocation {}: {}", index_, what));
  }
  void refuse(Broke rule, const std::string& what, const char* why) {
    tell(rule, what);
    if (!refusal_) refusal_ = why;
  }

  Adapter& adapter_;
  const AllocationWish& wish_;
  size_t index_ = 0;
  const char* refusal_ = nullptr;
};

}  // namespace

base::Result<> judge_allocation_infos(Adapter& adapter, std::span<const DXGK_ALLOCATIONINFO> infos,
                                      const AllocationWish& wish) {
  Judge judge(adapter, wish);
  for (size_t i = 0; i < infos.size(); ++i) judge.look_at(infos[i], i);
  if (infos.size() > 1) judge.duplicates(infos);
  return judge.verdict();
}

}  // namespace dxgk
