#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/adapter/adapter_interrupts.h"
#include "dxgk/ddi/callbacks.h"
#include "dxgk/testing/graphics_fixture.h"

namespace dxgk {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::GraphicsTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Model;
using ::testing::Not;

class StartOf : public GraphicsTest {
 protected:
  explicit StartOf(Model model = Model::Wddm20) : GraphicsTest(model) {}

  // Runs a start that is expected to be refused and returns its sentence; the driver's whole life is in its log.
  std::string refused(NTSTATUS* status = nullptr) {
    std::string why;
    run_registered([&] {
      auto started = add_adapter();
      if (status) *status = started.status();
      ASSERT_FALSE(started.ok());
      why = kernel().adapters().back()->refusal();
      EXPECT_EQ(kernel().adapters().back()->state(), Adapter::State::Removed);
    });
    EXPECT_TRUE(driver.empty());
    EXPECT_THAT(driver.complaints, IsEmpty());
    return why;
  }
  void started(const std::function<void(Adapter&)>& look = {}) {
    run_registered([&] {
      auto adapter = add_adapter();
      ASSERT_TRUE(adapter.ok()) << kernel().adapters().back()->refusal();
      EXPECT_TRUE(adapter.value()->started());
      if (look) look(*adapter.value());
    });
    EXPECT_THAT(driver.complaints, IsEmpty());
    EXPECT_THAT(broken(), IsEmpty());
  }
};

class StartOfWddm13 : public StartOf {
 protected:
  StartOfWddm13() : StartOf(Model::Wddm13) {}
};
class StartOfRenderOnly : public StartOf {
 protected:
  StartOfRenderOnly() : StartOf(Model::RenderOnly) {}
};
class StartOfComputeOnly : public StartOf {
 protected:
  StartOfComputeOnly() : StartOf(Model::ComputeOnly) {}
};
class StartOfDisplayOnly : public StartOf {
 protected:
  StartOfDisplayOnly() : StartOf(Model::DisplayOnly) {}
};

// --- The measured orders ---

TEST_F(StartOf, AsksAWddm20DriverInWindowsOrder) {
  started();
  // Then the page tables of the paging process, each entry range once, and last their root.
  auto updates = std::find(driver.log.begin(), driver.log.end(), "BuildPagingBuffer(11)");
  std::vector<std::string> paging(updates, driver.log.end());
  driver.log.erase(updates, driver.log.end());
  ASSERT_GT(paging.size(), 2u);
  EXPECT_EQ(paging.back(), "SetRootPageTable");
  paging.pop_back();
  EXPECT_THAT(paging, Each(AnyOf("BuildPagingBuffer(11)", "BuildPagingBuffer(12)")));
  EXPECT_THAT(
      driver.log,
      ElementsAre("AddDevice", "QueryInterface", "QueryInterface", "QueryInterface", "StartDevice",
                  "QueryChildRelations(2)", "QueryAdapterInfo(1)", "QueryAdapterInfo(15)", "QueryAdapterInfo(47)",
                  "QueryAdapterInfo(13)", "QueryAdapterInfo(14)", "QueryAdapterInfo(14)", "QueryAdapterInfo(14)",
                  "QueryAdapterInfo(14)", "GetNodeMetadata(0)", "GetNodeMetadata(1)", "QueryAdapterInfo(11)",
                  "QueryAdapterInfo(11)", "QueryAdapterInfo(10)", "QueryAdapterInfo(16)", "CreateProcess(system)",
                  "CreateDevice(system)", "CreateDevice(system)", "CreateContext(0x5 node 0)"));
}

TEST_F(StartOfWddm13, AsksAWddm13DriverInWindowsOrder) {
  started();
  EXPECT_THAT(driver.log, ElementsAre("AddDevice", "QueryInterface", "QueryInterface", "QueryInterface", "StartDevice",
                                      "QueryChildRelations(2)", "QueryAdapterInfo(1)", "QueryAdapterInfo(47)",
                                      "GetNodeMetadata(0)", "GetNodeMetadata(1)", "CreateDevice(system)",
                                      "CreateContext(0x1 node 0)", "QueryAdapterInfo(5)", "QueryAdapterInfo(5)",
                                      "BuildPagingBuffer(5)", "BuildPagingBuffer(5)", "QueryAdapterInfo(10)"));
}

TEST_F(StartOfDisplayOnly, StopsBeforeTheFirstVidPn) {
  started();
  EXPECT_THAT(driver.log, ElementsAre("AddDevice", "QueryInterface", "QueryInterface", "QueryInterface", "StartDevice",
                                      "QueryChildRelations(2)", "QueryAdapterInfo(1)", "QueryAdapterInfo(47)"));
}

TEST_F(StartOfComputeOnly, NeedsNoUserModeDriver) {
  hardware.user_mode_drivers.clear();
  started([](Adapter& adapter) { EXPECT_EQ(adapter.caps().kind, DriverKind::ComputeOnly); });
}

// B4: the pages ask for DxgkDdiCreateProcess of a driver that has GPU virtual addresses.
TEST_F(StartOfComputeOnly, WithoutAddressSpacesItIsToldOfNoProcess) {
  driver.caps.MemoryManagementCaps.GpuMmuSupported = driver.caps.MemoryManagementCaps.VirtualAddressingSupported = 0;
  driver.table.DxgkDdiPatch = [](auto...) -> NTSTATUS { return STATUS_SUCCESS; };
  driver.table.DxgkDdiRender = [](auto...) -> NTSTATUS { return STATUS_SUCCESS; };
  driver.table.DxgkDdiSubmitCommand = [](auto...) -> NTSTATUS { return STATUS_SUCCESS; };
  started();
  EXPECT_EQ(driver.calls(Ddi::CreateProcess), 0u);
}

TEST_F(StartOfRenderOnly, IsKnownByItsSources) {
  started([](Adapter& adapter) { EXPECT_EQ(adapter.caps().kind, DriverKind::RenderOnly); });
}

TEST_F(StartOf, KeepsWhatTheDriverSaid) {
  started([](Adapter& adapter) {
    const AdapterCaps& caps = adapter.caps();
    EXPECT_EQ(caps.kind, DriverKind::Full);
    EXPECT_TRUE(caps.gpu_mmu);
    EXPECT_EQ(caps.page_table_levels.size(), 4u);
    ASSERT_EQ(caps.segments.size(), 2u);
    EXPECT_TRUE(caps.segments[0].aperture);
    EXPECT_FALSE(caps.segments[1].aperture);
    EXPECT_EQ(caps.segments[1].size, 0x0400'0000u);
    EXPECT_EQ(caps.paging_segment, 1u);
    EXPECT_EQ(caps.nodes, 1u);
    EXPECT_EQ(caps.sources, 1u);
    EXPECT_EQ(caps.aperture_set(), 1u);
    EXPECT_EQ(caps.segment_set(), 3u);
  });
}

// --- Sizes follow the declared version ---

TEST(InterfaceBytes, GrowWithTheVersion) {
  EXPECT_EQ(interface_bytes(static_cast<uint32_t>(InterfaceVersion::Wddm3_1)), sizeof(DXGKRNL_INTERFACE));
  EXPECT_EQ(interface_bytes(static_cast<uint32_t>(InterfaceVersion::Vista)),
            offsetof(DXGKRNL_INTERFACE, DxgkCbCreateContextAllocation));
  EXPECT_EQ(interface_bytes(static_cast<uint32_t>(InterfaceVersion::Wddm1_3)),
            offsetof(DXGKRNL_INTERFACE, DxgkCbMapContextAllocation));
}

TEST_F(StartOfWddm13, GivesTheInterfaceOfItsVersion) {
  started();
  EXPECT_EQ(driver.interface.Version, driver.table.Version);
  EXPECT_EQ(driver.interface.Size, interface_bytes(driver.table.Version));
  EXPECT_NE(driver.interface.DxgkCbCompletePStateTransition, nullptr);
  EXPECT_EQ(driver.interface.DxgkCbAcquireHandleData, nullptr);  // beyond its end
}

TEST_F(StartOf, CanGiveTheInterfaceOfANewerWindows) {
  hardware.interface_version = static_cast<uint32_t>(InterfaceVersion::Wddm3_1);
  started();
  EXPECT_EQ(driver.interface.Size, sizeof(DXGKRNL_INTERFACE));
  EXPECT_NE(driver.interface.DxgkCbDisconnectDoorbell, nullptr);
}

// --- Refusals ---

TEST_F(StartOf, IsRefusedWithoutAUserModeDriver) {
  hardware.user_mode_drivers.clear();
  EXPECT_THAT(refused(), HasSubstr("UserModeDriverName"));
  EXPECT_THAT(driver.log, Not(Contains("QueryAdapterInfo(15)")));  // right after DRIVERCAPS (observed)
  EXPECT_EQ(driver.log.back(), "RemoveDevice");
  EXPECT_EQ(driver.log[driver.log.size() - 2], "StopDevice");
}

TEST_F(StartOf, UndoesInWindowsOrder) {
  driver.context_info.DmaBufferSegmentSet = 2;  // the local segment
  EXPECT_THAT(refused(), HasSubstr("DmaBufferSegmentSet"));
  std::vector<std::string> end(driver.log.end() - 6, driver.log.end());
  EXPECT_THAT(end, ElementsAre("DestroyContext", "DestroyDevice", "DestroyDevice", "DestroyProcess", "StopDevice",
                               "RemoveDevice"));
}

TEST_F(StartOf, IsRefusedWhenAPagingBufferLiesInLocalMemory) {
  driver.paging_segment = 2;
  NTSTATUS status = 0;
  EXPECT_THAT(refused(&status), HasSubstr("a DMA buffer can only be allocated from an aperture segment"));
  EXPECT_EQ(status, STATUS_INVALID_PARAMETER);
}

TEST_F(StartOfRenderOnly, IsRefusedOnThePostDevice) {
  hardware.post_device = true;
  NTSTATUS status = 0;
  EXPECT_THAT(refused(&status), HasSubstr("boot display"));
  EXPECT_EQ(status, STATUS_GRAPHICS_INVALID_DRIVER_MODEL);
}

TEST_F(StartOf, IsRefusedWhenACapabilityHasNoFunction) {
  driver.table.DxgkDdiQueryDependentEngineGroup = nullptr;
  EXPECT_THAT(refused(), HasSubstr("DxgkDdiQueryDependentEngineGroup"));
}

TEST_F(StartOf, IsRefusedWithoutHistoryBufferPrecision) {
  driver.query_status[DXGKQAITYPE_HISTORYBUFFERPRECISION] = STATUS_NOT_SUPPORTED;
  EXPECT_THAT(refused(), HasSubstr("DXGKQAITYPE_HISTORYBUFFERPRECISION"));
}

TEST_F(StartOf, IsRefusedWhenANodeTooManyIsKnown) {
  driver.at[Ddi::GetNodeMetadata] = [&] { driver.nodes = 2; };
  EXPECT_THAT(refused(), HasSubstr("0x00000000 for ordinal 1 of 1"));
}

TEST_F(StartOf, AsksAnOlderSegmentQueryWhenTheNewestIsUnknown) {
  driver.query_status[DXGKQAITYPE_QUERYSEGMENT4] = STATUS_NOT_SUPPORTED;
  started();
  EXPECT_THAT(driver.log, Contains("QueryAdapterInfo(5)"));
}

TEST_F(StartOfComputeOnly, MustKnowTheNewestSegmentQuery) {
  driver.query_status[DXGKQAITYPE_QUERYSEGMENT4] = STATUS_NOT_SUPPORTED;
  EXPECT_THAT(refused(), HasSubstr("DXGKQAITYPE_QUERYSEGMENT4"));
}

TEST_F(StartOf, ToleratesWhatWindowsTolerates) {
  driver.query_status[DXGKQAITYPE_PHYSICALADAPTERCAPS] = STATUS_NOT_SUPPORTED;
  driver.query_status[DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION] = STATUS_NOT_SUPPORTED;
  driver.query_status[DXGKQAITYPE_64BITONLYCAPS] = STATUS_INVALID_PARAMETER;
  started();
}

// --- A driver that fails ---

TEST_F(StartOf, ADeviceThatDoesNotStartIsNotStopped) {
  driver.fail(Ddi::StartDevice, STATUS_DEVICE_NOT_READY);
  NTSTATUS status = 0;
  EXPECT_THAT(refused(&status), AllOf(HasSubstr("DxgkDdiStartDevice"), HasSubstr("no model of the device's hardware")));
  EXPECT_EQ(status, STATUS_DEVICE_NOT_READY);
  EXPECT_EQ(driver.calls(Ddi::StopDevice), 0u);
  EXPECT_EQ(driver.log.back(), "RemoveDevice");
}

TEST_F(StartOf, ADeviceThatIsNotAddedIsNotRemoved) {
  driver.fail(Ddi::AddDevice, STATUS_NO_MEMORY);
  EXPECT_THAT(refused(), HasSubstr("DxgkDdiAddDevice"));
  EXPECT_THAT(driver.log, ElementsAre("AddDevice"));
}

// Whatever fails, what was made before is unmade, and nothing else.
TEST_F(StartOf, LeavesNothingBehindWhicheverCallFails) {
  const std::pair<Ddi, uint32_t> calls[] = {
      {Ddi::QueryChildRelations, 1}, {Ddi::QueryAdapterInfo, 1}, {Ddi::QueryAdapterInfo, 4},
      {Ddi::QueryAdapterInfo, 8},    {Ddi::QueryAdapterInfo, 9}, {Ddi::CreateProcess, 1},
      {Ddi::CreateDevice, 1},        {Ddi::CreateDevice, 2},     {Ddi::CreateContext, 1}};
  for (auto [ddi, nth] : calls) {
    SCOPED_TRACE(row(ddi).name + std::to_string(nth));
    driver.log.clear();
    driver.fail(ddi, STATUS_NO_MEMORY, nth);
    refused();
    EXPECT_EQ(driver.log.back(), "RemoveDevice");
    EXPECT_THAT(driver.log, Contains("StopDevice"));
  }
}

TEST_F(StartOf, AStatusThatIsNotLegalIsAFinding) {
  observer.then = nt::Then::GoOn;
  driver.fail(Ddi::CreateDevice, STATUS_NOT_IMPLEMENTED);
  refused();
  ASSERT_THAT(broken(), ElementsAre("IllegalStatus"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("DxgkDdiCreateDevice returned 0xC0000002"));
}

// 0x401E0307 passes NT_SUCCESS; Windows does not take it for a success (observed).
TEST_F(StartOf, AnInformationalCodeIsNoSuccess) {
  observer.then = nt::Then::GoOn;
  driver.fail(Ddi::StartDevice, STATUS_GRAPHICS_MODE_NOT_PINNED);
  refused();
  EXPECT_THAT(broken(), ElementsAre("IllegalStatus"));
}

}  // namespace
}  // namespace dxgk
