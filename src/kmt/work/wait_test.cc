// Waits: those of the CPU as Windows has been seen to serve them (S22 … S24 are the observations of Wine's tests), and
// what those of the GPU's queues are read as.
#include <gmock/gmock.h>

#include <deque>
#include <map>

#include "base/rng.h"
#include "dxgk/work/completion.h"
#include "kmt/testing/sync_fixture.h"
#include "kmt/work/sync_call.h"

namespace kmt::testing {
namespace {

using ::testing::ElementsAre;

class WaitThunks : public SyncTest {};

TEST_F(WaitThunks, S22_TheCpuWaitsForMonitoredFencesOnly) {
  run_program([&](Program& a) {
    Event set = event(a);
    for (auto type : kForQueues) {
      EXPECT_EQ(wait(a, {{make(a, type), 1}}, set.handle), STATUS_INVALID_PARAMETER) << type;
    }
    EXPECT_FALSE(set.take());
  });
}

TEST_F(WaitThunks, S23_TheEventIsSetAtOnceForWhatHasBeenReachedAndNotForMore) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a, 1);
    Event set = event(a);
    EXPECT_EQ(wait(a, {{object, 0}}, set.handle), STATUS_SUCCESS);
    EXPECT_TRUE(set.take());
    EXPECT_EQ(wait(a, {{object, 1}}, set.handle), STATUS_SUCCESS);
    EXPECT_TRUE(set.take());
    EXPECT_EQ(wait(a, {{object, 2}}, set.handle), STATUS_SUCCESS);
    EXPECT_FALSE(set.take());
    EXPECT_EQ(destroy(a, object), STATUS_SUCCESS);
    EXPECT_TRUE(set.take());  // the event is set, so no thread hangs (policy)
  });
}

// A device that its client gives up: a wait through it ends, what it has queued does not run, and a fence of
// it has its maximum for the others.
TEST_F(WaitThunks, MarkDeviceAsErrorEndsEveryWait) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a);
    D3DKMT_CREATECONTEXTVIRTUAL context{};
    context.hDevice = a.device;
    ASSERT_EQ(CreateContextVirtual(a.client, &context), STATUS_SUCCESS);
    UINT64 one = 1;
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU queued{};
    queued.hContext = context.hContext;
    queued.ObjectCount = 1;
    queued.ObjectHandleArray = &object;
    queued.MonitoredFenceValueArray = &one;
    ASSERT_EQ(WaitForSynchronizationObjectFromGpu(a.client, &queued), STATUS_SUCCESS);
    D3DKMT_SUBMITCOMMAND behind{};
    behind.BroadcastContextCount = 1;
    behind.BroadcastContext[0] = context.hContext;
    behind.CommandLength = 16;
    ASSERT_EQ(SubmitCommand(a.client, &behind), STATUS_SUCCESS);

    NTSTATUS blocked = STATUS_PENDING;
    dxgk::Completion ended;
    machine().create_thread("blocked", [&] {
      blocked = wait(a, {{object, 1}}, nullptr);
      ended.complete(machine());
    });
    machine().executor().sleep_for(1'000'000);
    EXPECT_EQ(blocked, STATUS_PENDING);
    Event set = event(a);
    EXPECT_EQ(wait(a, {{object, 1}}, set.handle), STATUS_SUCCESS);
    D3DKMT_HANDLE lost = std::exchange(a.device, a.create_device(a.adapter));
    Event of_other = event(a);
    EXPECT_EQ(wait(a, {{object, 1}}, of_other.handle), STATUS_SUCCESS);

    D3DKMT_MARKDEVICEASERROR mark{.hDevice = lost, .Reason = D3DKMT_DEVICE_ERROR_REASON_GENERIC};
    EXPECT_EQ(MarkDeviceAsError(a.client, &mark), STATUS_SUCCESS);
    ended.wait(machine());
    EXPECT_EQ(blocked, STATUS_DEVICE_REMOVED);
    EXPECT_TRUE(set.take());
    EXPECT_TRUE(of_other.take());
    D3DKMT_DESTROYCONTEXT destroy_context{.hContext = context.hContext};
    EXPECT_EQ(DestroyContext(a.client, &destroy_context), STATUS_SUCCESS);
    EXPECT_EQ(driver.calls(dxgk::Ddi::SubmitCommandVirtual), 0u);
  });
}

TEST_F(WaitThunks, WaitsForAllOfThirtyTwoOrForAny) {
  run_program([&](Program& a) {
    std::vector<Term> terms;
    for (int i = 0; i < 32; ++i) terms.push_back({fence(a), 1});
    Event all = event(a), any = event(a);
    EXPECT_EQ(wait(a, terms, all.handle), STATUS_SUCCESS);
    EXPECT_EQ(wait(a, terms, any.handle, true), STATUS_SUCCESS);
    for (const Term& term : terms) {
      EXPECT_FALSE(all.take());
      EXPECT_EQ(signal(a, {term}), STATUS_SUCCESS);
    }
    EXPECT_TRUE(all.take());
    EXPECT_EQ(any.object->sets(), 1u);
    terms.push_back({fence(a), 0});
    EXPECT_EQ(wait(a, terms, all.handle), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(wait(a, {}, all.handle), STATUS_INVALID_PARAMETER);
    EXPECT_FALSE(all.take());
  });
}

TEST_F(WaitThunks, RefusesWhatIsWrong) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a);
    Event set = event(a);
    EXPECT_EQ(WaitForSynchronizationObjectFromCpu(a.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(wait(a, {{0, 0}}, set.handle), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(wait(a, {{kNoHandle, 0}}, set.handle), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(wait(a, {{a.device, 0}}, set.handle), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(wait(a, {{object, 0}}, reinterpret_cast<HANDLE>(0x7ffc)), STATUS_INVALID_HANDLE);
    EXPECT_EQ(wait(a, {{object, 0}, {make(a, D3DDDI_FENCE), 0}}, set.handle), STATUS_INVALID_PARAMETER);
    Program b(kernel(), "b");
    b.start(adapter());
    Event its = event(b);
    EXPECT_EQ(wait(b, {{object, 0}}, its.handle), STATUS_INVALID_PARAMETER);

    UINT64 zero = 0;
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.hDevice = a.device;
    args.ObjectCount = 1;
    args.ObjectHandleArray = &object;
    args.hAsyncEvent = set.handle;
    EXPECT_EQ(WaitForSynchronizationObjectFromCpu(a.client, &args), STATUS_INVALID_PARAMETER);
    args.FenceValueArray = &zero;
    args.Flags.Reserved = 1;
    EXPECT_EQ(WaitForSynchronizationObjectFromCpu(a.client, &args), STATUS_INVALID_PARAMETER);
    args.Flags.Reserved = 0;
    args.hDevice = object;
    EXPECT_EQ(WaitForSynchronizationObjectFromCpu(a.client, &args), STATUS_INVALID_PARAMETER);
    args.hDevice = a.device;
    EdgePages edge;
    args.ObjectCount = 2;  // the second lies beyond
    args.FenceValueArray = static_cast<UINT64*>(edge.before(sizeof(zero)));
    EXPECT_EQ(WaitForSynchronizationObjectFromCpu(a.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_FALSE(set.take());
  });
}

TEST_F(WaitThunks, WhatWasMadeForSignallingOnlyIsNotWaitedFor) {
  run_program([&](Program& a) {
    auto args = object_args(a, D3DDDI_MONITORED_FENCE);
    args.Info.Flags.NoWait = 1;
    EXPECT_EQ(wait(a, {{make(a, args), 0}}, event(a).handle), STATUS_ACCESS_DENIED);
  });
}

TEST_F(WaitThunks, ALostDeviceWaitsForNothing) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a);
    D3DKMT_MARKDEVICEASERROR lost{};
    lost.hDevice = a.device;
    ASSERT_EQ(MarkDeviceAsError(a.client, &lost), STATUS_SUCCESS);
    EXPECT_EQ(wait(a, {{object, 0}}, nullptr), STATUS_DEVICE_REMOVED);
  });
}

// The client closes its handle to the event, or its device dies, while the wait lasts.
TEST_F(WaitThunks, AnEventIsSetThoughItsHandleHasBeenClosed) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a);
    Event set = event(a);
    EXPECT_EQ(wait(a, {{object, 1}}, set.handle), STATUS_SUCCESS);
    EXPECT_TRUE(a.handles.close(set.handle).ok());
    EXPECT_EQ(signal(a, {{object, 1}}), STATUS_SUCCESS);
    EXPECT_TRUE(set.take());
  });
}

TEST_F(WaitThunks, AProcessThatEndsTakesItsWaitsAlong) {
  run_adapter([&](dxgk::Adapter& its) {
    std::optional<Event> set;
    {
      Program a(kernel(), "a");
      a.start(its);
      set = event(a);
      EXPECT_EQ(wait(a, {{fence(a), 1}}, set->handle), STATUS_SUCCESS);
    }
    EXPECT_EQ(set->object->ref_count_for_test(), 1u);
  });
}

// --- Threads that block ---

class BlockingWaits : public SyncTest, public ::testing::WithParamInterface<nt::Pace> {
 protected:
  BlockingWaits() { options.pace = GetParam(); }

  struct Blocked {
    dxgk::Completion done;
    std::atomic<NTSTATUS> status{STATUS_PENDING};
  };
  Blocked& block(Program& program, std::vector<Term> terms, bool any = false) {
    Blocked& blocked = blocked_.emplace_back();
    machine().create_thread("blocked", [this, &blocked, &program, terms, any] {
      blocked.status = wait(program, terms, nullptr, any);
      blocked.done.complete(machine());
    });
    return blocked;
  }
  NTSTATUS wait_for(Blocked& blocked) {
    blocked.done.wait(machine());
    return blocked.status;
  }

 private:
  std::deque<Blocked> blocked_;  // until every thread has ended
};

TEST_P(BlockingWaits, ComeBackWithTheSignal) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE first = fence(a), second = fence(a);
    Blocked& all = block(a, {{first, 1}, {second, 1}});
    Blocked& any = block(a, {{first, 1}, {second, 1}}, true);
    EXPECT_EQ(signal(a, {{first, 1}}), STATUS_SUCCESS);
    EXPECT_EQ(wait_for(any), STATUS_SUCCESS);
    EXPECT_EQ(all.status, STATUS_PENDING);
    EXPECT_EQ(signal(a, {{second, 1}}), STATUS_SUCCESS);
    EXPECT_EQ(wait_for(all), STATUS_SUCCESS);
    EXPECT_EQ(wait(a, {{first, 1}}, nullptr), STATUS_SUCCESS);
  });
}

TEST_P(BlockingWaits, ComeBackWhenTheObjectIsDestroyed) {
  run_program([&](Program& a) {
    D3DKMT_HANDLE object = fence(a);
    Blocked& blocked = block(a, {{object, 1}});
    EXPECT_EQ(destroy(a, object), STATUS_SUCCESS);
    EXPECT_EQ(wait_for(blocked), STATUS_INVALID_PARAMETER);
  });
}

INSTANTIATE_TEST_SUITE_P(Paces, BlockingWaits, ::testing::Values(nt::Pace::Simulated, nt::Pace::Live),
                         [](const auto& run) { return run.param == nt::Pace::Live ? "Live" : "Simulated"; });

// --- Against an oracle ---

class WaitProperty : public SyncTest, public ::testing::WithParamInterface<uint64_t> {};

TEST_P(WaitProperty, EventsAreSetWhenTheOracleSaysSo) {
  const uint64_t seed = GetParam();
  SCOPED_TRACE(seed);
  run_program([&](Program& a) {
    base::Rng rng(seed);
    constexpr size_t kFences = 3, kEvents = 6;
    D3DKMT_HANDLE fences[kFences];
    uint64_t values[kFences] = {};
    for (auto& each : fences) each = fence(a);
    struct Waiting {
      size_t event;
      std::map<size_t, uint64_t> wanted;  // by fence
      bool any;
    };
    std::vector<Waiting> waiting;
    std::vector<Event> events;
    for (size_t i = 0; i < kEvents; ++i) events.push_back(event(a));

    for (int step = 0; step < 600; ++step) {
      SCOPED_TRACE(step);
      size_t at = rng.below(kFences);
      if (rng.below(2)) {
        Waiting next{rng.below(kEvents), {}, rng.below(2) != 0};
        for (uint64_t n = rng.below(3) + 1; n; --n) {
          size_t which = rng.below(kFences);
          next.wanted[which] = values[which] + rng.below(4);
        }
        std::vector<Term> terms;
        for (auto [which, value] : next.wanted) terms.push_back({fences[which], value});
        ASSERT_EQ(wait(a, terms, events[next.event].handle, next.any), STATUS_SUCCESS);
        waiting.push_back(next);
      } else {
        uint64_t to = values[at] + rng.below(4);
        if (to > 0 && rng.below(4) == 0) {
          uint64_t back = to - 1;
          NTSTATUS expected = back < values[at] ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
          ASSERT_EQ(signal(a, {{fences[at], back}}), expected);
          if (expected == STATUS_SUCCESS) values[at] = back;
        } else {
          ASSERT_EQ(signal(a, {{fences[at], to}}), STATUS_SUCCESS);
          values[at] = to;
        }
      }
      std::vector<bool> expected(kEvents);
      std::erase_if(waiting, [&](const Waiting& each) {
        size_t met = 0;
        for (auto [which, value] : each.wanted) met += values[which] >= value;
        bool over = each.any ? met != 0 : met == each.wanted.size();
        if (over) expected[each.event] = true;
        return over;
      });
      for (size_t i = 0; i < kEvents; ++i) ASSERT_EQ(events[i].take(), expected[i]) << "event " << i;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, WaitProperty, ::testing::Range(uint64_t{1}, uint64_t{9}));

// --- What is queued in a context ---

class WaitCalls : public SyncTest {
 protected:
  template <typename Args>
  static NTSTATUS status(Program& program, const Args& args) {
    return read_wait(program.client, &args).status();
  }
  static std::vector<uint64_t> values(const FenceValues& objects) {
    std::vector<uint64_t> all;
    for (const auto& each : objects) all.push_back(each.value);
    return all;
  }
  static constexpr D3DKMT_HANDLE kContext = 0x40000100;
};

TEST_F(WaitCalls, TheFirstVersionWaitsForWhatHasNoValue) {
  run_program([&](Program& a) {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT args{};
    args.hContext = kContext;
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = make(a, D3DDDI_SYNCHRONIZATION_MUTEX);
    WaitCall call = read_wait(a.client, &args).take();
    EXPECT_EQ(call.context, kContext);
    EXPECT_EQ(call.objects.at(0).object->type(), D3DDDI_SYNCHRONIZATION_MUTEX);
    for (D3DKMT_HANDLE wrong : {make(a, D3DDDI_FENCE), fence(a), a.device, kNoHandle}) {
      args.ObjectHandleArray[0] = wrong;
      EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    }
    for (UINT count : {0u, 33u, ~0u}) {
      args.ObjectCount = count;
      EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER) << count;
    }
  });
}

TEST_F(WaitCalls, TheSecondVersionHasAValueForFences) {
  run_program([&](Program& a) {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 args{};
    args.hContext = kContext;
    args.ObjectCount = 1;
    args.ObjectHandleArray[0] = make(a, D3DDDI_FENCE);
    args.Fence.FenceValue = 12;
    WaitCall call = read_wait(a.client, &args).take();
    EXPECT_EQ(call.context, kContext);
    EXPECT_THAT(values(call.objects), ElementsAre(12));
    args.ObjectHandleArray[0] = fence(a);
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.ObjectCount = 33;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(WaitCalls, FromGpuReadsItsValuesAsTheObjectsAre) {
  run_program([&](Program& a) {
    Lists lists({{fence(a), 5}, {fence(a), 6}});
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU args{};
    args.hContext = kContext;
    args.ObjectCount = 2;
    args.ObjectHandleArray = lists.handles.data();
    args.MonitoredFenceValueArray = lists.values.data();
    EXPECT_THAT(values(read_wait(a.client, &args).take().objects), ElementsAre(5, 6));
    lists.handles[0] = make(a, D3DDDI_FENCE);
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);  // both in one call
    args.ObjectCount = 1;
    args.FenceValue = 7;
    EXPECT_THAT(values(read_wait(a.client, &args).take().objects), ElementsAre(7));
    args.ObjectCount = 0;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.ObjectCount = 1;
    args.ObjectHandleArray = nullptr;
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(WaitCalls, ACpuNotificationOrASignalOnlyObjectCannotBeWaitedFor) {
  run_program([&](Program& a) {
    auto notification = object_args(a, D3DDDI_CPU_NOTIFICATION);
    notification.Info.CPUNotification.Event = event(a).handle;
    auto signalled = object_args(a, D3DDDI_MONITORED_FENCE);
    signalled.Info.Flags.NoWait = 1;
    Lists lists({{make(a, notification), 0}, {make(a, signalled), 0}});
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU args{};
    args.ObjectCount = 1;
    args.ObjectHandleArray = lists.handles.data();
    args.MonitoredFenceValueArray = lists.values.data();
    EXPECT_EQ(status(a, args), STATUS_INVALID_PARAMETER);
    args.ObjectHandleArray = &lists.handles[1];
    EXPECT_EQ(status(a, args), STATUS_ACCESS_DENIED);
  });
}

}  // namespace
}  // namespace kmt::testing
