#include "dxgk/sync_object.h"

#include "dxgk/device.h"
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
        ob::Fresh<Device> device = Device::create(process->on(adapter).take()).take();
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
    ob::Fresh<SyncObject> object = SyncObject::create(device, info(D3DDDI_FENCE)).take();
    base::Ref<SyncObject> shared = object.ref();
    auto first = ob::Fresh<SyncObjectView>::adopt(new SyncObjectView(std::move(object), {}, kernel().ordinals()));
    {
      auto second = ob::Fresh<SyncObjectView>::adopt(
          new SyncObjectView(*ob::Fresh<SyncObject>::open(*shared), {}, kernel().ordinals()));
      EXPECT_EQ(shared->handle_count(), 2u);
    }
    EXPECT_EQ(shared->handle_count(), 1u);
    { ob::Fresh<SyncObjectView> last = std::move(first); }
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

    auto opened =
        ob::Fresh<SyncObjectView>::adopt(new SyncObjectView(std::move(monitored), no_wait, kernel().ordinals()));
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
      ob::Fresh<Device> other = Device::create(process->on(*second.value()).take()).take();
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

}  // namespace
}  // namespace dxgk::testing
