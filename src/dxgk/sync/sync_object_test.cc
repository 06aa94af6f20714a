#include "dxgk/sync/sync_object.h"

#include "dxgk/object/device.h"
#include "dxgk/testing/counting_event.h"
#include "dxgk/testing/graphics_fixture.h"

namespace dxgk::testing {
namespace {

using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

class SyncObjectTest : public GraphicsTest {
 protected:
  void run_device(const std::function<void(Device&)>& body) {
    auto ended = run_started([&](Adapter& adapter) {
      base::Ref<Process> process = kernel().create_process("client");
      {
        ob::UnpublishedObject<Device> device = Device::create(process->on(adapter).take()).take();
        body(*device);
      }
      process->end();
    });
    EXPECT_EQ(ended, nt::Machine::Ended::Returned);
  }
  static SyncObject::Info info(D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, UINT flags = 0) {
    SyncObject::Info made{};
    made.Type = type;
    made.Flags.Value = flags;
    return made;
  }
  static UINT value(bool shared, bool nt_handles) {
    Flags flags{};
    flags.Shared = shared;
    flags.NtSecuritySharing = nt_handles;
    return flags.Value;
  }
};

TEST_F(SyncObjectTest, IsSharedAsItsFlagsSay) {
  run_device([&](Device& device) {
    using Sharing = SyncObject::Sharing;
    auto sharing = [&](UINT flags) { return SyncObject::create(device, info(D3DDDI_FENCE, flags)).take()->sharing(); };
    EXPECT_EQ(sharing(value(false, false)), Sharing::Private);
    EXPECT_EQ(sharing(value(true, false)), Sharing::GlobalHandle);
    EXPECT_EQ(sharing(value(true, true)), Sharing::NtHandle);
  });
}

TEST_F(SyncObjectTest, APeriodicFenceSaysWhyThereIsNone) {
  run_device([&](Device& device) {
    auto refused = SyncObject::create(device, info(D3DDDI_PERIODIC_MONITORED_FENCE));
    EXPECT_EQ(refused.status(), STATUS_NOT_SUPPORTED);
  });
}

TEST_F(SyncObjectTest, LivesWhileAViewHasItOpen) {
  run_device([&](Device& device) {
    ob::UnpublishedObject<SyncObject> object = SyncObject::create(device, info(D3DDDI_FENCE)).take();
    base::Ref<SyncObject> shared = object.ref();
    auto first =
        ob::UnpublishedObject<SyncObjectView>::adopt(new SyncObjectView(std::move(object), {}, kernel().ordinals()));
    {
      auto second = ob::UnpublishedObject<SyncObjectView>::adopt(
          new SyncObjectView(*ob::UnpublishedObject<SyncObject>::open(*shared), {}, kernel().ordinals()));
      EXPECT_EQ(shared->handle_count(), 2u);
    }
    EXPECT_EQ(shared->handle_count(), 1u);
    { ob::UnpublishedObject<SyncObjectView> last = std::move(first); }
    EXPECT_EQ(shared->handle_count(), 0u);
  });
}

TEST_F(SyncObjectTest, AnOpenersFlagsAreJudgedForItsType) {
  run_device([&](Device& device) {
    auto monitored = SyncObject::create(device, info(D3DDDI_MONITORED_FENCE, value(true, true))).take();
    auto mutex = SyncObject::create(device, info(D3DDDI_SYNCHRONIZATION_MUTEX, value(true, true))).take();
    Flags no_wait{}, nothing{};
    no_wait.NoWait = nothing.NoWait = nothing.NoSignal = 1;
    EXPECT_TRUE(SyncObjectView::check_open(device, *monitored, {}).ok());
    EXPECT_TRUE(SyncObjectView::check_open(device, *monitored, no_wait).ok());
    EXPECT_EQ(SyncObjectView::check_open(device, *monitored, nothing).status(), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(SyncObjectView::check_open(device, *mutex, no_wait).status(), STATUS_INVALID_PARAMETER);

    auto opened = ob::UnpublishedObject<SyncObjectView>::adopt(
        new SyncObjectView(std::move(monitored), no_wait, kernel().ordinals()));
    EXPECT_TRUE(opened->may_signal());
    EXPECT_FALSE(opened->may_wait());
  });
}

TEST_F(SyncObjectTest, OpensOnItsOwnAdapterOnlyUnlessMadeForAll) {
  run_device([&](Device& device) {
    auto second = add_adapter();
    ASSERT_TRUE(second.ok());
    base::Ref<Process> process = kernel().create_process("other");
    {
      ob::UnpublishedObject<Device> other = Device::create(process->on(*second.value()).take()).take();
      Flags everywhere{};
      everywhere.Shared = everywhere.NtSecuritySharing = everywhere.CrossAdapter = 1;
      auto here = SyncObject::create(device, info(D3DDDI_MONITORED_FENCE, value(true, true))).take();
      auto all = SyncObject::create(device, info(D3DDDI_MONITORED_FENCE, everywhere.Value)).take();
      EXPECT_EQ(SyncObjectView::check_open(*other, *here, {}).status(), STATUS_INVALID_PARAMETER);
      EXPECT_TRUE(SyncObjectView::check_open(*other, *all, {}).ok());
    }
    process->end();
    second.value()->remove();
  });
}

// --- What they are worth ---

TEST_F(SyncObjectTest, AFenceHasMemoryThatItsValueLiesIn) {
  run_device([&](Device& device) {
    auto monitored = info(D3DDDI_MONITORED_FENCE);
    monitored.MonitoredFence.InitialFenceValue = 5;
    auto fence = SyncObject::create(device, monitored).take();
    ASSERT_TRUE(fence->memory());
    EXPECT_EQ(*fence->memory()->word(), 5u);
    EXPECT_EQ(fence->value(), 5u);
    auto legacy = info(D3DDDI_FENCE);
    legacy.Fence.FenceValue = 9;
    EXPECT_EQ(SyncObject::create(device, legacy).take()->value(), 9u);
    EXPECT_FALSE(SyncObject::create(device, info(D3DDDI_SYNCHRONIZATION_MUTEX)).take()->memory());
  });
}

TEST_F(SyncObjectTest, WithoutMemoryThereIsNoFence) {
  run_device([&](Device& device) {
    observer.failing_allocations = 1;
    EXPECT_EQ(SyncObject::create(device, info(D3DDDI_MONITORED_FENCE)).status(), STATUS_NO_MEMORY);
  });
}

TEST_F(SyncObjectTest, SeveralAreSignalledTogetherOrNotAtAll) {
  run_device([&](Device& device) {
    auto first = SyncObject::create(device, info(D3DDDI_MONITORED_FENCE)).take();
    auto second = SyncObject::create(device, info(D3DDDI_MONITORED_FENCE)).take();
    auto signal = [&](uint64_t one, uint64_t other) {
      FenceValue both[] = {{first.ref(), one}, {second.ref(), other}};
      return SyncObject::signal(both, vidsch::Rewind::Refused).status();
    };
    EXPECT_EQ(signal(3, 4), STATUS_SUCCESS);
    EXPECT_EQ(signal(5, 2), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(first->value(), 3u);
    EXPECT_EQ(second->value(), 4u);
    EXPECT_EQ(*second->memory()->word(), 4u);
  });
}

TEST_F(SyncObjectTest, IsAsWideAsTheGpuCanWrite) {
  driver.caps.SchedulingCaps.No64BitAtomics = 1;
  run_device([&](Device& device) {
    auto wide = [&](UINT flags) {
      auto monitored = info(D3DDDI_MONITORED_FENCE, flags);
      monitored.MonitoredFence.InitialFenceValue = uint64_t{1} << 32;
      return SyncObject::create(device, monitored).take()->value() != 0;
    };
    Flags no_gpu{};
    no_gpu.NoGPUAccess = 1;
    EXPECT_FALSE(wide(0));
    EXPECT_TRUE(wide(no_gpu.Value));
  });
}

TEST_F(SyncObjectTest, ACpuNotificationSetsItsEvent) {
  run_device([&](Device& device) {
    auto event = CountingEvent::create(kernel().ordinals());
    auto notification = SyncObject::create(device, info(D3DDDI_CPU_NOTIFICATION), event.ref()).take();
    EXPECT_TRUE(notification->signal(0, vidsch::Rewind::Refused).ok());
    EXPECT_EQ(event->sets(), 1u);
    EXPECT_TRUE(notification->signal(0, vidsch::Rewind::Refused).ok());
    EXPECT_EQ(event->sets(), 2u);
  });
}

}  // namespace
}  // namespace dxgk::testing
