#include "ks/stuck_request.h"

#include <gmock/gmock.h>

#include <memory>
#include <vector>

#include "ks/queue_fixture.h"
#include "nt/io_request.h"
#include "nt/irps.h"
#include "nt/machine_fixture.h"

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

  // A program waits for ever for a frame, with which the driver has done `act`. What is told.
  nt::Breach wait_for_ever(const std::function<void(StreamPointer& leading)>& act) {
    EXPECT_EQ(run([&] {
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
              }),
              Machine::Ended::Stopped);
    EXPECT_EQ(broken(), Names{"Deadlock"});
    return probe.breaches.empty() ? nt::Breach{} : probe.breaches[0];
  }
};

TEST_F(StuckRequestTest, ACloneThatHoldsTheFrameIsNamed) {
  nt::Breach breach = wait_for_ever([](StreamPointer& leading) {
    EXPECT_EQ(leading.lock(), STATUS_SUCCESS);
    EXPECT_TRUE(leading.clone(nullptr, 0).ok());
    leading.unlock(Eject::Yes);
  });
  EXPECT_THAT(breach.sentence, HasSubstr("is held by a locked clone"));
  ASSERT_FALSE(breach.stacks.empty());
  EXPECT_EQ(breach.stacks.back().role, "a locked clone was made or locked");
  EXPECT_GT(breach.stacks.back().stack.count, 0u);
}

TEST_F(StuckRequestTest, ALockedEdgeIsNamed) {
  nt::Breach breach = wait_for_ever([](StreamPointer& leading) { EXPECT_EQ(leading.lock(), STATUS_SUCCESS); });
  EXPECT_THAT(breach.sentence, HasSubstr("is held by the leading edge"));
}

TEST_F(StuckRequestTest, AFrameThatTheDriverHasNotComeToIsToldSo) {
  nt::Breach breach = wait_for_ever([](StreamPointer&) {});
  EXPECT_THAT(breach.sentence, HasSubstr("is in its queue, and its driver has not come to it"));
}

}  // namespace
}  // namespace ks
