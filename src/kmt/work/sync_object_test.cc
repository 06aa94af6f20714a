// Synchronisation objects as Windows has been seen to serve them: made, opened, destroyed. S1 … S21 are the
// observations of Wine's tests.
#include "dxgk/sync/sync_object.h"

#include "dxgk/testing/counting_event.h"
#include "kmt/testing/kmt_fixture.h"
#include "ob/testing/test_object.h"

namespace kmt::testing {
namespace {

class SyncObjectThunks : public KmtTest {
 protected:
  static D3DKMT_CREATESYNCHRONIZATIONOBJECT args1(D3DKMT_HANDLE device, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT args{};
    args.hDevice = device;
    args.Info.Type = type;
    args.hSyncObject = kNoHandle;
    return args;
  }
  static D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args2(D3DKMT_HANDLE device, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.hDevice = device;
    args.Info.Type = type;
    args.Info.SharedHandle = kNoHandle;
    args.hSyncObject = kNoHandle;
    return args;
  }
  // A type that is only a number.
  template <typename Args>
  static Args with_type(Args args, UINT type) {
    std::memcpy(&args.Info.Type, &type, sizeof(type));
    return args;
  }
  NTSTATUS create(Program& program, D3DKMT_CREATESYNCHRONIZATIONOBJECT args) {
    NTSTATUS status = CreateSynchronizationObject(program.client, &args);
    made_ = args.hSyncObject;
    return status;
  }
  NTSTATUS create2(Program& program, D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args) {
    NTSTATUS status = CreateSynchronizationObject2(program.client, &args);
    made_ = args.hSyncObject;
    shared_ = args.Info.SharedHandle;
    return status;
  }
  NTSTATUS open(Program& program, D3DKMT_HANDLE global, D3DKMT_HANDLE local = kNoHandle) {
    D3DKMT_OPENSYNCHRONIZATIONOBJECT args{};
    args.hSharedHandle = global;
    args.hSyncObject = local;
    NTSTATUS status = OpenSynchronizationObject(program.client, &args);
    made_ = args.hSyncObject;
    return status;
  }
  NTSTATUS destroy(Program& program, D3DKMT_HANDLE object) {
    D3DKMT_DESTROYSYNCHRONIZATIONOBJECT args{.hSyncObject = object};
    return DestroySynchronizationObject(program.client, &args);
  }
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 shared_mutex(D3DKMT_HANDLE device) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args = args2(device, D3DDDI_SYNCHRONIZATION_MUTEX);
    args.Info.Flags.Shared = 1;
    return args;
  }

  D3DKMT_HANDLE made_ = 0;    // what the last call left where the handle goes
  D3DKMT_HANDLE shared_ = 0;  // what it left where the global handle goes
};

TEST_F(SyncObjectThunks, S1_S2_S3_S4_RefusesWhatNamesNothing) {
  run_program([&](Program& a) {
    EXPECT_EQ(CreateSynchronizationObject(a.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create(a, {}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create(a, with_type(args1(a.device, D3DDDI_FENCE), 0)), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create(a, with_type(args1(a.device, D3DDDI_FENCE), 0xffffffff)), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create(a, args1(0, D3DDDI_SYNCHRONIZATION_MUTEX)), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create(a, args1(a.adapter, D3DDDI_SYNCHRONIZATION_MUTEX)), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(made_, kNoHandle);
  });
}

TEST_F(SyncObjectThunks, S5_S6_S7_S8_TheFirstVersionMakesMutexesAndSemaphores) {
  run_program([&](Program& a) {
    EXPECT_EQ(create(a, args1(a.device, D3DDDI_SYNCHRONIZATION_MUTEX)), STATUS_SUCCESS);
    expect_next(made_);
    EXPECT_EQ(create(a, args1(a.device, D3DDDI_SYNCHRONIZATION_MUTEX)), STATUS_SUCCESS);
    expect_next(made_);
    EXPECT_EQ(create(a, args1(a.device, D3DDDI_FENCE)), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create(a, args1(a.device, D3DDDI_SEMAPHORE)), STATUS_SUCCESS);
    expect_next(made_);
  });
}

TEST_F(SyncObjectThunks, S9_IsDestroyedOnce) {
  run_program([&](Program& a) {
    ASSERT_EQ(create(a, args1(a.device, D3DDDI_SEMAPHORE)), STATUS_SUCCESS);
    EXPECT_EQ(destroy(a, made_), STATUS_SUCCESS);
    EXPECT_EQ(destroy(a, made_), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy(a, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(DestroySynchronizationObject(a.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(a.live(ob::ObjectKind::SyncObject), 0u);
  });
}

TEST_F(SyncObjectThunks, S10_TheSecondVersionRefusesTheSame) {
  run_program([&](Program& a) {
    EXPECT_EQ(CreateSynchronizationObject2(a.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create2(a, {}), STATUS_INVALID_PARAMETER);
    for (UINT type : {0u, UINT{D3DDDI_NATIVE_FENCE}, UINT{D3DDDI_SYNCHRONIZATION_TYPE_LIMIT}, 0xffffffffu}) {
      EXPECT_EQ(create2(a, with_type(args2(a.device, D3DDDI_FENCE), type)), STATUS_INVALID_PARAMETER) << type;
    }
    EXPECT_EQ(create2(a, args2(0, D3DDDI_SYNCHRONIZATION_MUTEX)), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(made_, kNoHandle);
  });
}

TEST_F(SyncObjectThunks, S11_TheSecondVersionMakesFencesToo) {
  run_program([&](Program& a) {
    for (auto type : {D3DDDI_SYNCHRONIZATION_MUTEX, D3DDDI_SEMAPHORE, D3DDDI_FENCE, D3DDDI_MONITORED_FENCE}) {
      EXPECT_EQ(create2(a, args2(a.device, type)), STATUS_SUCCESS) << type;
      expect_next(made_);
      EXPECT_EQ(destroy(a, made_), STATUS_SUCCESS);
    }
  });
}

TEST_F(SyncObjectThunks, S12_ACpuNotificationHasAnEvent) {
  run_program([&](Program& a) {
    ob::TestObjectLog log;
    ob::Ordinals ordinals;
    auto args = args2(a.device, D3DDDI_CPU_NOTIFICATION);
    EXPECT_EQ(create2(a, args), STATUS_INVALID_HANDLE);
    auto event = dxgk::testing::CountingEvent::create(ordinals);
    base::Ref<dxgk::testing::CountingEvent> watched = event.ref();
    args.Info.CPUNotification.Event = a.handles.publish(std::move(event)).take();
    EXPECT_EQ(create2(a, args), STATUS_SUCCESS);
    EXPECT_EQ(destroy(a, made_), STATUS_SUCCESS);
    EXPECT_EQ(watched->handle_count(), 1u);  // it is the client's still
    EXPECT_TRUE(a.handles.close(args.Info.CPUNotification.Event).ok());
    EXPECT_EQ(watched->handle_count(), 0u);
    EXPECT_EQ(watched->ref_count_for_test(), 1u);

    args.Info.CPUNotification.Event = a.handles.publish(ob::TestDevice::create(ordinals, log)).take();
    EXPECT_EQ(create2(a, args), STATUS_OBJECT_TYPE_MISMATCH);
  });
}

TEST_F(SyncObjectThunks, S13_SharedOnesHaveAGlobalHandle) {
  run_program([&](Program& a) {
    EXPECT_EQ(create2(a, shared_mutex(a.device)), STATUS_SUCCESS);
    expect_next(made_);
    EXPECT_TRUE(is_global(shared_));
    D3DKMT_HANDLE first = shared_;
    EXPECT_EQ(create2(a, shared_mutex(a.device)), STATUS_SUCCESS);
    expect_next(made_);
    EXPECT_TRUE(is_global(shared_));
    EXPECT_NE(shared_, first);
  });
}

TEST_F(SyncObjectThunks, S14_S15_S16_S17_GlobalHandlesOpenWhileALocalOneIsThere) {
  run_program([&](Program& a) {
    ASSERT_EQ(create2(a, shared_mutex(a.device)), STATUS_SUCCESS);
    D3DKMT_HANDLE creators = made_, global = shared_;
    expect_next(creators);
    EXPECT_EQ(destroy(a, global), STATUS_INVALID_PARAMETER);

    EXPECT_EQ(OpenSynchronizationObject(a.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(open(a, kNoHandle), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(open(a, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(open(a, 0, creators), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(made_, creators);
    EXPECT_EQ(open(a, global), STATUS_SUCCESS);
    expect_next(made_);

    EXPECT_EQ(destroy(a, made_), STATUS_SUCCESS);
    EXPECT_EQ(destroy(a, made_), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(open(a, global), STATUS_SUCCESS);
    expect_next(made_);

    EXPECT_EQ(destroy(a, creators), STATUS_SUCCESS);
    EXPECT_EQ(destroy(a, made_), STATUS_SUCCESS);
    EXPECT_EQ(open(a, global), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SyncObjectThunks, S18_S19_NtSecuritySharingGoesWithSharedAndGivesNoGlobalHandle) {
  run_program([&](Program& a) {
    auto args = args2(a.device, D3DDDI_SYNCHRONIZATION_MUTEX);
    args.Info.Flags.NtSecuritySharing = 1;
    EXPECT_EQ(create2(a, args), STATUS_INVALID_PARAMETER);
    args.Info.Flags.Shared = 1;
    EXPECT_EQ(create2(a, args), STATUS_SUCCESS);
    EXPECT_TRUE(is_local(made_));
    EXPECT_EQ(shared_, 0u);
  });
}

TEST_F(SyncObjectThunks, S20_AProcessThatDiesLetsGoOfWhatItOpened) {
  run_program([&](Program& a) {
    ASSERT_EQ(create2(a, shared_mutex(a.device)), STATUS_SUCCESS);
    D3DKMT_HANDLE creators = made_, global = shared_;
    {
      Program b(kernel(), "b");
      EXPECT_EQ(open(b, global), STATUS_SUCCESS);
      EXPECT_TRUE(is_local(made_));
    }
    EXPECT_EQ(destroy(a, creators), STATUS_SUCCESS);
    EXPECT_EQ(open(a, global), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SyncObjectThunks, S21_TheDeviceMayGoFirstOrLast) {
  run_program([&](Program& a) {
    ASSERT_EQ(create2(a, shared_mutex(a.device)), STATUS_SUCCESS);
    D3DKMT_DESTROYDEVICE args{.hDevice = a.device};
    EXPECT_EQ(DestroyDevice(a.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(destroy(a, made_), STATUS_SUCCESS);
  });
}

TEST_F(SyncObjectThunks, RefusesFlagsThatTheDocumentsRuleOut) {
  run_program([&](Program& a) {
    using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;
    auto status = [&](D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, auto set) {
      auto args = args2(a.device, type);
      set(args.Info.Flags);
      return create2(a, args);
    };
    EXPECT_EQ(status(D3DDDI_MONITORED_FENCE, [](Flags& f) { f.Shared = 1; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status(D3DDDI_MONITORED_FENCE, [](Flags& f) { f.Shared = f.NtSecuritySharing = 1; }), STATUS_SUCCESS);
    EXPECT_EQ(status(D3DDDI_FENCE, [](Flags& f) { f.NoSignal = 1; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status(D3DDDI_MONITORED_FENCE, [](Flags& f) { f.NoSignal = 1; }), STATUS_SUCCESS);
    EXPECT_EQ(status(D3DDDI_MONITORED_FENCE, [](Flags& f) { f.NoSignal = f.NoWait = 1; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status(D3DDDI_MONITORED_FENCE, [](Flags& f) { f.SignalByKmd = 1; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status(D3DDDI_FENCE, [](Flags& f) { f.Reserved = 1; }), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SyncObjectThunks, ASemaphoreBeginsWithinItsMaximum) {
  run_program([&](Program& a) {
    auto args = args2(a.device, D3DDDI_SEMAPHORE);
    args.Info.Semaphore.MaxCount = 1;
    args.Info.Semaphore.InitialCount = 2;
    EXPECT_EQ(create2(a, args), STATUS_INVALID_PARAMETER);
    args.Info.Semaphore.InitialCount = 1;
    EXPECT_EQ(create2(a, args), STATUS_SUCCESS);
  });
}

TEST_F(SyncObjectThunks, ALostDeviceMakesNone) {
  run_program([&](Program& a) {
    D3DKMT_MARKDEVICEASERROR lost{};
    lost.hDevice = a.device;
    ASSERT_EQ(MarkDeviceAsError(a.client, &lost), STATUS_SUCCESS);
    EXPECT_EQ(create2(a, args2(a.device, D3DDDI_FENCE)), STATUS_DEVICE_REMOVED);
  });
}

TEST_F(SyncObjectThunks, TheClientReadsAMonitoredFencesValueWhereItIsTold) {
  run_program([&](Program& a) {
    auto args = args2(a.device, D3DDDI_MONITORED_FENCE);
    args.Info.Flags.Shared = args.Info.Flags.NtSecuritySharing = 1;
    args.Info.MonitoredFence.InitialFenceValue = 41;
    ASSERT_EQ(CreateSynchronizationObject2(a.client, &args), STATUS_SUCCESS);
    auto* value = static_cast<const uint64_t*>(args.Info.MonitoredFence.FenceValueCPUVirtualAddress);
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(*value, 41u);
    EXPECT_NE(args.Info.MonitoredFence.FenceValueGPUVirtualAddress, 0u);

    HANDLE shared = nullptr;
    OBJECT_ATTRIBUTES unnamed{};
    unnamed.Length = sizeof(unnamed);
    ShareObjectsArgs share{1, &args.hSyncObject, &unnamed, GENERIC_ALL, &shared};
    ASSERT_EQ(ShareObjects(a.client, &share), STATUS_SUCCESS);
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open{};
    open.hNtHandle = shared;
    open.hDevice = a.device;
    ASSERT_EQ(OpenSyncObjectFromNtHandle2(a.client, &open), STATUS_SUCCESS);
    EXPECT_EQ(open.MonitoredFence.FenceValueCPUVirtualAddress, value);
  });
}

}  // namespace
}  // namespace kmt::testing
