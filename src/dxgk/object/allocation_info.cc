#include "dxgk/object/allocation_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "dxgk/adapter/adapter.h"
#include "vidmm/address/mapping.h"

namespace dxgk {
namespace {

using nt::Violation;

// Bits of DXGK_ALLOCATIONINFOFLAGS that mean the same in both versions of it.
constexpr uint32_t kCpuVisible = 0x1, kPermanentSysMem = 0x2, kCached = 0x4, kProtected = 0x8, kExistingSysMem = 0x10,
                   kExistingKernelSysMem = 0x20, kHistoryBuffer = 0x4000, kAccessedPhysically = 0x8000,
                   kExplicitResidencyNotification = 0x10000;
constexpr uint64_t kMostBytes = uint64_t{1} << 47;
constexpr uint32_t kReserved = 0xFFF80000;  // inputs of the kernel's (CA-20)
// Before WDDM 2.0. Two of these bits are no longer defined, the others have another meaning later.
constexpr uint32_t kUseAlternateVa = 0x400, kSynchronousPaging = 0x800, kLinkMirrored = 0x1000, kLinkInstanced = 0x2000;
constexpr uint32_t kMapApertureCpuVisible = 0x2000;  // from WDDM 2.9 on

// Bits that a driver of this version can only have meant as in WDDM 1.x.
uint32_t flags_of_the_past(uint32_t version) {
  if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_0) return 0;
  uint32_t gone = kSynchronousPaging | kLinkMirrored;
  if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_1) gone |= kUseAlternateVa;
  if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_9) gone |= kLinkInstanced;
  return gone;
}

// Judges one answer: reports every rule that it breaks, and remembers the first violation after which the call must
// fail.
class Judge {
 public:
  Judge(Adapter& adapter, const RequestedAllocations& requested) : adapter_(adapter), requested_(requested) {}

  void look_at(const DXGK_ALLOCATIONINFO& info, size_t index) {
    index_ = index;
    if (!info.hAllocation) {
      refuse(Violation::CreatedWithoutHandle, "hAllocation is NULL",
             "the driver created an allocation without a handle");
    }
    sizes(info);
    segments(info);
    visibility(info);
    flags(info.Flags.Value);
    flags_of_version(info.Flags.Value);
    memory(info.Flags.Value);
    bool has_flags2 = adapter_.caps().version >= DXGKDDI_INTERFACE_VERSION_WDDM3_0;
    if (has_flags2 && info.Flags2.ShareBackingStoreWithKmd) backing_store(info);
    if (info.AllocationPriority == 0) {
      tell(Violation::AllocationPriorityZero, "AllocationPriority is 0; KMD should set a non-zero initial priority");
    }
  }

  void duplicates(std::span<const DXGK_ALLOCATIONINFO> infos) {
    std::vector<HANDLE> handles;
    for (const auto& info : infos) handles.push_back(info.hAllocation);
    std::sort(handles.begin(), handles.end());
    auto twice = std::adjacent_find(handles.begin(), handles.end());
    if (twice != handles.end() && *twice) {
      refuse(Violation::CreatedWithSameHandle, "hAllocation is the same as another allocation's",
             "the driver gave two allocations the same handle");
    }
  }

  base::Result<> verdict() const {
    if (refusal_) return base::Failure(STATUS_INVALID_PARAMETER, refusal_);
    return {};
  }

 private:
  void sizes(const DXGK_ALLOCATIONINFO& info) {
    if (info.Size == 0)
      refuse(Violation::AllocationSizeWrong, "Size is 0", "the driver created an allocation of no size");
    if (info.Size > kMostBytes) {
      refuse(Violation::AllocationSizeWrong,
             fmt::format("Size is 0x{:X}, more than any processor can address", info.Size),
             "the driver created an allocation of a size that cannot be");
    }
    if (info.PitchAlignedSize && info.PitchAlignedSize < info.Size) {
      tell(Violation::AllocationSizeWrong,
           fmt::format("PitchAlignedSize {} is below Size {}", info.PitchAlignedSize, info.Size));
    }
  }

  void segments(const DXGK_ALLOCATIONINFO& info) {
    const AdapterCaps& caps = adapter_.caps();
    uint32_t supported = supported_by(info);
    if (supported & ~caps.segment_set()) {
      refuse(Violation::AllocationSegmentsWrong,
             fmt::format("a supported segment set (0x{:x}) names a segment that the adapter does not have", supported),
             "the driver named a segment that does not exist");
    }
    const auto& preferred = info.PreferredSegment;
    const uint32_t wanted[] = {preferred.SegmentId0, preferred.SegmentId1, preferred.SegmentId2, preferred.SegmentId3,
                               preferred.SegmentId4};
    for (uint32_t id : wanted) {
      if (id && id != caps.system_segment() && !(supported >> (id - 1) & 1)) {
        tell(Violation::AllocationSegmentsWrong,
             fmt::format("PreferredSegment names segment {}, which is not supported", id));
      }
    }
    if (caps.described_segments(info.EvictionSegmentSet) & ~caps.aperture_set()) {
      tell(Violation::EvictionSegmentsWrong,
           fmt::format("EvictionSegmentSet 0x{:x} names a segment that is no aperture", info.EvictionSegmentSet));
    }
    if (caps.wddm2() && info.SupportedReadSegmentSet && !info.SupportedWriteSegmentSet) {
      tell(
          Violation::WriteSegmentsMissing,
          fmt::format("SupportedReadSegmentSet is 0x{:x} and SupportedWriteSegmentSet 0; from WDDM 2.0 on the first is "
                      "ignored",
                      info.SupportedReadSegmentSet));
    }
  }

  uint32_t supported_by(const DXGK_ALLOCATIONINFO& info) const {
    const AdapterCaps& caps = adapter_.caps();
    return caps.described_segments(info.SupportedWriteSegmentSet | (caps.wddm2() ? 0 : info.SupportedReadSegmentSet));
  }

  // The aperture segments are system memory, which others can see.
  bool leaves_apertures(const DXGK_ALLOCATIONINFO& info) const {
    return supported_by(info) & ~adapter_.caps().aperture_set();
  }

  void visibility(const DXGK_ALLOCATIONINFO& info) {
    if (requested_.cross_adapter && leaves_apertures(info)) {
      tell(Violation::CrossAdapterWrong, "a cross-adapter resource can be paged in to aperture segments only");
    }
    if (requested_.shared && (info.Flags.Value & kCpuVisible) && leaves_apertures(info)) {
      refuse(Violation::SharedVisibleOutsideAperture,
             "Shareable can only be used in combination with CpuVisible if the supported segment set contains "
             "exclusively aperture segments",
             "a shared, CPU-visible allocation may live in aperture segments only");
    }
  }

  void flags(uint32_t value) {
    if ((value & (kPermanentSysMem | kCached | kHistoryBuffer)) && !(value & kCpuVisible)) {
      tell(Violation::AllocationFlagsWrong, "PermanentSysMem, Cached or HistoryBuffer is set without CpuVisible");
    }
    if ((value & kExplicitResidencyNotification) && !(value & kAccessedPhysically)) {
      tell(Violation::ResidencyNotificationAlone, "ExplicitResidencyNotification is set without AccessedPhysically");
    }
    if (value & kReserved) {
      tell(Violation::FlagsReserved, fmt::format("Flags is 0x{:08x}: reserved bits were changed", value));
    }
  }

  void flags_of_version(uint32_t value) {
    const AdapterCaps& caps = adapter_.caps();
    if (uint32_t past = value & flags_of_the_past(caps.version)) {
      tell(Violation::FlagsOfOtherVersion,
           fmt::format("0x{:x} is of DXGK_ALLOCATIONINFOFLAGS; from WDDM 2.0 on FlagsWddm2 counts", past));
    }
    if (!caps.wddm2() && (value & kUseAlternateVa) && !asked().primary) {
      refuse(Violation::AlternateVaWithoutPrimary, "UseAlternateVA is set, and it is no primary",
             "UseAlternateVA is for primaries only");
    }
    if (caps.version >= DXGKDDI_INTERFACE_VERSION_WDDM2_9 && (value & kMapApertureCpuVisible) &&
        !caps.driver.MemoryManagementCaps.MapAperture2Supported) {
      refuse(Violation::MapApertureUnsupported,
             "MapApertureCpuVisible is set, and MapAperture2Supported is not reported",
             "MapApertureCpuVisible needs MapAperture2Supported");
    }
  }

  // Where the memory comes from.
  void memory(uint32_t value) {
    uint32_t origin = value & (kProtected | kPermanentSysMem | kExistingSysMem | kExistingKernelSysMem);
    if (origin & (origin - 1)) {
      tell(Violation::FlagsExclusive,
           "Protected, PermanentSysMem, ExistingSysMem and ExistingKernelSysMem exclude each other");
    }
    if (asked().primary && (origin || (value & kCached))) {
      tell(Violation::PrimaryFlagsWrong,
           fmt::format("Flags is 0x{:x}; PermanentSysMem, Cached, Protected, ExistingSysMem and ExistingKernelSysMem "
                       "are not for a primary",
                       value));
    }
    // A driver learns it from the private data alone.
    if ((value & kExistingSysMem) && !asked().client_memory && !requested_.distrusted) {
      tell(Violation::ExistingMemoryMissing, "ExistingSysMem is set, and the client gave no memory");
    }
  }

  // The feature is enabled for no driver here: DxgkCbIsFeatureEnabled and DxgkCbQueryFeatureSupport say so.
  void backing_store(const DXGK_ALLOCATIONINFO& info) {
    const char* why = "the feature is not enabled";
    if (leaves_apertures(info)) why = "the allocation may leave the aperture segments";
    if (!requested_.shared) why = "the allocation is not shared";
    if (asked().client_memory) why = "the allocation's memory is the client's";
    refuse(Violation::BackingStoreWrong, fmt::format("ShareBackingStoreWithKmd is set, and {}", why),
           "the backing store cannot be shared with the driver");
  }

  const AllocationRequest& asked() const { return requested_.allocations[index_]; }

  void tell(Violation rule, const std::string& what) {
    adapter_.machine().report_violation(rule, fmt::format("DxgkDdiCreateAllocation, allocation {}: {}", index_, what));
  }
  void refuse(Violation rule, const std::string& what, const char* why) {
    tell(rule, what);
    if (!refusal_) refusal_ = why;
  }

  Adapter& adapter_;
  const RequestedAllocations& requested_;
  size_t index_ = 0;
  const char* refusal_ = nullptr;
};

}  // namespace

uint64_t alignment_of(uint32_t value, const AdapterCaps& caps) {
  uint32_t minimum = value & 0xFFFF, recommended = value >> 16;
  bool sizes = caps.wddm2() && std::has_single_bit(minimum) && std::has_single_bit(recommended);
  return sizes ? uint64_t{minimum} * vidmm::kPageBytes : value;
}

base::Result<> judge_allocation_infos(Adapter& adapter, std::span<const DXGK_ALLOCATIONINFO> infos,
                                      const RequestedAllocations& requested) {
  Judge judge(adapter, requested);
  for (size_t i = 0; i < infos.size(); ++i) judge.look_at(infos[i], i);
  if (infos.size() > 1) judge.duplicates(infos);
  return judge.verdict();
}

}  // namespace dxgk
