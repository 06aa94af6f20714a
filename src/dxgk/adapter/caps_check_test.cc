#include "dxgk/adapter/caps_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/testing/fake_miniport.h"
#include "nt/mm/physical_windows.h"

namespace dxgk {
namespace {

using testing::FakeMiniport;
using testing::Model;

// A driver that is right, and what the start would know of it.
struct Subject {
  explicit Subject(Model model) : fake(model) {
    caps.version = fake.table.Version;
    caps.kind = model == Model::RenderOnly    ? DriverKind::RenderOnly
                : model == Model::ComputeOnly ? DriverKind::ComputeOnly
                : model == Model::DisplayOnly ? DriverKind::DisplayOnly
                                              : DriverKind::Full;
    caps.driver = fake.caps;
    caps.gpu_mmu = fake.caps.MemoryManagementCaps.GpuMmuSupported;
    caps.mmu = fake.mmu;
    caps.page_table_levels = fake.levels;
    caps.nodes = 1;
    caps.paging_segment = 1;
    caps.paging_buffer_bytes = 4096;
    DXGK_SEGMENTFLAGS aperture{};
    aperture.Aperture = 1;
    caps.segments = {{1, 0, 0, 1 << 20, 1 << 20, true, false, false, aperture},
                     {2, 0x1000'0000, 0, 1 << 20, 1 << 20, false, false, false, {}}};
  }
  std::optional<CapsViolation> check() {
    CapsFacts facts{caps, fake.table, hardware, context};
    for (auto stage : {check_driver_caps, check_table, check_nodes}) {
      if (auto violation = stage(facts)) return violation;
    }
    if (caps.kind == DriverKind::DisplayOnly) return std::nullopt;
    if (caps.gpu_mmu) {
      if (auto violation = check_page_tables(facts)) return violation;
    }
    if (auto violation = check_segments(facts)) return violation;
    return check_paging_context(facts);
  }

  FakeMiniport fake;
  AdapterCaps caps;
  Adapter::Hardware hardware;
  DXGK_CONTEXTINFO context{};
};

struct Wrong {
  CapsRule rule;
  Model model;
  void (*make)(Subject& s);
};

PVOID anything() { return reinterpret_cast<PVOID>(1); }

const Wrong kWrong[] = {
    {CapsRule::TableSlotMissing, Model::Wddm20, [](Subject& s) { s.fake.table.DxgkDdiCreateContext = nullptr; }},
    {CapsRule::TableSlotBanned, Model::ComputeOnly,
     [](Subject& s) { s.fake.table.DxgkDdiGetScanLine = [](auto...) -> NTSTATUS { return 0; }; }},
    {CapsRule::TableReservedSlot, Model::Wddm20, [](Subject& s) { s.fake.table.Reserved = anything(); }},
    {CapsRule::TableDisplayGroup, Model::Wddm13, [](Subject& s) { s.fake.table.DxgkDdiCommitVidPn = nullptr; }},
    {CapsRule::WddmVersion, Model::DisplayOnly, [](Subject& s) { s.caps.driver.WDDMVersion = {}; }},
    {CapsRule::NonVga, Model::DisplayOnly, [](Subject& s) { s.caps.driver.SupportNonVGA = FALSE; }},
    {CapsRule::SmoothRotation, Model::DisplayOnly, [](Subject& s) { s.caps.driver.SupportSmoothRotation = FALSE; }},
    {CapsRule::PreemptionCaps, Model::Wddm13, [](Subject& s) { s.caps.driver.PreemptionCaps = {}; }},
    {CapsRule::FlipOnVSyncMmIo, Model::RenderOnly, [](Subject& s) { s.caps.driver.FlipCaps.FlipOnVSyncMmIo = 0; }},
    {CapsRule::PerEngineTdr, Model::Wddm13, [](Subject& s) { s.caps.driver.SupportPerEngineTDR = FALSE; }},
    {CapsRule::DirectFlip, Model::Wddm13, [](Subject& s) { s.caps.driver.SupportDirectFlip = FALSE; }},
    {CapsRule::KernelModeCommandBuffer, Model::Wddm13,
     [](Subject& s) { s.caps.driver.PresentationCaps.SupportKernelModeCommandBuffer = 0; }},
    {CapsRule::FlipIndependent, Model::Wddm13, [](Subject& s) { s.caps.driver.FlipCaps.FlipIndependent = 0; }},
    {CapsRule::UserModeDriverName, Model::RenderOnly, [](Subject& s) { s.hardware.user_mode_drivers.clear(); }},
    {CapsRule::RenderOnlyOnPostDevice, Model::RenderOnly, [](Subject& s) { s.hardware.post_device = true; }},
    {CapsRule::PreemptionNeedsMultiEngine, Model::Wddm13,
     [](Subject& s) { s.caps.driver.SchedulingCaps.MultiEngineAware = 0; }},
    {CapsRule::CancelNeedsMultiEngine, Model::Wddm13,
     [](Subject& s) {
       s.caps.driver.SchedulingCaps.Value = 0;
       s.caps.driver.SchedulingCaps.CancelCommandAware = 1;
     }},
    {CapsRule::NoDmaPatchingNeedsBoth, Model::Wddm13,
     [](Subject& s) {
       s.caps.driver.SchedulingCaps.PreemptionAware = 0;
       s.caps.driver.SchedulingCaps.NoDmaPatching = 1;
     }},
    {CapsRule::GpuMmuOrIoMmu, Model::Wddm20, [](Subject& s) { s.caps.driver.MemoryManagementCaps.IoMmuSupported = 1; }},
    {CapsRule::VirtualAddressingNeedsMmu, Model::Wddm20,
     [](Subject& s) { s.caps.driver.MemoryManagementCaps.GpuMmuSupported = 0; }},
    {CapsRule::CrossAdapterTexture, Model::ComputeOnly,
     [](Subject& s) {
       s.caps.version = s.fake.table.Version = static_cast<ULONG>(InterfaceVersion::Wddm2_9);
       s.caps.driver.MemoryManagementCaps.CrossAdapterResourceTexture = 1;
     }},
    {CapsRule::CrossAdapterScanout, Model::ComputeOnly,
     [](Subject& s) {
       s.caps.version = s.fake.table.Version = static_cast<ULONG>(InterfaceVersion::Wddm2_9);
       s.caps.driver.MemoryManagementCaps.CrossAdapterResource = 1;
       s.caps.driver.MemoryManagementCaps.CrossAdapterResourceScanout = 1;
     }},
    {CapsRule::AlignmentShift, Model::Wddm13, [](Subject& s) { s.caps.driver.PresentationCaps.AlignmentShift = 1; }},
    {CapsRule::OverlayPlanes, Model::Wddm13, [](Subject& s) { s.caps.driver.SupportMultiPlaneOverlay = TRUE; }},
    {CapsRule::NodeCount, Model::Wddm13,
     [](Subject& s) { s.caps.driver.GpuEngineTopology.NbAsymetricProcessingNodes = 0; }},
    {CapsRule::NodeLimit, Model::Wddm20, [](Subject& s) { s.caps.nodes = 65; }},
    {CapsRule::PagingNode, Model::Wddm20, [](Subject& s) { s.caps.paging_node = 1; }},
    {CapsRule::PerEngineTdrSlots, Model::Wddm13, [](Subject& s) { s.fake.table.DxgkDdiResetEngine = nullptr; }},
    {CapsRule::RuntimePowerSlots, Model::Wddm13,
     [](Subject& s) { s.caps.driver.SupportRuntimePowerManagement = TRUE; }},
    {CapsRule::SurpriseRemovalSlots, Model::Wddm13,
     [](Subject& s) { s.caps.driver.SupportSurpriseRemovalInHibernation = TRUE; }},
    {CapsRule::NonVgaSlots, Model::DisplayOnly,
     [](Subject& s) { s.fake.table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership = nullptr; }},
    {CapsRule::SmoothRotationSlots, Model::DisplayOnly,
     [](Subject& s) { s.fake.table.DxgkDdiUpdateActiveVidPnPresentPath = nullptr; }},
    {CapsRule::CancelCommandSlots, Model::Wddm13,
     [](Subject& s) { s.caps.driver.SchedulingCaps.CancelCommandAware = 1; }},
    {CapsRule::RenderKmSlots, Model::Wddm13, [](Subject& s) { s.fake.table.DxgkDdiRenderKm = nullptr; }},
    {CapsRule::PhysicalAddressingSlots, Model::Wddm13, [](Subject& s) { s.fake.table.DxgkDdiPatch = nullptr; }},
    {CapsRule::ComputePhysicalSlots, Model::ComputeOnly,
     [](Subject& s) { s.caps.driver.MemoryManagementCaps.VirtualAddressingSupported = 0; }},
    {CapsRule::GpuMmuSlots, Model::Wddm20, [](Subject& s) { s.fake.table.DxgkDdiSetRootPageTable = nullptr; }},
    {CapsRule::ComputeVirtualSlots, Model::ComputeOnly,
     [](Subject& s) { s.fake.table.DxgkDdiGetRootPageTableSize = nullptr; }},
    {CapsRule::ComputeIoMmuSecureSlots, Model::ComputeOnly,
     [](Subject& s) { s.caps.driver.MemoryManagementCaps.IoMmuSecureModeSupported = 1; }},
    {CapsRule::ClockSlots, Model::Wddm20, [](Subject& s) { s.fake.table.DxgkDdiCalibrateGpuClock = nullptr; }},
    {CapsRule::ComputeVersion, Model::ComputeOnly, [](Subject& s) { s.caps.driver.WDDMVersion = DXGKDDI_WDDMv2; }},
    {CapsRule::ComputeHighestAddress, Model::ComputeOnly,
     [](Subject& s) { s.caps.driver.HighestAcceptableAddress.QuadPart = UINT32_MAX; }},
    {CapsRule::ComputePreemptionGranularity, Model::ComputeOnly,
     [](Subject& s) {
       s.caps.driver.PreemptionCaps = {D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY,
                                       D3DKMDT_COMPUTE_PREEMPTION_NONE};
     }},
    {CapsRule::ComputeMultiEngine, Model::ComputeOnly, [](Subject& s) { s.caps.driver.SchedulingCaps.Value = 0; }},
    {CapsRule::ComputePreemptionAware, Model::ComputeOnly,
     [](Subject& s) { s.caps.driver.SchedulingCaps.PreemptionAware = 0; }},
    {CapsRule::ComputeZero, Model::ComputeOnly, [](Subject& s) { s.caps.driver.MaxPointerWidth = 64; }},

    {CapsRule::PagingBufferSegment, Model::Wddm20, [](Subject& s) { s.caps.paging_segment = 2; }},
    {CapsRule::PagingBufferSegmentRange, Model::Wddm20, [](Subject& s) { s.caps.paging_segment = 3; }},
    {CapsRule::PagingBufferSize, Model::Wddm20, [](Subject& s) { s.caps.paging_buffer_bytes = 0; }},
    {CapsRule::PagingBufferRoom, Model::Wddm20, [](Subject& s) { s.caps.paging_buffer_bytes = 1 << 20; }},
    {CapsRule::SegmentLimit, Model::Wddm20, [](Subject& s) { s.caps.segments[1].size = uint64_t{1} << 43; }},
    {CapsRule::SegmentLimit, Model::Wddm20, [](Subject& s) { s.caps.segments[1].base = UINT64_MAX - 4095; }},
    {CapsRule::SegmentSize, Model::Wddm20, [](Subject& s) { s.caps.segments[1].size = 4097; }},
    {CapsRule::SegmentExtent, Model::Wddm20,
     [](Subject& s) {
       s.hardware.memory = {{0xE000'0000, 1 << 19}};
       s.caps.segments[1].cpu_visible = true;
       s.caps.segments[1].cpu_base = 0xE000'0000;
     }},
    {CapsRule::SegmentOverlap, Model::Wddm20,
     [](Subject& s) {
       s.caps.segments.push_back(s.caps.segments[1]);
       s.caps.segments[2].id = 3;
       s.caps.segments[2].base += 4096;
     }},
    {CapsRule::SegmentAgpAlone, Model::Wddm20,
     [](Subject& s) {
       s.caps.segments[1].flags.Agp = 1;
       s.caps.segments[1].flags.CpuVisible = 1;
     }},
    {CapsRule::SegmentPreserved, Model::Wddm20,
     [](Subject& s) { s.caps.segments[1].flags.PreservedDuringHibernate = 1; }},
    {CapsRule::SegmentOneAperture, Model::Wddm20,
     [](Subject& s) {
       s.caps.segments[0].aperture = false;
       s.caps.paging_segment = 0;
     }},
    {CapsRule::SegmentHostAperture, Model::Wddm20,
     [](Subject& s) {
       s.caps.segments[1].flags.SupportsCpuHostAperture = 1;
       s.caps.segments[1].flags.CpuVisible = 1;
     }},
    {CapsRule::SegmentCachedHostAperture, Model::Wddm20,
     [](Subject& s) { s.caps.segments[1].flags.SupportsCachedCpuHostAperture = 1; }},
    {CapsRule::SegmentHostApertureSlots, Model::Wddm20,
     [](Subject& s) { s.caps.segments[1].flags.SupportsCpuHostAperture = 1; }},
    {CapsRule::PageTableLevels, Model::Wddm20, [](Subject& s) { s.caps.mmu.PageTableLevelCount = 1; }},
    {CapsRule::PageTableUpdateMode, Model::Wddm20,
     [](Subject& s) { s.caps.mmu.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL; }},
    {CapsRule::PageTableUpdateModeUnknown, Model::Wddm20,
     [](Subject& s) { s.caps.mmu.PageTableUpdateMode = static_cast<DXGK_PAGETABLEUPDATEMODE>(3); }},
    {CapsRule::PageTableSize, Model::Wddm20,
     [](Subject& s) { s.caps.page_table_levels[2].PageTableSizeInBytes = 4000; }},
    {CapsRule::PageTableSystemMemory, Model::Wddm20,
     [](Subject& s) {
       s.caps.page_table_levels[0].PageTableSegmentId = 0;
       s.caps.page_table_levels[0].PageTableSizeInBytes = 8192;
     }},
    {CapsRule::LeafTable64K, Model::Wddm20, [](Subject& s) { s.caps.mmu.LeafPageTableSizeFor64KPagesInBytes = 256; }},
    {CapsRule::PageTableSegment, Model::Wddm20, [](Subject& s) { s.caps.page_table_levels[1].PageTableSegmentId = 4; }},
    {CapsRule::PageTableLimits, Model::Wddm20, [](Subject& s) { s.caps.mmu.VirtualAddressBitCount = 64; }},
    {CapsRule::PageTableLimits, Model::Wddm20,
     [](Subject& s) { s.caps.page_table_levels[0].PageTableSizeInBytes = 0; }},
    {CapsRule::PageTableLimits, Model::Wddm20,
     [](Subject& s) { s.caps.page_table_levels[1].PageTableIndexBitCount = 21; }},
    {CapsRule::PageTableBits, Model::Wddm20, [](Subject& s) { s.caps.mmu.VirtualAddressBitCount = 40; }},
    {CapsRule::ContextDmaSegments, Model::Wddm20, [](Subject& s) { s.context.DmaBufferSegmentSet = 2; }},
};

// Judged by the questions themselves (adapter_start_test.cc), or with the contexts of clients.
const CapsRule kElsewhere[] = {CapsRule::QueryStatus,         CapsRule::HistoryBufferPrecision,
                               CapsRule::ComputeSegmentQuery, CapsRule::NodeMetadata,
                               CapsRule::SegmentFirstPass,    CapsRule::SegmentCount,
                               CapsRule::ContextDmaBuffer,    CapsRule::ContextGdiAllocationList,
                               CapsRule::ChildListEnd,        CapsRule::ChildCount};

// The system's own segment, by the id after the last: what published drivers write.
TEST(CapsCheck, PageTablesInTheSystemsSegment) {
  Subject subject(Model::Wddm20);
  subject.caps.page_table_levels[0].PageTableSegmentId = 3;
  subject.caps.page_table_levels[0].PagingProcessPageTableSegmentId = 3;
  EXPECT_FALSE(subject.check());
}

TEST(CapsCheck, ARightDriverBreaksNoRule) {
  for (Model model : {Model::Wddm13, Model::Wddm20, Model::RenderOnly, Model::ComputeOnly, Model::DisplayOnly}) {
    Subject subject(model);
    auto violation = subject.check();
    EXPECT_FALSE(violation) << row(violation->rule).sentence << " " << violation->detail;
  }
}

TEST(CapsCheck, EachWrongDriverBreaksItsRule) {
  for (const Wrong& wrong : kWrong) {
    SCOPED_TRACE(row(wrong.rule).id);
    Subject subject(wrong.model);
    wrong.make(subject);
    auto violation = subject.check();
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->rule, wrong.rule) << row(violation->rule).id << " " << violation->detail;
  }
}

TEST(CapsCheck, EveryRuleIsTested) {
  std::set<CapsRule> known(std::begin(kElsewhere), std::end(kElsewhere));
  for (const Wrong& wrong : kWrong) known.insert(wrong.rule);
  for (size_t i = 0; i < std::size(kCapsRules); ++i) {
    EXPECT_TRUE(known.count(static_cast<CapsRule>(i))) << kCapsRules[i].id;
  }
}

// A driver that fills no display slot, and one that fills all and has no source, are both render-only.
TEST(CapsCheck, RenderOnlyHasAllDisplaySlotsOrNone) {
  Subject none(Model::RenderOnly);
  EXPECT_FALSE(none.check());
}

TEST(CapsCheck, AFullTableWithoutSourcesIsRenderOnlyToo) {
  Subject full(Model::Wddm13);
  full.caps.kind = DriverKind::RenderOnly;
  EXPECT_FALSE(full.check());
  full.fake.table.DxgkDdiCommitVidPn = nullptr;
  ASSERT_TRUE(full.check());
  EXPECT_EQ(full.check()->rule, CapsRule::TableDisplayGroup);
}

}  // namespace
}  // namespace dxgk
