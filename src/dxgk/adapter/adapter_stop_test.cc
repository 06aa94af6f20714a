#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/memory/video_memory.h"
#include "dxgk/testing/client_fixture.h"

namespace dxgk {
namespace {

using testing::ClientTest;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Model;

class StopOf : public ClientTest {
 protected:
  explicit StopOf(Model model = Model::Wddm20) : ClientTest(model) {}
  void expect_clean() {
    EXPECT_TRUE(driver.empty());
    EXPECT_THAT(driver.complaints, IsEmpty());
    EXPECT_THAT(broken(), IsEmpty());
  }
};

TEST_F(StopOf, TakesTheSystemsObjectsThenTheDevice) {
  run_started([&](Adapter& adapter) {
    adapter.stop();
    EXPECT_EQ(adapter.state(), Adapter::State::Stopped);
    EXPECT_FALSE(adapter.talks_to_driver());
  });
  EXPECT_THAT(driver.log, ElementsAre("DestroyContext", "DestroyDevice", "DestroyDevice", "DestroyProcess",
                                      "StopDevice", "RemoveDevice"));
  expect_clean();
}

// The scheduler's thread may reset the adapter while it stops.
TEST_F(StopOf, LeavesAResetNothingToLose) {
  run_started([&](Adapter& adapter) {
    adapter.stop();
    adapter.memory().lose_contents();
  });
  expect_clean();
}

TEST_F(StopOf, TakesClientsFirst) {
  run_started([&](Adapter& adapter) {
    auto [process, device] = open(adapter);
    adapter.stop();
    std::vector<std::string> begin(driver.log.begin(), driver.log.begin() + 3);
    EXPECT_THAT(begin, ElementsAre("DestroyDevice", "DestroyProcess", "DestroyContext"));
    EXPECT_EQ(device->usable().status(), STATUS_DEVICE_REMOVED);
    EXPECT_TRUE(process->handles().get<Device>(device->handle).ok());  // the handle stays
    driver.log.clear();
    process->end();
    EXPECT_THAT(driver.log, IsEmpty());  // the driver has been told already
  });
  expect_clean();
}

TEST_F(StopOf, RefusesClientsAfterwards) {
  run_started([&](Adapter& adapter) {
    adapter.stop();
    base::Ref<Process> process = kernel().create_process("client");
    EXPECT_EQ(process->on(adapter).status(), STATUS_DEVICE_REMOVED);
    process->end();
  });
  expect_clean();
}

TEST_F(StopOf, CanBeFollowedByAnotherStart) {
  run_started([&](Adapter& adapter) {
    for (int i = 0; i < 50; ++i) {
      adapter.stop();
      auto again = adapter.start();
      ASSERT_TRUE(again.ok()) << adapter.refusal();
    }
    EXPECT_THAT(adapter.refusal(), IsEmpty());
  });
  expect_clean();
}

TEST_F(StopOf, AProcessComesAndGoesAtTheDriver) {
  run_started([&](Adapter& adapter) {
    base::Ref<Process> process = kernel().create_process("client");
    ASSERT_TRUE(process->on(adapter).ok());
    EXPECT_NE(process->on(adapter).value()->driver_process(), nullptr);
    process->end();
    EXPECT_THAT(driver.log, ElementsAre("CreateProcess", "DestroyProcess"));
    driver.fail(Ddi::CreateProcess, STATUS_NO_MEMORY);
    base::Ref<Process> refused = kernel().create_process("client 2");
    EXPECT_EQ(refused->on(adapter).status(), STATUS_NO_MEMORY);
    refused->end();
    EXPECT_THAT(kernel().processes(), IsEmpty());
  });
  expect_clean();
}

class StopOfWddm13 : public StopOf {
 protected:
  StopOfWddm13() : StopOf(Model::Wddm13) {}
};

TEST_F(StopOfWddm13, KnowsNoProcesses) {
  run_started([&](Adapter& adapter) {
    base::Ref<Process> process = kernel().create_process("client");
    ASSERT_TRUE(process->on(adapter).ok());
    process->end();
    EXPECT_THAT(driver.log, IsEmpty());
  });
  expect_clean();
}

// --- The firmware's picture ---

TEST_F(StopOf, GivesThePictureBackInsteadOfStopping) {
  hardware.post_device = true;
  run_started([&](Adapter& adapter) { adapter.stop(); });
  EXPECT_EQ(driver.calls(Ddi::StopDeviceAndReleasePostDisplayOwnership), 1u);
  EXPECT_EQ(driver.calls(Ddi::StopDevice), 0u);
  expect_clean();
}

TEST_F(StopOf, StopsWhenThePictureCannotBeGivenBack) {
  hardware.post_device = true;
  driver.fail(Ddi::StopDeviceAndReleasePostDisplayOwnership, STATUS_UNSUCCESSFUL);
  run_started([&](Adapter& adapter) { adapter.stop(); });
  EXPECT_EQ(driver.calls(Ddi::StopDevice), 1u);
}

// --- Surprise removal ---

TEST_F(StopOf, ASurpriseIsFollowedByTheOrdinaryEnd) {
  driver.caps.SupportSurpriseRemoval = TRUE;
  driver.table.DxgkDdiNotifySurpriseRemoval = [](PVOID, DXGK_SURPRISE_REMOVAL_TYPE) -> NTSTATUS {
    return STATUS_SUCCESS;
  };
  run_started([&](Adapter& adapter) {
    adapter.surprise_remove();
    EXPECT_EQ(adapter.state(), Adapter::State::Removed);
    EXPECT_FALSE(adapter.present());
  });
  EXPECT_THAT(driver.log, ElementsAre("DestroyContext", "DestroyDevice", "DestroyDevice", "DestroyProcess",
                                      "StopDevice", "RemoveDevice"));
  expect_clean();
}

// SR-04: nothing is said to it any more, and nothing is expected back.
TEST_F(StopOf, ADriverThatKnowsNoSurpriseIsLeftAlone) {
  run_started([&](Adapter& adapter) {
    auto [process, device] = open(adapter);
    adapter.surprise_remove();
    EXPECT_EQ(device->usable().status(), STATUS_DEVICE_REMOVED);
    EXPECT_THAT(adapter.refusal(), HasSubstr("Windows would restart"));
    process->end();
  });
  EXPECT_THAT(driver.log, IsEmpty());
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(StopOf, ADriverThatFailsTheSurpriseIsLeftAlone) {
  driver.caps.SupportSurpriseRemoval = TRUE;
  driver.table.DxgkDdiNotifySurpriseRemoval = [](PVOID, DXGK_SURPRISE_REMOVAL_TYPE) -> NTSTATUS {
    return STATUS_UNSUCCESSFUL;
  };
  run_started([&](Adapter& adapter) { adapter.surprise_remove(); });
  EXPECT_THAT(driver.log, IsEmpty());
}

// --- Power, leaks ---

TEST_F(StopOf, SleepsAndWakes) {
  run_started([&](Adapter& adapter) { EXPECT_TRUE(adapter.power_cycle()); });
  EXPECT_THAT(driver.log, Contains("SetPowerState(D3)"));
  EXPECT_THAT(driver.log, Contains("SetPowerState(D0)"));
  expect_clean();
}

TEST_F(StopOf, AFailedWakeIsAFinding) {
  observer.then = nt::Then::GoOn;
  driver.fail(Ddi::SetPowerState, STATUS_UNSUCCESSFUL, 2);
  run_started([&](Adapter& adapter) { EXPECT_FALSE(adapter.power_cycle()); });
  EXPECT_THAT(broken(), ElementsAre("IllegalStatus"));
}

TEST_F(StopOf, WhatTheDriverLeavesIsALeakOfItsAdapter) {
  observer.then = nt::Then::GoOn;
  driver.at[Ddi::StartDevice] = [] { ExAllocatePool2(POOL_FLAG_NON_PAGED, 16, 0x6B61654C); };
  run_started([](Adapter&) {});
  ASSERT_THAT(broken(), ElementsAre("Leak"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("adapter 1"));
}

}  // namespace
}  // namespace dxgk
