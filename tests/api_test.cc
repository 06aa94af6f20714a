// The public API on the drivers of this tree, linked in: the same code that libdrydock.so holds.
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "abi/shared/d3dkmthk.h"
#include "abi/shared/ntstatus.h"
#include "drydock/drydock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using drydock::Host;
using drydock::HostOptions;
using drydock::kMachineStopped;
using drydock::kSuccess;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string driver(const std::string& name) { return std::string(DRYDOCK_API_DRIVERS) + "/" + name + ".so"; }

std::vector<std::string> rules(const Host& host) {
  std::vector<std::string> ids;
  for (const drydock::Finding& finding : host.findings()) ids.push_back(finding.rule);
  return ids;
}

class ApiHost : public ::testing::Test {
 protected:
  Host host{driver("skeleton")};
  drydock::Process process = host.process("tester");
  drydock::Device device = process.open_device();

  void SetUp() override {
    ASSERT_TRUE(host.started()) << host.refusal();
    ASSERT_TRUE(device) << device.why();
  }
  void expect_clean() {
    host.stop();
    EXPECT_THAT(host.findings(), IsEmpty()) << host.report();
  }
};

TEST(ApiVersion, IsTheProjects) { EXPECT_STREQ(drydock::version(), DRYDOCK_PROJECT_VERSION); }

// --- Life ---

TEST_F(ApiHost, StartsAndStops) {
  EXPECT_FALSE(host.stopped());
  EXPECT_EQ(host.stop_reason(), "");
  EXPECT_EQ(host.calls("DxgkDdiStartDevice"), 1u);
  expect_clean();
  EXPECT_TRUE(host.stopped());
  EXPECT_EQ(host.stop_reason(), "the host was stopped");
  EXPECT_EQ(host.calls("DxgkDdiRemoveDevice"), 1u);
  EXPECT_EQ(host.calls("DxgkDdiNoSuchThing"), 0u);
  host.stop();
}

TEST_F(ApiHost, IsAloneInItsProcessAndMakesRoomForTheNext) {
  Host second(driver("skeleton"));
  EXPECT_FALSE(second.started());
  EXPECT_THAT(second.refusal(), HasSubstr("another host"));
  expect_clean();
  Host third(driver("skeleton"));
  EXPECT_TRUE(third.started()) << third.refusal();
}

TEST_F(ApiHost, MovesWithItsMachine) {
  Host moved = std::move(host);
  EXPECT_EQ(moved.calls("DxgkDdiStartDevice"), 1u);
  host = std::move(moved);
  EXPECT_TRUE(device.create_resource());
}

TEST(ApiRefusal, NamesAFileThatIsNotThere) {
  Host host("/no/such/driver.so");
  EXPECT_FALSE(host.started());
  EXPECT_THAT(host.refusal(), HasSubstr("/no/such/driver.so"));
  EXPECT_TRUE(host.stopped());
  EXPECT_THAT(host.report(), HasSubstr("/no/such/driver.so"));
  EXPECT_EQ(host.process().open_device().status(), kMachineStopped);
}

TEST(ApiRefusal, SaysWhatTheDriverSaidWrong) {
  Host host(driver("refused"));
  EXPECT_FALSE(host.started());
  EXPECT_THAT(host.refusal(), HasSubstr("WDDMVersion"));
  EXPECT_EQ(host.calls("DxgkDdiStartDevice"), 1u);
  EXPECT_EQ(host.calls("DxgkDdiRemoveDevice"), 1u);
  drydock::Device device = host.process().open_device();
  EXPECT_FALSE(device);
  EXPECT_THAT(device.why(), HasSubstr("WDDMVersion"));
}

// --- Calls ---

TEST_F(ApiHost, DestroysAResourceInOneCall) {
  drydock::Resource resource = device.create_resource(3);
  ASSERT_TRUE(resource) << resource.why();
  EXPECT_NE(resource.handle(), 0u);
  ASSERT_EQ(resource.allocations().size(), 3u);
  EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 0u);
  EXPECT_EQ(resource.destroy(drydock::SynchronousDestroy), kSuccess);
  EXPECT_EQ(host.calls("DxgkDdiCloseAllocation"), 1u);
  EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 1u);
  expect_clean();
}

TEST_F(ApiHost, DestroysWhatWasPutOffWhenTimePasses) {
  drydock::Resource resource = device.create_resource();
  EXPECT_EQ(resource.destroy(), kSuccess);
  host.pass_time(std::chrono::seconds(1));
  EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 1u);
  expect_clean();
}

TEST_F(ApiHost, DestroysAListOfAllocations) {
  drydock::AllocationOptions options;
  options.count = 2;
  std::vector<drydock::Allocation> allocations = device.create_allocations(options);
  ASSERT_EQ(allocations.size(), 2u) << process.why();
  drydock::Resource resource = device.create_resource(2);
  EXPECT_EQ(device.destroy({allocations[0], resource.allocations()[0]}), STATUS_INVALID_PARAMETER);
  EXPECT_THAT(process.why(), HasSubstr("D3DKMTDestroyAllocation2"));
  EXPECT_EQ(device.destroy(allocations, drydock::SynchronousDestroy | drydock::AssumeNotInUse), kSuccess);
  EXPECT_EQ(resource.allocations()[1].destroy(), kSuccess);
  EXPECT_EQ(resource.destroy(), kSuccess);
  EXPECT_EQ(device.destroy(), kSuccess);
  host.stop();
  EXPECT_EQ(rules(host).size(), 1u) << host.report();  // the mixed list
}

TEST_F(ApiHost, GivesTheDriverTheClientsOwnData) {
  drydock::ResourceOptions options;
  options.private_data = {0, 0, 2, 0, 0, 0, 0, 0};
  drydock::Resource resource = device.create_resource(options);
  ASSERT_TRUE(resource) << resource.why();
  EXPECT_EQ(process.ledger().bytes, 0x20000u);
}

TEST_F(ApiHost, ReachesEveryFunctionByName) {
  D3DKMT_GETDEVICESTATE state{};
  state.hDevice = device.handle();
  state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  EXPECT_EQ(process.call("D3DKMTGetDeviceState", &state), kSuccess) << process.why();
  EXPECT_EQ(state.ExecutionState, D3DKMT_DEVICEEXECUTION_ACTIVE);
}

TEST_F(ApiHost, RefusesNamesAndStructuresThatItDoesNotKnow) {
  D3DKMT_DESTROYDEVICE args{};
  EXPECT_EQ(process.call("D3DKMTNoSuchThing", &args), STATUS_NOT_SUPPORTED);
  EXPECT_THAT(process.why(), HasSubstr("D3DKMTNoSuchThing"));
  EXPECT_EQ(process.call("D3DKMTCreateAllocation2", &args), STATUS_INVALID_PARAMETER);
  EXPECT_THAT(process.why(), HasSubstr("72 bytes"));
  EXPECT_EQ(process.call("D3DKMTSetQueuedLimit", &args), STATUS_NOT_SUPPORTED);
  EXPECT_THAT(process.why(), HasSubstr("D3DKMTSetQueuedLimit"));
}

TEST_F(ApiHost, ExplainsTheLastRefusalEachTime) {
  D3DKMT_DESTROYDEVICE device_of_nobody{};
  D3DKMT_GETDEVICESTATE state_of_nobody{};
  for (int i = 0; i < 2; ++i) {
    EXPECT_LT(process.call("D3DKMTDestroyDevice", &device_of_nobody), 0);
    EXPECT_THAT(process.why(), HasSubstr("D3DKMTDestroyDevice"));
    EXPECT_LT(process.call("D3DKMTGetDeviceState", &state_of_nobody), 0);
    EXPECT_THAT(process.why(), HasSubstr("D3DKMTGetDeviceState"));
  }
}

// --- Processes ---

TEST_F(ApiHost, KeepsALedgerBeyondTheProcess) {
  ASSERT_TRUE(device.create_resource(2));
  drydock::Ledger ledger = process.ledger();
  EXPECT_EQ(ledger.of("device").live, 1u);
  EXPECT_EQ(ledger.of("resource").created, 1u);
  EXPECT_EQ(ledger.of("allocation").live, 2u);
  EXPECT_EQ(ledger.of("unicorn").created, 0u);
  process.end();
  EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 1u);
  ledger = process.ledger();
  EXPECT_EQ(ledger.of("allocation").created, 2u);
  EXPECT_EQ(ledger.of("allocation").live, 0u);
  EXPECT_GT(ledger.leaks, 0u);
  EXPECT_EQ(process.open_adapter(), 0u);
  EXPECT_THAT(process.why(), HasSubstr("tester has ended"));
}

TEST_F(ApiHost, SharesBetweenProcesses) {
  drydock::ResourceOptions options;
  options.sharing = drydock::Sharing::GlobalHandle;
  drydock::Resource resource = device.create_resource(options);
  ASSERT_TRUE(resource) << resource.why();
  EXPECT_NE(resource.global_share(), 0u);
  drydock::Device other = host.process("other").open_device();
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = other.handle();
  query.hGlobalShare = resource.global_share();
  EXPECT_EQ(other.process().call("D3DKMTQueryResourceInfo", &query), kSuccess) << other.process().why();
  EXPECT_EQ(query.NumAllocations, 1u);
  expect_clean();
}

TEST_F(ApiHost, RunsThreadsOfItsClientsTogether) {
  std::vector<std::function<void()>> bodies;
  int made = 0;
  for (int i = 0; i < 4; ++i) {
    bodies.push_back([&] {
      drydock::Resource resource = device.create_resource(2);
      if (resource && resource.destroy(drydock::SynchronousDestroy) == kSuccess) ++made;
    });
  }
  EXPECT_TRUE(host.together(bodies));
  EXPECT_EQ(made, 4);
  EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 4u);
  expect_clean();
}

// --- What goes wrong ---

TEST(ApiFindings, SayWhatWasLeftAndWhoAllocatedIt) {
  Host host(driver("leaks"));
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Resource resource = host.process().open_device().create_resource();
  EXPECT_EQ(resource.destroy(drydock::SynchronousDestroy), kSuccess);
  host.stop();
  std::vector<drydock::Finding> findings = host.findings();
  ASSERT_EQ(findings.size(), 1u) << host.report();
  EXPECT_EQ(findings[0].level, drydock::Level::Error);
  EXPECT_THAT(findings[0].text(), HasSubstr("skeleton.c"));
  EXPECT_THAT(findings[0].text(), HasSubstr("CreateAllocation"));
  EXPECT_THAT(host.report(), HasSubstr("errors: 1, warnings: 0"));
}

TEST(ApiFindings, ACrashStopsTheMachineAndEveryCallSaysWhy) {
  Host host(driver("crashes"));
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Process process = host.process();
  drydock::Device device = process.open_device();
  drydock::Resource resource = device.create_resource();
  EXPECT_EQ(resource.status(), kMachineStopped);
  EXPECT_THAT(resource.why(), HasSubstr("the machine has stopped"));
  EXPECT_TRUE(host.stopped());
  EXPECT_EQ(device.destroy(), kMachineStopped);
  EXPECT_THAT(process.why(), HasSubstr("the machine has stopped"));
  EXPECT_FALSE(host.together({[] { FAIL() << "there is no machine to run this"; }}));
  EXPECT_EQ(host.calls("DxgkDdiCreateAllocation"), 1u);
  ASSERT_THAT(host.findings(), Not(IsEmpty()));
  EXPECT_THAT(host.findings()[0].text(), HasSubstr("altered.c"));
  EXPECT_EQ(process.ledger().of("device").live, 1u);
  host.stop();
  EXPECT_EQ(host.calls("DxgkDdiCreateAllocation"), 1u);
  EXPECT_THAT(host.findings(), Not(IsEmpty()));
}

TEST(ApiFindings, ACrashLeavesRoomForTheNextHost) {
  for (int i = 0; i < 3; ++i) {
    Host host(driver("crashes"));
    ASSERT_TRUE(host.started()) << host.refusal();
    EXPECT_EQ(host.process().open_device().create_resource().status(), kMachineStopped);
  }
  Host host(driver("skeleton"));
  ASSERT_TRUE(host.started()) << host.refusal();
  EXPECT_TRUE(host.process().open_device().create_resource());
}

// --- Options ---

TEST(ApiOptions, ATraceGoesToAFile) {
  std::string pattern = ::testing::TempDir() + "drydock_api_XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  HostOptions options(driver("skeleton"));
  options.trace_file = pattern + "/trace";
  {
    Host host(options);
    ASSERT_TRUE(host.started()) << host.refusal();
    EXPECT_TRUE(host.process().open_device().create_resource());
  }
  EXPECT_GT(std::filesystem::file_size(options.trace_file), 1000u);
  std::filesystem::remove_all(pattern);
}

TEST(ApiOptions, ATraceThatCannotBeWrittenIsARefusal) {
  HostOptions options(driver("skeleton"));
  options.trace_file = "/no/such/folder/trace";
  Host host(options);
  EXPECT_FALSE(host.started());
  EXPECT_THAT(host.refusal(), HasSubstr("/no/such/folder/trace"));
}

TEST(ApiOptions, WslAnswersDifferently) {
  HostOptions options(driver("skeleton"));
  options.like_wsl = true;
  Host host(options);
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Device device = host.process().open_device();
  EXPECT_EQ(device.destroy(std::vector<drydock::Allocation>{}), STATUS_INVALID_PARAMETER);
}

TEST(ApiOptions, ALiveMachineDoesTheSame) {
  HostOptions options(driver("skeleton"));
  options.live = true;
  Host host(options);
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Resource resource = host.process().open_device().create_resource(2);
  ASSERT_TRUE(resource) << resource.why();
  EXPECT_EQ(resource.destroy(drydock::SynchronousDestroy), kSuccess);
  EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 1u);
  host.stop();
  EXPECT_THAT(host.findings(), IsEmpty()) << host.report();
}

TEST(ApiSoftgpu, RunsTheReferenceDriver) {
  HostOptions options(DRYDOCK_SOFTGPU);
  Host host(options);
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Resource resource = host.process().open_device().create_resource(2);
  ASSERT_TRUE(resource) << resource.why();
  EXPECT_EQ(resource.destroy(drydock::SynchronousDestroy), kSuccess);
  EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 1u);
  host.stop();
  EXPECT_THAT(host.findings(), IsEmpty()) << host.report();
}

}  // namespace
