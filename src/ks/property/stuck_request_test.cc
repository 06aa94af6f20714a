#include "ks/property/stuck_request.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "ks/testing/ks_fixture.h"
#include "ks/testing/queue_fixture.h"
#include "nt/io/io_request.h"
#include "nt/io/irps.h"
#include "nt/testing/machine_fixture.h"

namespace ks {
namespace {

using nt::Machine;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

NTSTATUS dispatch(PDEVICE_OBJECT device, PIRP irp) {
  Queue& queue = *static_cast<Queue*>(device->DeviceExtension);
  auto probed = StreamIrp::probe(queue, *irp);
  EXPECT_TRUE(probed.ok());
  IoMarkIrpPending(irp);
  (void)queue.add(probed.take()).ok();
  return STATUS_PENDING;
}

class StuckRequestTest : public nt::MachineTest {
 protected:
  // What a run that is stopped leaves behind is never destroyed; it stays reachable, so that it counts as no leak.
  template <typename T, typename... Arguments>
  static T& keep(Arguments&&... arguments) {
    static auto& kept = *new std::vector<std::shared_ptr<void>>;
    auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    kept.push_back(made);
    return *made;
  }

  // A program waits for ever for a frame, with which the driver has done `act`. Returns the violation.
  nt::ViolationReport wait_for_ever(const std::function<void(StreamPointer& leading)>& act) {
    run_to_stop([&] {
      auto& lone = keep<LoneQueue>(machine(), LoneQueue::Options{});
      machine().irps().own_routine(&dispatch);
      DRIVER_OBJECT driver{};
      driver.MajorFunction[IRP_MJ_DEVICE_CONTROL] = &dispatch;
      DEVICE_OBJECT device{};
      device.DriverObject = &driver;
      device.DeviceExtension = &*lone.queue;
      auto& client = keep<ClientRequest>(machine());
      auto& request = keep<nt::IoRequest>(machine());
      IoSkipCurrentIrpStackLocation(client.irp);
      EXPECT_EQ(request.send(device, *client.irp), STATUS_PENDING);
      act(*lone.queue->leading());
      request.wait();
    });
    EXPECT_EQ(broken(), Names{"Deadlock"});
    return observer.violations.empty() ? nt::ViolationReport{} : observer.violations[0];
  }
};

TEST_F(StuckRequestTest, ACloneThatHoldsTheFrameIsNamed) {
  nt::ViolationReport violation = wait_for_ever([](StreamPointer& leading) {
    EXPECT_EQ(leading.lock(), STATUS_SUCCESS);
    EXPECT_TRUE(leading.clone(nullptr, 0).ok());
    leading.unlock(Eject::Yes);
  });
  EXPECT_THAT(violation.sentence, HasSubstr("is held by a locked clone"));
  ASSERT_FALSE(violation.stacks.empty());
  EXPECT_EQ(violation.stacks.back().role, "a locked clone was made or locked");
  EXPECT_GT(violation.stacks.back().stack.count, 0u);
}

TEST_F(StuckRequestTest, ALockedEdgeIsNamed) {
  nt::ViolationReport violation =
      wait_for_ever([](StreamPointer& leading) { EXPECT_EQ(leading.lock(), STATUS_SUCCESS); });
  EXPECT_THAT(violation.sentence, HasSubstr("is held by the leading edge"));
}

TEST_F(StuckRequestTest, AFrameThatTheDriverHasNotReachedIsReported) {
  nt::ViolationReport violation = wait_for_ever([](StreamPointer&) {});
  EXPECT_THAT(violation.sentence, HasSubstr("is in its queue, and its driver has not come to it"));
}

// --- Properties and methods ---

constexpr GUID kSet = {0x99999999, 1, 1, {1, 1, 2, 3, 5, 8, 13, 21}};

NTSTATUS keeps_it(PIRP irp, PKSIDENTIFIER, PVOID) {
  IoMarkIrpPending(irp);
  return STATUS_PENDING;
}
NTSTATUS keeps_it_too(PIRP irp, PKSIDENTIFIER id, PVOID data) { return keeps_it(irp, id, data); }

DEFINE_KSPROPERTY_TABLE(kProperties){DEFINE_KSPROPERTY_ITEM(7, keeps_it, sizeof(KSPROPERTY), sizeof(ULONG),
                                                            keeps_it_too, nullptr, 0, nullptr, nullptr, 0)};
const KSPROPERTY_SET kPropertySets[] = {DEFINE_KSPROPERTY_SET(&kSet, 1, kProperties, 0, nullptr)};
const KSMETHOD_ITEM kMethods[] = {DEFINE_KSMETHOD_ITEM(3, KSMETHOD_TYPE_NONE, keeps_it, sizeof(KSMETHOD), 0, nullptr)};
const KSMETHOD_SET kMethodSets[] = {DEFINE_KSMETHOD_SET(&kSet, 1, kMethods, 0, nullptr)};
const KSAUTOMATION_TABLE kTable = {DEFINE_KSAUTOMATION_PROPERTIES(kPropertySets),
                                   DEFINE_KSAUTOMATION_METHODS(kMethodSets), DEFINE_KSAUTOMATION_EVENTS_NULL};

class StuckHandlerTest : public testing::KsTest {
 protected:
  StuckHandlerTest() { driver.filter_descriptor.AutomationTable = &kTable; }

  // A program asks a filter, which has no queue, and waits for ever.
  nt::ViolationReport ask_for_ever(ULONG code, ULONG id, ULONG flags) {
    run_stuck([&] {
      HANDLE filter = open_filter();
      KSIDENTIFIER request{};
      request.Set = kSet;
      request.Id = id;
      request.Flags = flags;
      ULONG data = 0;
      program().control(filter, code, &request, sizeof(request), &data, sizeof(data));
      ADD_FAILURE() << "the request was completed";
    });
    EXPECT_EQ(broken(), Names{"Deadlock"});
    return observer.violations.empty() ? nt::ViolationReport{} : observer.violations[0];
  }
  static bool shows(const nt::ViolationReport& violation, const std::string& role, PFNKSHANDLER routine) {
    return std::ranges::any_of(violation.stacks, [&](const nt::RoleStack& stack) {
      return stack.role == role && stack.stack.count == 1 &&
             stack.stack.pc[0] == reinterpret_cast<uintptr_t>(routine) + 1;
    });
  }
};

TEST_F(StuckHandlerTest, APropertyThatIsReadNamesItsHandler) {
  nt::ViolationReport violation = ask_for_ever(IOCTL_KS_PROPERTY, 7, KSPROPERTY_TYPE_GET);
  EXPECT_THAT(violation.sentence,
              HasSubstr("a request: property 7 of set {99999999-0001-0001-0101-020305080D15} is read, "
                        "and the driver's handler let it pend"));
  EXPECT_TRUE(shows(violation, "the handler of the property", &keeps_it));
}

TEST_F(StuckHandlerTest, APropertyThatIsSetNamesItsHandler) {
  nt::ViolationReport violation = ask_for_ever(IOCTL_KS_PROPERTY, 7, KSPROPERTY_TYPE_SET);
  EXPECT_THAT(violation.sentence, HasSubstr("is set, and the driver's handler let it pend"));
  EXPECT_TRUE(shows(violation, "the handler of the property", &keeps_it_too));
}

TEST_F(StuckHandlerTest, AMethodThatPendsNamesItsHandler) {
  nt::ViolationReport violation = ask_for_ever(IOCTL_KS_METHOD, 3, KSMETHOD_TYPE_NONE);
  EXPECT_THAT(violation.sentence, HasSubstr("method 3 of set {99999999-"));
  EXPECT_TRUE(shows(violation, "the handler of the method", &keeps_it));
}

}  // namespace
}  // namespace ks
