// Signals: those of the CPU as Windows has been seen to serve them (S22 … S24 are the observations of Wine's tests),
// and what those of the GPU's queues are read as.
#include <gmock/gmock.h>

#include "kmt/testing/sync_fixture.h"
#include "kmt/work/sync_call.h"

namespace kmt::testing {
namespace {

using ::testing::ElementsAre;

class SignalThunks : public SyncTest {};

TEST_F(SignalThunks, S22_TheCpuSignalsMonitoredFencesOnly) {
  run_program([&](Program& a) {
    for (auto type : kForQueues) EXPECT_EQ(signal(a, {{make(a, type), 1}}), STATUS_INVALID_PARAMETER) << type;
    EXPECT_EQ(signal(a, {{fence(a), 1}}), STATUS_SUCCESS);
  });
}

TEST_F(SignalThunks, S24_AFenceGoesBackwardsOnlyWhenThatIsAskedFor) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a, 1);
    Event set = event(a);
    ASSERT_EQ(wait(a, {{object, 2}}, set.handle), STATUS_SUCCESS);
    EXPECT_EQ(signal(a, {{object, 2}}), STATUS_SUCCESS);
    EXPECT_TRUE(set.take());
    EXPECT_EQ(signal(a, {{object, 1}}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(signal(a, {{object, 1}}, rewind()), STATUS_SUCCESS);
    EXPECT_EQ(wait(a, {{object, 2}}, set.handle), STATUS_SUCCESS);
    EXPECT_FALSE(set.take());
    EXPECT_EQ(signal(a, {{object, 2}}), STATUS_SUCCESS);
    EXPECT_TRUE(set.take());
  });
}

TEST_F(SignalThunks, TheValueIsInTheClientsMemoryWhenTheCallReturns) {
  run_program([&](Program& a) {
    auto args = object_args(a, D3DDDI_MONITORED_FENCE, 3);
    ASSERT_EQ(CreateSynchronizationObject2(a.client, &args), STATUS_SUCCESS);
    auto* value = static_cast<const uint64_t*>(args.Info.MonitoredFence.FenceValueCPUVirtualAddress);
    EXPECT_EQ(signal(a, {{args.hSyncObject, 0x1'0000'0007}}), STATUS_SUCCESS);
    EXPECT_EQ(*value, 0x1'0000'0007u);
    EXPECT_EQ(signal(a, {{args.hSyncObject, 4}}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(*value, 0x1'0000'0007u);
  });
}

TEST_F(SignalThunks, SignalsOneToThirtyTwoOrNone) {
  run_program([&](Program& a) {
    std::vector<Term> terms;
    EXPECT_EQ(signal(a, terms), STATUS_INVALID_PARAMETER);
    for (int i = 0; i < 32; ++i) terms.push_back({fence(a), 1});
    EXPECT_EQ(signal(a, terms), STATUS_SUCCESS);
    terms.push_back({fence(a), 2});
    EXPECT_EQ(signal(a, terms), STATUS_INVALID_PARAMETER);
    terms.pop_back();

    Event set = event(a);
    wait(a, {{terms[0].object, 2}}, set.handle);
    for (Term& term : terms) term.value = 2;
    terms.back().value = 0;  // backwards
    EXPECT_EQ(signal(a, terms), STATUS_INVALID_PARAMETER);
    EXPECT_FALSE(set.take());
  });
}

TEST_F(SignalThunks, RefusesWhatIsWrong) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a);
    EXPECT_EQ(SignalSynchronizationObjectFromCpu(a.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(signal(a, {{0, 1}}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(signal(a, {{kNoHandle, 1}}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(signal(a, {{a.device, 1}}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(signal(a, {{object, 1}, {make(a, D3DDDI_FENCE), 1}}), STATUS_INVALID_PARAMETER);
    for (UINT bit = 0; bit < 32; ++bit) {
      D3DDDICB_SIGNALFLAGS flags{};
      flags.Value = 1u << bit;
      NTSTATUS expected = flags.AllowFenceRewind ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
      EXPECT_EQ(signal(a, {{object, 1}}, flags), expected) << bit;
    }
    Program b(kernel(), "b");
    b.start(adapter());
    EXPECT_EQ(signal(b, {{object, 2}}), STATUS_INVALID_PARAMETER);

    UINT64 one = 1;
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.hDevice = a.device;
    args.ObjectCount = 1;
    args.ObjectHandleArray = &object;
    EXPECT_EQ(SignalSynchronizationObjectFromCpu(a.client, &args), STATUS_INVALID_PARAMETER);
    args.FenceValueArray = &one;
    args.hDevice = kNoHandle;
    EXPECT_EQ(SignalSynchronizationObjectFromCpu(a.client, &args), STATUS_INVALID_PARAMETER);
    args.hDevice = a.device;
    args.ObjectHandleArray = nullptr;
    EXPECT_EQ(SignalSynchronizationObjectFromCpu(a.client, &args), STATUS_INVALID_PARAMETER);
    EdgePages edge;
    args.ObjectCount = 2;  // the second lies beyond
    args.ObjectHandleArray = static_cast<D3DKMT_HANDLE*>(edge.before(sizeof(object)));
    EXPECT_EQ(SignalSynchronizationObjectFromCpu(a.client, &args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SignalThunks, WhatWasMadeForWaitingOnlyIsNotSignalled) {
  run_program([&](Program& a) {
    auto args = object_args(a, D3DDDI_MONITORED_FENCE);
    args.Info.Flags.NoSignal = 1;
    EXPECT_EQ(signal(a, {{make(a, args), 1}}), STATUS_ACCESS_DENIED);
  });
}

TEST_F(SignalThunks, ALostDeviceSignalsNothing) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a);
    D3DKMT_MARKDEVICEASERROR lost{};
    lost.hDevice = a.device;
    ASSERT_EQ(MarkDeviceAsError(a.client, &lost), STATUS_SUCCESS);
    EXPECT_EQ(signal(a, {{object, 1}}), STATUS_DEVICE_REMOVED);
  });
}

// --- What is queued in a context ---

class SignalCalls : public SyncTest {
 protected:
  template <typename Args>
  static NTSTATUS status(Program& program, const Args& args) {
    return read_signal(program.client, &args).status();
  }
  static std::vector<uint64_t> values(const FenceValues& objects) {
    std::vector<uint64_t> all;
    for (const auto& each : objects) all.push_back(each.value);
    return all;
  }
  static constexpr D3DKMT_HANDLE kContext = 0x40000100, kOther = 0x40000140;
};

TEST_F(SignalCalls, TheFirstVersionSignalsWhatHasNoValue) {
  run_program([&](Program& a) {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT args{};
    args.hContext = kContext;
    args.ObjectCount = 2;
    args.ObjectHandleArray[0] = make(a, D3DDDI_SYNCHRONIZATION_MUTEX);
    args.ObjectHandleArray[1] = make(a, D3DDDI_SEMAPHORE);
    args.Flags.SignalAtSubmission = 1;
    SignalCall call = read_signal(a.client, &args).take();
    EXPECT_THAT(call.contexts, ElementsAre(kContext));
    ASSERT_EQ(call.objects.size(), 2u);
    EXPECT_EQ(call.objects[1].object->type(), D3DDDI_SEMAPHORE);
    EXPECT_TRUE(call.at_submission);
    EXPECT_FALSE(call.event);

    args.ObjectHandleArray[1] = make(a, D3DDDI_FENCE);
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.ObjectHandleArray[1] = fence(a);
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.ObjectCount = 1;
    EXPECT_EQ(status(a, args), STATUS_SUCCESS);
    for (UINT count : {0u, 33u, ~0u}) {
      args.ObjectCount = count;
      EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER) << count;
    }
    args.ObjectCount = 1;
    args.Flags.EnqueueCpuEvent = 1;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(read_signal(a.client, static_cast<D3DKMT_SIGNALSYNCHRONIZATIONOBJECT*>(nullptr)).status(),
              STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SignalCalls, TheSecondVersionHasAValueForFencesAndMoreContexts) {
  run_program([&](Program& a) {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 args{};
    args.hContext = kContext;
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = make(a, D3DDDI_FENCE);
    args.BroadcastContextCount = 1;
    args.BroadcastContext[0] = kOther;
    args.Fence.FenceValue = 9;
    args.Flags = rewind();
    SignalCall call = read_signal(a.client, &args).take();
    EXPECT_THAT(call.contexts, ElementsAre(kContext, kOther));
    EXPECT_THAT(values(call.objects), ElementsAre(9));
    EXPECT_EQ(call.rewind, vidsch::Rewind::Allowed);

    args.BroadcastContextCount = 64;
    EXPECT_EQ(read_signal(a.client, &args).take().contexts.size(), 65u);
    args.BroadcastContextCount = 65;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.BroadcastContextCount = 0;
    args.ObjectHandleArray[0] = fence(a);
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.ObjectHandleArray[0] = kNoHandle;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.ObjectCount = 0;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SignalCalls, WslRefusesTheSixtyFourthContext) {
  policy.flavour = dxgk::Flavour::Wsl;
  run_program([&](Program& a) {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = make(a, D3DDDI_SYNCHRONIZATION_MUTEX);
    args.BroadcastContextCount = 63;
    EXPECT_EQ(status(a, args), STATUS_SUCCESS);
    args.BroadcastContextCount = 64;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SignalCalls, AnEventIsQueuedInsteadOfObjects) {
  run_program([&](Program& a) {
    Event set = event(a);
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 args{};
    args.hContext = kContext;
    args.Flags.EnqueueCpuEvent = 1;
    args.CpuEventHandle = set.handle;
    SignalCall call = read_signal(a.client, &args).take();
    ASSERT_TRUE(call.event);
    EXPECT_EQ(call.event->get(), set.object.get());
    EXPECT_TRUE(call.objects.empty());

    args.CpuEventHandle = nullptr;
    EXPECT_EQ(status(a, args), STATUS_INVALID_HANDLE);
    args.CpuEventHandle = set.handle;
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = make(a, D3DDDI_SYNCHRONIZATION_MUTEX);
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);

    D3DKMT_HANDLE contexts[] = {kContext};
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 args2{};
    args2.Flags.EnqueueCpuEvent = 1;
    args2.CpuEventHandle = set.handle;
    args2.BroadcastContextCount = 1;
    args2.BroadcastContextArray = contexts;
    EXPECT_TRUE(read_signal(a.client, &args2).take().event);
  });
}

TEST_F(SignalCalls, MonitoredFencesHaveAValueEach) {
  run_program([&](Program& a) {
    Lists lists({{fence(a), 5}, {fence(a), 6}});
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU args{};
    args.hContext = kContext;
    args.ObjectCount = lists.count();
    args.ObjectHandleArray = lists.handles.data();
    args.MonitoredFenceValueArray = lists.values.data();
    SignalCall call = read_signal(a.client, &args).take();
    EXPECT_THAT(call.contexts, ElementsAre(kContext));
    EXPECT_THAT(values(call.objects), ElementsAre(5, 6));

    args.MonitoredFenceValueArray = nullptr;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.MonitoredFenceValueArray = lists.values.data();
    lists.handles[1] = make(a, D3DDDI_FENCE);
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    lists.handles[0] = lists.handles[1];
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SignalCalls, FromGpu2ReadsItsValuesAsTheObjectsAre) {
  run_program([&](Program& a) {
    Lists lists({{fence(a), 5}});
    D3DKMT_HANDLE contexts[] = {kContext, kOther};
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray = lists.handles.data();
    args.BroadcastContextCount = 2;
    args.BroadcastContextArray = contexts;
    args.MonitoredFenceValueArray = lists.values.data();
    SignalCall call = read_signal(a.client, &args).take();
    EXPECT_THAT(call.contexts, ElementsAre(kContext, kOther));
    EXPECT_THAT(values(call.objects), ElementsAre(5));

    lists.handles[0] = make(a, D3DDDI_FENCE);
    args.FenceValue = 8;  // in the same place
    EXPECT_THAT(values(read_signal(a.client, &args).take().objects), ElementsAre(8));

    args.BroadcastContextCount = 0;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.BroadcastContextCount = 2;
    args.BroadcastContextArray = nullptr;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.BroadcastContextArray = contexts;
    args.Flags.Reserved = 1;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(SignalCalls, WhatWasMadeForWaitingOnlyIsNotSignalled) {
  run_program([&](Program& a) {
    auto made = object_args(a, D3DDDI_MONITORED_FENCE);
    made.Info.Flags.NoSignal = 1;
    Lists lists({{make(a, made), 5}});
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray = lists.handles.data();
    args.MonitoredFenceValueArray = lists.values.data();
    EXPECT_EQ(status(a, args), STATUS_ACCESS_DENIED);
  });
}

}  // namespace
}  // namespace kmt::testing
