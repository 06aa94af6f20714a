#include "dxgk/ddi/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/testing/graphics_fixture.h"
#include "nt/boundary/driver_call.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using testing::FakeMiniport;
using testing::GraphicsTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Model;

TEST(Driver, EveryModelOfTheFakePassesRegistration) {
  for (Model model : {Model::Wddm13, Model::Wddm20, Model::RenderOnly, Model::ComputeOnly, Model::DisplayOnly}) {
    FakeMiniport fake(model);
    auto checked = Driver::check(fake.table, fake.registered_as());
    EXPECT_TRUE(checked.ok()) << checked.failure().why();
  }
}

// Observed: one missing entry is enough, and a zeroed table fails the same way.
TEST(Driver, AMissingSlotIsARevisionMismatchThatNamesIt) {
  FakeMiniport fake;
  fake.table.DxgkDdiResetDevice = nullptr;
  auto checked = Driver::check(fake.table, DriverKind::Full);
  EXPECT_EQ(checked.status(), STATUS_REVISION_MISMATCH);
  EXPECT_THAT(checked.failure().why(), HasSubstr("DxgkDdiResetDevice"));

  DRIVER_INITIALIZATION_DATA empty{};
  EXPECT_EQ(Driver::check(empty, DriverKind::Full).status(), STATUS_REVISION_MISMATCH);
}

// What only some kinds need is judged when the kind is known: Windows lets these pass (observed).
TEST(Driver, WhatOneKindNeedsIsNotAskedForAtRegistration) {
  FakeMiniport fake;
  fake.table.DxgkDdiQueryDependentEngineGroup = nullptr;
  fake.table.DxgkDdiCommitVidPn = nullptr;
  EXPECT_TRUE(Driver::check(fake.table, DriverKind::Full).ok());
}

TEST(Driver, VersionsThatDoNotExistAreRefused) {
  FakeMiniport fake;
  fake.table.Version = 0x1000;
  EXPECT_EQ(Driver::check(fake.table, DriverKind::Full).status(), STATUS_REVISION_MISMATCH);
  fake.table.Version = 0x20000;
  EXPECT_EQ(Driver::check(fake.table, DriverKind::Full).status(), STATUS_REVISION_MISMATCH);
  fake.table.Version = static_cast<uint32_t>(InterfaceVersion::Win7);  // display-only drivers came later
  EXPECT_EQ(Driver::check(fake.table, DriverKind::DisplayOnly).status(), STATUS_REVISION_MISMATCH);
}

TEST(Driver, ReservedSlotsAreKnownByNameAndVersion) {
  FakeMiniport fake(Model::Wddm13);
  EXPECT_EQ(filled_reserved_slot(fake.table), nullptr);
  fake.table.Reserved1 = &fake;  // of WDDM 2.0: not looked at yet
  EXPECT_EQ(filled_reserved_slot(fake.table), nullptr);
  fake.table.DxgkDdiSubmitRender = &fake;
  EXPECT_STREQ(filled_reserved_slot(fake.table), "DxgkDdiSubmitRender");
}

TEST(Driver, ADisplayOnlyTableKeepsItsSlots) {
  FakeMiniport fake(Model::DisplayOnly);
  KMDDOD_INITIALIZATION_DATA table{};
  table.Version = fake.table.Version;
  table.DxgkDdiAddDevice = fake.table.DxgkDdiAddDevice;
  table.DxgkDdiPowerRuntimeSetDeviceHandle = &table;  // the last
  DRIVER_INITIALIZATION_DATA full = as_full_table(table);
  EXPECT_EQ(full.Version, fake.table.Version);
  EXPECT_EQ(full.DxgkDdiAddDevice, fake.table.DxgkDdiAddDevice);
  EXPECT_EQ(full.DxgkDdiPowerRuntimeSetDeviceHandle, &table);
  EXPECT_FALSE(fills(full, Ddi::StartDevice));
  EXPECT_FALSE(fills(full, Ddi::PresentDisplayOnly));
}

// --- The functions that drivers call ---

class DxgkInitializeTest : public GraphicsTest {
 protected:
  NTSTATUS initialize() { return DxgkInitialize(object, nullptr, &driver.table); }
  void run_with_kernel(const std::function<void()>& body) {
    run([&] {
      Kernel made(machine(), policy);
      only = &made;
      object = make_internal<DRIVER_OBJECT>();
      body();
    });
  }
  Kernel* only = nullptr;
  DRIVER_OBJECT* object = nullptr;
};

TEST_F(DxgkInitializeTest, CopiesTheTable) {
  run_with_kernel([&] {
    EXPECT_EQ(initialize(), STATUS_SUCCESS);
    Driver* registered = only->driver_of(object);
    ASSERT_NE(registered, nullptr);
    auto kept = driver.table.DxgkDdiStartDevice;
    driver.table.DxgkDdiStartDevice = nullptr;
    EXPECT_EQ(registered->table().DxgkDdiStartDevice, kept);
    driver.table.DxgkDdiStartDevice = kept;
    EXPECT_EQ(initialize(), STATUS_INVALID_PARAMETER);  // once
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DxgkInitializeTest, RefusesATableThatWindowsRefuses) {
  driver.table.DxgkDdiStopDevice = nullptr;
  run_with_kernel([&] {
    EXPECT_EQ(initialize(), STATUS_REVISION_MISMATCH);
    EXPECT_EQ(only->driver_of(object), nullptr);
    EXPECT_EQ(object->DriverUnload, nullptr);
  });
}

TEST_F(DxgkInitializeTest, RefusesOnAMachineWithoutAGraphicsKernel) {
  run([&] { EXPECT_EQ(DxgkInitialize(make_internal<DRIVER_OBJECT>(), nullptr, &driver.table), STATUS_NOT_SUPPORTED); });
}

TEST_F(DxgkInitializeTest, UnloadsThroughThePortDriver) {
  run_with_kernel([&] {
    ASSERT_EQ(initialize(), STATUS_SUCCESS);
    ASSERT_NE(object->DriverUnload, nullptr);
    nt::call_driver(machine(), "DriverUnload", nullptr, object->DriverUnload, object);
    EXPECT_EQ(only->driver_of(object), nullptr);
    EXPECT_EQ(DxgkUnInitialize(object), STATUS_INVALID_PARAMETER);
  });
  EXPECT_THAT(driver.log, ElementsAre("Unload"));
}

TEST_F(DxgkInitializeTest, ADriverCanUnregisterItself) {
  run_with_kernel([&] {
    ASSERT_EQ(initialize(), STATUS_SUCCESS);
    EXPECT_EQ(DxgkUnInitialize(object), STATUS_SUCCESS);
    EXPECT_EQ(only->driver_of(object), nullptr);
  });
}

}  // namespace
}  // namespace dxgk
