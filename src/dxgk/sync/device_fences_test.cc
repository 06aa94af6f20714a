#include "dxgk/sync/device_fences.h"

#include <gmock/gmock.h>

#include "dxgk/sync/queue_sync.h"
#include "dxgk/testing/gpu_fixture.h"
#include "dxgk/work/gpu.h"

namespace dxgk::testing {
namespace {

using ::testing::IsEmpty;
using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

class DeviceFencesTest : public GpuTest {
 protected:
  static ob::UnpublishedObject<SyncObject> make_fence(const Client& client, Flags flags = {},
                                                      D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type = D3DDDI_MONITORED_FENCE) {
    SyncObject::Info info{};
    info.Type = type;
    info.Flags = flags;
    return SyncObject::create(*client.device, info).take();
  }
  // As D3DKMTCreateSynchronizationObject2 and D3DKMTOpenSyncObjectFromNtHandle2 leave it.
  ob::UnpublishedObject<SyncObjectView> view(const Client& client, ob::UnpublishedObject<SyncObject> object) {
    return ob::UnpublishedObject<SyncObjectView>::adopt(
        new SyncObjectView(std::move(object), {}, *client.device, kernel().ordinals()));
  }
};

TEST_F(DeviceFencesTest, ALossGivesTheMaximumUnlessItIsNotWanted) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Flags keeps{};
    keeps.NoSignalMaxValueOnTdr = 1;
    auto fence = view(client, make_fence(client));
    auto kept = view(client, make_fence(client, keeps));
    auto legacy = view(client, make_fence(client, {}, D3DDDI_FENCE));
    adapter.gpu().lose(*client.device, Device::State::Reset);
    EXPECT_EQ(fence->object().value(), UINT64_MAX);
    EXPECT_EQ(kept->object().value(), 0u);
    EXPECT_EQ(legacy->object().value(), 0u);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DeviceFencesTest, AFenceOfAnotherDeviceIsLeftAlone) {
  run_started([&](Adapter& adapter) {
    Client lost = open(adapter, "lost"), other = open(adapter, "other");
    auto fence = view(other, make_fence(other));
    adapter.gpu().lose(*lost.device, Device::State::Reset);
    EXPECT_EQ(fence->object().value(), 0u);
    lost.process->end();
    other.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// The device is destroyed before the view is, and the view of another before the device is lost.
TEST_F(DeviceFencesTest, ViewsAndDevicesGoInAnyOrder) {
  run_started([&](Adapter& adapter) {
    Client early = open(adapter, "early"), late = open(adapter, "late");
    auto left = view(early, make_fence(early));
    early.process->end();
    { auto gone = view(late, make_fence(late)); }
    adapter.gpu().lose(*late.device, Device::State::Reset);
    late.process->end();
    EXPECT_LE(left->object().value(), UINT64_MAX);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DeviceFencesTest, AFenceThatIsMadeForALostDeviceHasItsMaximumAtOnce) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    auto fence = make_fence(client);
    adapter.gpu().lose(*client.device, Device::State::Reset);
    auto late = view(client, std::move(fence));
    EXPECT_EQ(late->object().value(), UINT64_MAX);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// Documented for a TDR. Before, the queue of the other device stood still for ever.
TEST_F(DeviceFencesTest, AQueueOfAnotherDeviceThatWaitsGoesOn) {
  run_started([&](Adapter& adapter) {
    Client hung = open(adapter, "hung"), other = open(adapter, "other");
    base::Ref<Context> context = make_context(other);
    auto fence = view(hung, make_fence(hung));
    FenceValue one{base::Ref<SyncObject>::share(fence->object()), 1};
    {
      ParkingLock lock(other.device->mutex());
      ASSERT_TRUE(queue_wait(*context, {&one, 1}).ok());
    }
    ASSERT_TRUE(submit(context).ok());
    settle();
    EXPECT_EQ(driver.calls(Ddi::SubmitCommandVirtual), 0u);
    adapter.gpu().lose(*hung.device, Device::State::Hung);
    wait_for_submissions(1);
    complete(1);
    EXPECT_EQ(other.device->state(), Device::State::Active);
    EXPECT_TRUE(context->work().idle());
    destroy(other, *context);
    hung.process->end();
    other.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk::testing
