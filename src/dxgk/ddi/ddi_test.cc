#include "dxgk/ddi/ddi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "dxgk/adapter/caps_rules.h"

namespace dxgk {
namespace {

constexpr NTSTATUS kInformational = STATUS_GRAPHICS_MODE_NOT_PINNED;  // passes NT_SUCCESS, is not STATUS_SUCCESS

struct CallbackRow {
  std::string name;
  uint8_t min_irql;
  uint8_t max_irql;
  InterfaceVersion since;
  std::string page;
};

const CallbackRow kCallbacks[] = {
#define DXGKCB(name, lowest, highest, since, page) {#name, irql::lowest, irql::highest, InterfaceVersion::since, page},
#include "dxgk/ddi/callbacks.def"
};

const CallbackRow& callback(const std::string& name) {
  auto it = std::find_if(std::begin(kCallbacks), std::end(kCallbacks), [&](auto& each) { return each.name == name; });
  EXPECT_NE(it, std::end(kCallbacks)) << name;
  return it == std::end(kCallbacks) ? kCallbacks[0] : *it;
}

void expect_irql(Ddi ddi, uint8_t lowest, uint8_t highest) {
  EXPECT_EQ(row(ddi).min_irql, lowest) << row(ddi).name;
  EXPECT_EQ(row(ddi).max_irql, highest) << row(ddi).name;
}

bool is_page(const std::string& page) { return page.starts_with("d3dkmddi/n") || page.starts_with("dispmprt/n"); }

// The order of DRIVER_INITIALIZATION_DATA, where versions begin and end.
TEST(DdiTable, FollowsTheStructuresOrder) {
  EXPECT_STREQ(row(Ddi::AddDevice).name, "DxgkDdiAddDevice");
  EXPECT_STREQ(row(Ddi::CreateAllocation).name, "DxgkDdiCreateAllocation");
  EXPECT_EQ(Ddi::AddDevice, Ddi{0});
  EXPECT_LT(Ddi::CreateDevice, Ddi::CreateAllocation);
  EXPECT_LT(Ddi::CreateOverlay, Ddi::DestroyDevice);
  EXPECT_LT(Ddi::SetDisplayPrivateDriverFormat, Ddi::RenderKm);
  EXPECT_LT(Ddi::NotifySurpriseRemoval, Ddi::GetNodeMetadata);
  EXPECT_LT(Ddi::FormatHistoryBuffer, Ddi::RenderGdi);
  EXPECT_LT(Ddi::RenderGdi, Ddi::SubmitCommandVirtual);
  EXPECT_EQ(static_cast<size_t>(Ddi::FlushHwQueue) + 2, kDdiCount);
  EXPECT_EQ(static_cast<size_t>(Ddi::PresentDisplayOnly) + 1, kDdiCount);  // of the other structure, so the last
}

TEST(DdiTable, NeverGoesBackInVersions) {
  auto rows = ddi_rows().first(kDdiCount - 1);
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i - 1].since, rows[i].since) << rows[i].name;
}

TEST(DdiTable, EveryRowIsWellFormed) {
  std::set<std::string> names;
  for (const DdiRow& each : ddi_rows()) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(names.insert(each.name).second);
    EXPECT_TRUE(is_page(each.page)) << each.page;
    EXPECT_LE(each.min_irql, each.max_irql);
    EXPECT_EQ(each.level, sync_level(each.sync));
    EXPECT_EQ(each.returns == Returns::Status, each.statuses != StatusSet::NoStatus);
    EXPECT_TRUE(each.needed.covers(each.firm));
    EXPECT_EQ(each.needed.bits & each.banned.bits, 0);
  }
  EXPECT_EQ(names.size(), kDdiCount);
}

// A slot that only the structure's page knows can have nothing documented about it.
TEST(DdiTable, ClaimsNoEvidenceWithoutAPage) {
  size_t without = 0;
  for (const DdiRow& each : ddi_rows()) {
    if (std::string(each.page) != "dispmprt/ns-dispmprt-_driver_initialization_data") continue;
    ++without;
    EXPECT_EQ(each.irql_evidence, Evidence::None) << each.name;
    EXPECT_EQ(each.level_evidence, Evidence::Policy) << each.name;
    EXPECT_EQ(each.statuses, StatusSet::AnyError) << each.name;
  }
  EXPECT_EQ(without, 13u);
}

TEST(DdiTable, SaysNothingOfIrqlsWhereThePageSaysNothing) {
  for (const DdiRow& each : ddi_rows()) {
    if (each.irql_evidence != Evidence::None) continue;
    EXPECT_EQ(each.min_irql, PASSIVE_LEVEL) << each.name;
    EXPECT_EQ(each.max_irql, HIGH_LEVEL) << each.name;
  }
}

TEST(DdiTable, HasTheDocumentedIrqls) {
  for (Ddi ddi : {Ddi::CreateAllocation, Ddi::DestroyAllocation, Ddi::OpenAllocation, Ddi::CloseAllocation,
                  Ddi::DescribeAllocation, Ddi::Patch, Ddi::BuildPagingBuffer, Ddi::Render, Ddi::ResetFromTimeout}) {
    expect_irql(ddi, PASSIVE_LEVEL, PASSIVE_LEVEL);
  }
  expect_irql(Ddi::SubmitCommand, DISPATCH_LEVEL, DISPATCH_LEVEL);
  expect_irql(Ddi::PreemptCommand, DISPATCH_LEVEL, DISPATCH_LEVEL);
  expect_irql(Ddi::DpcRoutine, DISPATCH_LEVEL, DISPATCH_LEVEL);
  expect_irql(Ddi::InterruptRoutine, DISPATCH_LEVEL + 1, CLOCK_LEVEL - 1);
  expect_irql(Ddi::SystemDisplayWrite, PASSIVE_LEVEL, HIGH_LEVEL);
  expect_irql(Ddi::ResetDevice, PASSIVE_LEVEL, HIGH_LEVEL);
  expect_irql(Ddi::SetPowerComponentFState, PASSIVE_LEVEL, DISPATCH_LEVEL);
  expect_irql(Ddi::RecommendMonitorModes, PASSIVE_LEVEL, APC_LEVEL);
  expect_irql(Ddi::SubmitCommandVirtual, PASSIVE_LEVEL, PASSIVE_LEVEL);
  EXPECT_EQ(row(Ddi::SubmitCommandVirtual).irql_evidence, Evidence::Observed);
}

TEST(DdiTable, HasTheDocumentedLevels) {
  for (Ddi ddi : {Ddi::CreateAllocation, Ddi::DestroyAllocation, Ddi::OpenAllocation, Ddi::CloseAllocation,
                  Ddi::DescribeAllocation, Ddi::CreateDevice, Ddi::DestroyDevice, Ddi::CreateContext,
                  Ddi::DestroyContext, Ddi::Render, Ddi::Present, Ddi::NotifySurpriseRemoval}) {
    EXPECT_EQ(row(ddi).level, 0) << row(ddi).name;
    EXPECT_EQ(row(ddi).level_evidence, Evidence::Documented) << row(ddi).name;
  }
  for (Ddi ddi : {Ddi::BuildPagingBuffer, Ddi::Patch, Ddi::SubmitCommand, Ddi::PreemptCommand, Ddi::ResetEngine}) {
    EXPECT_EQ(row(ddi).sync, SyncClass::OneScheduler) << row(ddi).name;
    EXPECT_EQ(row(ddi).level, 1) << row(ddi).name;
  }
  EXPECT_EQ(row(Ddi::QueryChildStatus).sync, SyncClass::OneChild);
  EXPECT_EQ(row(Ddi::CommitVidPn).level, 2);
  for (Ddi ddi : {Ddi::StartDevice, Ddi::StopDevice, Ddi::AddDevice, Ddi::RemoveDevice, Ddi::Unload,
                  Ddi::ResetFromTimeout, Ddi::RestartFromTimeout, Ddi::SetPowerState}) {
    EXPECT_EQ(row(ddi).level, 3) << row(ddi).name;
  }
}

TEST(DdiStatus, EveryStatusSetContainsSuccess) {
  for (const DdiRow& each : ddi_rows()) {
    auto named = named_statuses(each.statuses);
    bool success = std::find(named.begin(), named.end(), STATUS_SUCCESS) != named.end();
    EXPECT_EQ(success, each.returns == Returns::Status) << each.name;
    std::set<NTSTATUS> distinct(named.begin(), named.end());
    EXPECT_EQ(distinct.size(), named.size()) << each.name;
  }
}

TEST(DdiStatus, SomeFunctionsMustNotFail) {
  for (Ddi ddi : {Ddi::PreemptCommand, Ddi::ResetFromTimeout, Ddi::RestartFromTimeout, Ddi::SubmitCommand, Ddi::Patch,
                  Ddi::CancelCommand, Ddi::RenderGdi}) {
    EXPECT_EQ(row(ddi).statuses, StatusSet::MustSucceed) << row(ddi).name;
    EXPECT_TRUE(legal_status(ddi, STATUS_SUCCESS));
    EXPECT_FALSE(legal_status(ddi, STATUS_NO_MEMORY));
    EXPECT_FALSE(legal_status(ddi, STATUS_PENDING));
  }
}

TEST(DdiStatus, ListedSetsAllowWhatThePageLists) {
  for (Ddi ddi : {Ddi::CreateAllocation, Ddi::OpenAllocation}) {
    EXPECT_TRUE(legal_status(ddi, STATUS_SUCCESS));
    EXPECT_TRUE(legal_status(ddi, STATUS_INVALID_PARAMETER));
    EXPECT_TRUE(legal_status(ddi, STATUS_NO_MEMORY));
    EXPECT_TRUE(legal_status(ddi, STATUS_GRAPHICS_DRIVER_MISMATCH));
    EXPECT_FALSE(legal_status(ddi, STATUS_UNSUCCESSFUL));
  }
  EXPECT_TRUE(legal_status(Ddi::OpenAllocation, STATUS_INVALID_HANDLE));
  EXPECT_TRUE(legal_status(Ddi::BuildPagingBuffer, STATUS_GRAPHICS_ALLOCATION_BUSY));
  EXPECT_TRUE(legal_status(Ddi::BuildPagingBuffer, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER));
  EXPECT_FALSE(legal_status(Ddi::BuildPagingBuffer, STATUS_NOT_SUPPORTED));
  EXPECT_TRUE(legal_status(Ddi::SubmitCommandVirtual, STATUS_INVALID_PARAMETER));
  EXPECT_FALSE(legal_status(Ddi::SubmitCommandVirtual, STATUS_NO_MEMORY));
  EXPECT_FALSE(legal_status(Ddi::ControlInterrupt, STATUS_NOT_SUPPORTED));
}

TEST(DdiStatus, AnErrorIsNotAnInformation) {
  EXPECT_TRUE(legal_status(Ddi::DestroyAllocation, STATUS_UNSUCCESSFUL));
  EXPECT_FALSE(legal_status(Ddi::DestroyAllocation, STATUS_PENDING));
  EXPECT_FALSE(legal_status(Ddi::CommitVidPn, kInformational));
  EXPECT_TRUE(legal_status(Ddi::QueryEngineStatus, STATUS_UNSUCCESSFUL));
  EXPECT_FALSE(legal_status(Ddi::QueryEngineStatus, kInformational));
}

TEST(DdiStatus, SetPowerStateMayOnlySucceed) {
  EXPECT_TRUE(legal_status(Ddi::SetPowerState, STATUS_SUCCESS));
  EXPECT_TRUE(legal_status(Ddi::SetPowerState, kInformational));
  EXPECT_FALSE(legal_status(Ddi::SetPowerState, STATUS_UNSUCCESSFUL));
}

TEST(DdiStatus, PendingIsForThoseThatMayPend) {
  EXPECT_TRUE(legal_status(Ddi::PresentDisplayOnly, STATUS_PENDING));
  EXPECT_TRUE(legal_status(Ddi::PresentDisplayOnly, STATUS_UNSUCCESSFUL));
  EXPECT_FALSE(legal_status(Ddi::PresentDisplayOnly, kInformational));
  EXPECT_TRUE(legal_status(Ddi::SuspendContext, STATUS_PENDING));
  EXPECT_FALSE(legal_status(Ddi::SuspendContext, STATUS_UNSUCCESSFUL));
}

TEST(DdiStatus, AFunctionWithoutAStatusIsNotJudgedByOne) {
  EXPECT_EQ(row(Ddi::InterruptRoutine).returns, Returns::Boolean);
  EXPECT_EQ(row(Ddi::GetRootPageTableSize).returns, Returns::Size);
  EXPECT_EQ(row(Ddi::ResetDevice).returns, Returns::Void);
  EXPECT_TRUE(legal_status(Ddi::ResetDevice, STATUS_UNSUCCESSFUL));
}

TEST(DdiKinds, KnowsWhichKindsNeedAFunction) {
  EXPECT_EQ(row(Ddi::QueryAdapterInfo).firm, kinds::All);
  EXPECT_TRUE(row(Ddi::ResetDevice).firm.has(DriverKind::DisplayOnly));
  EXPECT_EQ(row(Ddi::CreateAllocation).needed, kinds::Render);
  EXPECT_EQ(row(Ddi::CreateAllocation).firm, kinds::ComputeOnly);
  EXPECT_EQ(row(Ddi::ResetEngine).firm, kinds::Render);
  EXPECT_EQ(row(Ddi::CommitVidPn).needed, kinds::Display);
  EXPECT_EQ(row(Ddi::CommitVidPn).banned, kinds::ComputeOnly);
  EXPECT_TRUE(row(Ddi::NotifyAcpiEvent).needed.empty());  // "an optional display miniport driver function"
  EXPECT_EQ(row(Ddi::PresentDisplayOnly).needed, kinds::DisplayOnly);
}

TEST(CallbackTable, FollowsTheStructuresOrder) {
  EXPECT_EQ(std::size(kCallbacks), 70u);
  EXPECT_EQ(kCallbacks[0].name, "EvalAcpiMethod");
  EXPECT_EQ(kCallbacks[std::size(kCallbacks) - 1].name, "DisconnectDoorbell");
  std::set<std::string> names;
  InterfaceVersion last = InterfaceVersion::Vista;
  for (const CallbackRow& each : kCallbacks) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(names.insert(each.name).second);
    EXPECT_TRUE(is_page(each.page));
    EXPECT_LE(each.min_irql, each.max_irql);
    EXPECT_LE(last, each.since);
    last = each.since;
  }
}

TEST(CallbackTable, HasTheDocumentedIrqls) {
  for (const char* name : {"CreateContextAllocation", "DestroyContextAllocation", "MapContextAllocation",
                           "UpdateContextAllocation", "EnumHandleChildren"}) {
    EXPECT_EQ(callback(name).max_irql, PASSIVE_LEVEL) << name;
  }
  for (const char* name : {"GetHandleData", "GetHandleParent", "AcquireHandleData", "ReleaseHandleData"}) {
    EXPECT_EQ(callback(name).max_irql, APC_LEVEL) << name;
  }
  EXPECT_EQ(callback("NotifyInterrupt").min_irql, DISPATCH_LEVEL + 1);
  EXPECT_EQ(callback("NotifyDpc").min_irql, DISPATCH_LEVEL);
  EXPECT_EQ(callback("QueueDpc").max_irql, HIGH_LEVEL);
  EXPECT_EQ(callback("DestroyContextAllocation").since, InterfaceVersion::Win8);
  EXPECT_EQ(callback("MapContextAllocation").since, InterfaceVersion::Wddm2_0);
}

TEST(CapsRules, EveryRowIsWellFormed) {
  std::set<std::string> ids;
  for (const CapsRuleRow& each : kCapsRules) {
    SCOPED_TRACE(each.id);
    EXPECT_TRUE(ids.insert(each.id).second);
    EXPECT_FALSE(each.kinds.empty());
    EXPECT_NE(each.evidence, Evidence::None);
    std::string where = each.where;
    bool documented = is_page(where) || where.starts_with("display/");
    EXPECT_FALSE(where.empty());
    EXPECT_TRUE(documented || each.evidence != Evidence::Documented) << where;
    EXPECT_TRUE(!documented || each.evidence != Evidence::Observed) << where;
  }
}

// A capability must not call for a function that its drivers may not have, or that does not exist yet.
TEST(CapsRules, SlotsFitTheirRule) {
  for (const CapsSlot& each : kCapsSlots) {
    SCOPED_TRACE(row(each.rule).id);
    EXPECT_EQ(row(each.rule).kinds.bits & row(each.ddi).banned.bits, 0) << row(each.ddi).name;
    EXPECT_LE(row(each.ddi).since, row(each.rule).since) << row(each.ddi).name;
  }
}

TEST(CapsRules, CarryTheRefusalsThatWereSeen) {
  EXPECT_EQ(row(CapsRule::FlipIndependent).since, InterfaceVersion::Wddm1_3);
  EXPECT_EQ(row(CapsRule::SmoothRotation).kinds, kinds::Display);
  EXPECT_EQ(row(CapsRule::UserModeDriverName).evidence, Evidence::Observed);
  EXPECT_FALSE(row(CapsRule::UserModeDriverName).kinds.has(DriverKind::ComputeOnly));
  EXPECT_NE(std::string(row(CapsRule::PagingBufferSegment).sentence).find("PagingBufferSegmentId"), std::string::npos);
}

}  // namespace
}  // namespace dxgk
