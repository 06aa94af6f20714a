#include "dxgk/adapter/caps_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/raw_enum.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/ddi/driver.h"
#include "nt/mm/physical_windows.h"

namespace dxgk {
namespace {

constexpr uint32_t kMostNodes = 64;  // what the scheduler takes (vidsch)

// A rule and when it is broken; whether it applies to the driver at all stands in its row.
struct Check {
  CapsRule rule;
  bool (*broken)(const CapsFacts& facts);
};

bool in_version(const CapsFacts& facts, InterfaceVersion since) {
  return static_cast<uint32_t>(since) <= facts.caps.version;
}

bool applies(CapsRule rule, const CapsFacts& facts) {
  return row(rule).kinds.has(facts.caps.kind) && in_version(facts, row(rule).since);
}

const char* missing_slot(CapsRule rule, const CapsFacts& facts) {
  for (const CapsSlot& slot : kCapsSlots) {
    if (slot.rule == rule && !fills(facts.table, slot.ddi)) return row(slot.ddi).name;
  }
  return nullptr;
}

bool calls_for_slots(CapsRule rule) {
  return std::any_of(std::begin(kCapsSlots), std::end(kCapsSlots),
                     [&](const CapsSlot& slot) { return slot.rule == rule; });
}

// A rule with slots is broken when its capability is there and one of the slots is not.
std::optional<CapsViolation> first_broken(std::span<const Check> checks, const CapsFacts& facts) {
  for (const Check& check : checks) {
    if (!applies(check.rule, facts) || !check.broken(facts)) continue;
    if (!calls_for_slots(check.rule)) return CapsViolation{check.rule, {}};
    if (const char* slot = missing_slot(check.rule, facts)) return CapsViolation{check.rule, slot};
  }
  return std::nullopt;
}

// --- The table ---

// Functions that the kernel calls without checking whether they are there.
constexpr Ddi kIndispensable[] = {Ddi::CreateDevice,   Ddi::DestroyDevice,    Ddi::CreateContext,
                                  Ddi::DestroyContext, Ddi::CreateAllocation, Ddi::DestroyAllocation,
                                  Ddi::OpenAllocation, Ddi::CloseAllocation,  Ddi::BuildPagingBuffer};

bool indispensable(Ddi ddi) {
  return std::find(std::begin(kIndispensable), std::end(kIndispensable), ddi) != std::end(kIndispensable);
}

std::optional<CapsViolation> slot_missing(const CapsFacts& facts) {
  for (size_t i = 0; i < kDdiCount; ++i) {
    auto ddi = static_cast<Ddi>(i);
    const DdiRow& slot = row(ddi);
    if (!slot.needed.has(facts.caps.kind) || !in_version(facts, slot.since) || fills(facts.table, ddi)) continue;
    if (slot.firm.has(facts.caps.kind) || indispensable(ddi))
      return CapsViolation{CapsRule::TableSlotMissing, slot.name};
  }
  return std::nullopt;
}

std::optional<CapsViolation> slot_banned(const CapsFacts& facts) {
  for (size_t i = 0; i < kDdiCount; ++i) {
    auto ddi = static_cast<Ddi>(i);
    if (row(ddi).banned.has(facts.caps.kind) && fills(facts.table, ddi)) {
      return CapsViolation{CapsRule::TableSlotBanned, row(ddi).name};
    }
  }
  return std::nullopt;
}

// All or nothing: the slots that a full driver needs and a render-only driver does not.
std::optional<CapsViolation> display_group(const CapsFacts& facts) {
  const char* filled = nullptr;
  const char* empty = nullptr;
  for (size_t i = 0; i < kDdiCount; ++i) {
    const DdiRow& slot = row(static_cast<Ddi>(i));
    bool display = slot.needed.has(DriverKind::Full) && !slot.needed.has(DriverKind::RenderOnly);
    if (!display || !in_version(facts, slot.since)) continue;
    (fills(facts.table, static_cast<Ddi>(i)) ? filled : empty) = slot.name;
  }
  bool none_will_do = facts.caps.kind == DriverKind::RenderOnly;
  if (!empty || (!filled && none_will_do)) return std::nullopt;
  return CapsViolation{CapsRule::TableDisplayGroup, fmt::format("{} is NULL", empty)};
}

// --- DXGK_DRIVERCAPS ---

constexpr Check kDriverCaps[] = {
    {CapsRule::WddmVersion, [](const CapsFacts& f) { return base::raw(f.caps.driver.WDDMVersion) == 0; }},
    {CapsRule::ComputeVersion,
     [](const CapsFacts& f) { return base::raw(f.caps.driver.WDDMVersion) < DXGKDDI_WDDMv2_6; }},
    {CapsRule::UserModeDriverName, [](const CapsFacts& f) { return f.hardware.user_mode_drivers.empty(); }},
    {CapsRule::RenderOnlyOnPostDevice, [](const CapsFacts& f) { return f.hardware.post_device; }},
    {CapsRule::NonVga, [](const CapsFacts& f) { return !f.caps.driver.SupportNonVGA; }},
    {CapsRule::SmoothRotation, [](const CapsFacts& f) { return !f.caps.driver.SupportSmoothRotation; }},
    {CapsRule::PreemptionCaps,
     [](const CapsFacts& f) {
       const D3DKMDT_PREEMPTION_CAPS& preemption = f.caps.driver.PreemptionCaps;
       return base::raw(preemption.GraphicsPreemptionGranularity) == 0 &&
              base::raw(preemption.ComputePreemptionGranularity) == 0;
     }},
    {CapsRule::FlipOnVSyncMmIo, [](const CapsFacts& f) { return !f.caps.driver.FlipCaps.FlipOnVSyncMmIo; }},
    {CapsRule::PerEngineTdr, [](const CapsFacts& f) { return !f.caps.driver.SupportPerEngineTDR; }},
    {CapsRule::DirectFlip, [](const CapsFacts& f) { return !f.caps.driver.SupportDirectFlip; }},
    {CapsRule::KernelModeCommandBuffer,
     [](const CapsFacts& f) { return !f.caps.driver.PresentationCaps.SupportKernelModeCommandBuffer; }},
    {CapsRule::FlipIndependent, [](const CapsFacts& f) { return !f.caps.driver.FlipCaps.FlipIndependent; }},
    {CapsRule::PreemptionNeedsMultiEngine,
     [](const CapsFacts& f) {
       return f.caps.driver.SchedulingCaps.PreemptionAware && !f.caps.driver.SchedulingCaps.MultiEngineAware;
     }},
    {CapsRule::CancelNeedsMultiEngine,
     [](const CapsFacts& f) {
       return f.caps.driver.SchedulingCaps.CancelCommandAware && !f.caps.driver.SchedulingCaps.MultiEngineAware;
     }},
    {CapsRule::NoDmaPatchingNeedsBoth,
     [](const CapsFacts& f) {
       const DXGK_VIDSCHCAPS& scheduling = f.caps.driver.SchedulingCaps;
       return scheduling.NoDmaPatching && !(scheduling.PreemptionAware && scheduling.MultiEngineAware);
     }},
    {CapsRule::GpuMmuOrIoMmu,
     [](const CapsFacts& f) {
       const DXGK_VIDMMCAPS& memory = f.caps.driver.MemoryManagementCaps;
       return memory.GpuMmuSupported && memory.IoMmuSupported;
     }},
    {CapsRule::VirtualAddressingNeedsMmu,
     [](const CapsFacts& f) {
       const DXGK_VIDMMCAPS& memory = f.caps.driver.MemoryManagementCaps;
       return memory.VirtualAddressingSupported && !memory.GpuMmuSupported && !memory.IoMmuSupported;
     }},
    {CapsRule::CrossAdapterTexture,
     [](const CapsFacts& f) {
       const DXGK_VIDMMCAPS& memory = f.caps.driver.MemoryManagementCaps;
       return memory.CrossAdapterResourceTexture && !memory.CrossAdapterResource;
     }},
    {CapsRule::CrossAdapterScanout,
     [](const CapsFacts& f) {
       const DXGK_VIDMMCAPS& memory = f.caps.driver.MemoryManagementCaps;
       return memory.CrossAdapterResourceScanout &&
              !(memory.CrossAdapterResource && memory.CrossAdapterResourceTexture);
     }},
    {CapsRule::AlignmentShift, [](const CapsFacts& f) { return f.caps.driver.PresentationCaps.AlignmentShift < 2; }},
    {CapsRule::OverlayPlanes,
     [](const CapsFacts& f) { return f.caps.driver.SupportMultiPlaneOverlay && f.caps.driver.MaxOverlayPlanes == 0; }},
    {CapsRule::NodeCount,
     [](const CapsFacts& f) {
       return f.caps.driver.SchedulingCaps.MultiEngineAware &&
              f.caps.driver.GpuEngineTopology.NbAsymetricProcessingNodes == 0;
     }},

    // Capabilities that require functions.
    {CapsRule::PerEngineTdrSlots, [](const CapsFacts& f) { return f.caps.driver.SupportPerEngineTDR != FALSE; }},
    {CapsRule::RuntimePowerSlots,
     [](const CapsFacts& f) { return f.caps.driver.SupportRuntimePowerManagement != FALSE; }},
    {CapsRule::SurpriseRemovalSlots,
     [](const CapsFacts& f) {
       return f.caps.driver.SupportSurpriseRemovalInHibernation || f.caps.driver.SupportSurpriseRemoval;
     }},
    {CapsRule::NonVgaSlots, [](const CapsFacts& f) { return f.caps.driver.SupportNonVGA != FALSE; }},
    {CapsRule::SmoothRotationSlots, [](const CapsFacts& f) { return f.caps.driver.SupportSmoothRotation != FALSE; }},
    {CapsRule::CancelCommandSlots,
     [](const CapsFacts& f) { return f.caps.driver.SchedulingCaps.CancelCommandAware != 0; }},
    {CapsRule::RenderKmSlots,
     [](const CapsFacts& f) {
       return f.caps.driver.PresentationCaps.SupportKernelModeCommandBuffer &&
              !f.caps.driver.MemoryManagementCaps.VirtualAddressingSupported;
     }},
    {CapsRule::PhysicalAddressingSlots,
     [](const CapsFacts& f) { return !f.caps.driver.MemoryManagementCaps.VirtualAddressingSupported; }},
    {CapsRule::ComputePhysicalSlots,
     [](const CapsFacts& f) { return !f.caps.driver.MemoryManagementCaps.VirtualAddressingSupported; }},
    {CapsRule::GpuMmuSlots, [](const CapsFacts& f) { return f.caps.driver.MemoryManagementCaps.GpuMmuSupported != 0; }},
    {CapsRule::ComputeVirtualSlots,
     [](const CapsFacts& f) { return f.caps.driver.MemoryManagementCaps.VirtualAddressingSupported != 0; }},
    {CapsRule::ComputeIoMmuSecureSlots,
     [](const CapsFacts& f) { return f.caps.driver.MemoryManagementCaps.IoMmuSecureModeSupported != 0; }},
    {CapsRule::ClockSlots, [](const CapsFacts&) { return true; }},

    // Rules for compute-only drivers.
    {CapsRule::ComputeHighestAddress,
     [](const CapsFacts& f) {
       return static_cast<uint64_t>(f.caps.driver.HighestAcceptableAddress.QuadPart) < nt::kOtherPagesEnd - 1;
     }},
    {CapsRule::ComputePreemptionGranularity,
     [](const CapsFacts& f) {
       return base::raw(f.caps.driver.PreemptionCaps.ComputePreemptionGranularity) == D3DKMDT_COMPUTE_PREEMPTION_NONE;
     }},
    {CapsRule::ComputeMultiEngine, [](const CapsFacts& f) { return !f.caps.driver.SchedulingCaps.MultiEngineAware; }},
    {CapsRule::ComputePreemptionAware,
     [](const CapsFacts& f) { return !f.caps.driver.SchedulingCaps.PreemptionAware; }},
};

std::optional<CapsViolation> compute_zero(const CapsFacts& facts) {
#define CAPS_ZERO(id, field) \
  if (facts.caps.driver.field) return CapsViolation{CapsRule::id, #field};
#include "dxgk/adapter/caps_rules.def"
  return std::nullopt;
}

}  // namespace

std::optional<CapsViolation> check_table(const CapsFacts& facts) {
  if (auto violation = slot_missing(facts)) return violation;
  if (applies(CapsRule::TableSlotBanned, facts)) {
    if (auto violation = slot_banned(facts)) return violation;
  }
  if (const char* slot = filled_reserved_slot(facts.table)) return CapsViolation{CapsRule::TableReservedSlot, slot};
  return applies(CapsRule::TableDisplayGroup, facts) ? display_group(facts) : std::nullopt;
}

std::optional<CapsViolation> check_driver_caps(const CapsFacts& facts) {
  if (auto violation = first_broken(kDriverCaps, facts)) return violation;
  return applies(CapsRule::ComputeZero, facts) ? compute_zero(facts) : std::nullopt;
}

std::optional<CapsViolation> check_nodes(const CapsFacts& facts) {
  if (applies(CapsRule::NodeLimit, facts) && facts.caps.nodes > kMostNodes) {
    return CapsViolation{CapsRule::NodeLimit, fmt::format("it is {}", facts.caps.nodes)};
  }
  bool broken = applies(CapsRule::PagingNode, facts) && facts.caps.paging_node >= facts.caps.nodes;
  return broken ? std::optional(CapsViolation{CapsRule::PagingNode, {}}) : std::nullopt;
}

}  // namespace dxgk
