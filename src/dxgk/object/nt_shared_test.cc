#include "dxgk/object/nt_shared.h"

#include "dxgk/object/device.h"
#include "dxgk/testing/graphics_fixture.h"

namespace dxgk::testing {
namespace {

constexpr ACCESS_MASK kRead = READ_CONTROL;

class NtSharedTest : public GraphicsTest {
 protected:
  // `body` with a device that objects can be made on.
  void run_objects(const std::function<void()>& body) {
    auto ended = run_started([&](Adapter& adapter) {
      base::Ref<Process> process = kernel().create_process("client");
      {
        ob::UnpublishedObject<Device> device = Device::create(process->on(adapter).take()).take();
        device_ = &*device;
        body();
      }
      process->end();
    });
    EXPECT_EQ(ended, nt::Machine::Ended::Returned);
  }
  ob::UnpublishedObject<SyncObject> make_sync(bool shared, bool nt_handles) {
    SyncObject::Info info{};
    info.Type = D3DDDI_FENCE;
    info.Flags.Shared = shared;
    info.Flags.NtSecuritySharing = nt_handles;
    return SyncObject::create(*device_, info).take();
  }
  ob::UnpublishedObject<KeyedMutex> make_mutex(KeyedMutex::Sharing sharing = KeyedMutex::Sharing::NtHandle) {
    return KeyedMutex::create(machine(), kernel().ordinals(), sharing, 0);
  }
  // A resource without allocations, which its driver has not seen.
  ob::UnpublishedObject<Resource> make_resource(Resource::Sharing sharing = Resource::Sharing::NtHandle) {
    return ob::UnpublishedObject<Resource>::adopt(new Resource(device_->adapter(), sharing, 4, kernel().ordinals()));
  }

  Device* device_ = nullptr;
};

TEST_F(NtSharedTest, TakesOnlyWhatWasMadeForIt) {
  run_objects([&] {
    EXPECT_EQ(NtSharedSyncObject::create(kernel(), *make_sync(false, false)).status(), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(NtSharedSyncObject::create(kernel(), *make_sync(true, false)).status(), STATUS_INVALID_PARAMETER);
    EXPECT_TRUE(NtSharedSyncObject::create(kernel(), *make_sync(true, true)).ok());
    for (auto sharing : {Resource::Sharing::Private, Resource::Sharing::GlobalHandle}) {
      auto refused = NtSharedResource::create(kernel(), *make_resource(sharing), nullptr, nullptr);
      EXPECT_EQ(refused.status(), STATUS_INVALID_PARAMETER);
    }
  });
}

TEST_F(NtSharedTest, ABundleThatFailsHalfWayKeepsNothing) {
  run_objects([&] {
    auto resource = make_resource();
    auto mutex = make_mutex(KeyedMutex::Sharing::GlobalHandle);
    auto sync_object = make_sync(true, true);
    auto refused = NtSharedResource::create(kernel(), *resource, &*mutex, &*sync_object);
    EXPECT_EQ(refused.status(), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(resource->handle_count(), 1u);
    EXPECT_EQ(mutex->handle_count(), 1u);
    EXPECT_EQ(sync_object->handle_count(), 1u);
  });
}

TEST_F(NtSharedTest, KeepsAllThreeUntilItsLastHandle) {
  run_objects([&] {
    auto resource = make_resource();
    auto mutex = make_mutex();
    auto sync_object = make_sync(true, true);
    {
      auto shared = NtSharedResource::create(kernel(), *resource, &*mutex, &*sync_object).take();
      auto handle = publish_shared(kernel(), std::move(shared), kRead, u"\\BaseNamedObjects\\x").take();
      auto another = open_by_name<NtSharedResource>(kernel(), u"\\basenamedobjects\\X", kRead).take();
      EXPECT_EQ(resource->handle_count(), 2u);
      { auto first = std::move(handle); }
      EXPECT_EQ(resource->handle_count(), 2u);
      EXPECT_EQ(mutex->handle_count(), 2u);
      EXPECT_EQ(sync_object->handle_count(), 2u);
    }
    EXPECT_EQ(resource->handle_count(), 1u);
    EXPECT_EQ(mutex->handle_count(), 1u);
    EXPECT_EQ(sync_object->handle_count(), 1u);
    EXPECT_EQ(kernel().names().size(), 0u);
  });
}

TEST_F(NtSharedTest, ANameIsOfOneTypeAndGivenOnce) {
  run_objects([&] {
    auto sync_object = make_sync(true, true);
    auto share = [&](ACCESS_MASK desired) {
      return publish_shared(kernel(), NtSharedSyncObject::create(kernel(), *sync_object).take(), desired, u"\\x");
    };
    auto handle = share(kRead).take();
    EXPECT_EQ(share(kRead).status(), STATUS_OBJECT_NAME_COLLISION);
    EXPECT_EQ(open_by_name<NtSharedResource>(kernel(), u"\\x", kRead).status(), STATUS_OBJECT_TYPE_MISMATCH);
    EXPECT_EQ(open_by_name<NtSharedSyncObject>(kernel(), u"\\y", kRead).status(), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(open_by_name<NtSharedSyncObject>(kernel(), u"\\x", 0).status(), STATUS_ACCESS_DENIED);
    { auto last = std::move(handle); }
    EXPECT_EQ(share(0).status(), STATUS_ACCESS_DENIED);
    EXPECT_EQ(kernel().names().size(), 0u);
    EXPECT_EQ(sync_object->handle_count(), 1u);
  });
}

TEST(Grant, MapsGenericRights) {
  constexpr ACCESS_MASK kAll = SHARED_ALLOCATION_ALL_ACCESS;
  EXPECT_EQ(grant(0, kAll).status(), STATUS_ACCESS_DENIED);
  EXPECT_EQ(grant(0x01000000, kAll).status(), STATUS_ACCESS_DENIED);  // nothing that this type knows
  EXPECT_EQ(grant(SHARED_ALLOCATION_WRITE, kAll).value(), ACCESS_MASK{SHARED_ALLOCATION_WRITE});
  EXPECT_EQ(grant(0x1f0000, kAll).value(), 0x1f0000u);
  EXPECT_EQ(grant(ACCESS_MASK{GENERIC_READ}, kAll).value(), kRead);
  EXPECT_EQ(grant(ACCESS_MASK{GENERIC_ALL}, kAll).value(), kAll);
  EXPECT_EQ(grant(ACCESS_MASK{GENERIC_WRITE}, kAll).value() & SHARED_ALLOCATION_WRITE, 1u);
}

}  // namespace
}  // namespace dxgk::testing
