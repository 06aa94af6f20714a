#include "dxgk/sync/cpu_wait.h"

#include <gmock/gmock.h>

#include <atomic>
#include <deque>

#include "base/rng.h"
#include "dxgk/object/device.h"
#include "dxgk/testing/counting_event.h"
#include "dxgk/testing/graphics_fixture.h"
#include "dxgk/work/completion.h"
#include "dxgk/work/gpu.h"
#include "nt/io/device_objects.h"
#include "nt/mm/physical_memory.h"

namespace dxgk::testing {
namespace {

using Need = CpuWait::Need;

class CpuWaitTest : public GraphicsTest {
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
    EXPECT_EQ(ended, nt::Machine::Ended::Returned)
        << (observer.violations.empty() ? "" : observer.violations.back().sentence);
  }
  ob::UnpublishedObject<SyncObject> fence(Device& device, uint64_t initial = 0) {
    SyncObject::Info info{};
    info.Type = D3DDDI_MONITORED_FENCE;
    info.MonitoredFence.InitialFenceValue = initial;
    return SyncObject::create(device, info).take();
  }
  ob::UnpublishedObject<CountingEvent> event() { return CountingEvent::create(kernel().ordinals()); }
  static NTSTATUS signal(const ob::UnpublishedObject<SyncObject>& object, uint64_t value) {
    FenceValue one{object.ref(), value};
    return SyncObject::signal({&one, 1}, vidsch::Rewind::Refused).status();
  }
  static NTSTATUS notify(Device& device, std::vector<FenceValue> fences,
                         const ob::UnpublishedObject<CountingEvent>& event, Need need = Need::All) {
    return CpuWait::notify(device, fences, need, event.ref()).status();
  }

  // A thread that blocks, and what it got.
  struct Blocked {
    Completion done;
    std::atomic<NTSTATUS> status{STATUS_PENDING};
  };
  Blocked& block(Device& device, std::vector<FenceValue> fences, Need need = Need::All) {
    Blocked& blocked = blocked_.emplace_back();
    machine().create_thread("blocked", [this, &blocked, &device, fences, need] {
      blocked.status = CpuWait::block(device, fences, need).status();
      blocked.done.complete(machine());
    });
    return blocked;
  }
  NTSTATUS wait_for(Blocked& blocked) {
    blocked.done.wait(machine());
    return blocked.status;
  }
  // For runs that make their kernel themselves.
  Adapter* start_adapter(Kernel& made) {
    auto* object = make_internal<DRIVER_OBJECT>();
    CHECK(made.register_driver(object, driver.table, driver.registered_as(), "fake").ok());
    auto pdo = machine().devices().create({*object, 0, u"", FILE_DEVICE_VIDEO, 0, false});
    return made.add_adapter(*made.driver_of(object), "adapter", pdo.value(), hardware).take();
  }
  std::deque<Blocked> blocked_;  // until every thread has ended

  // Lets every other thread come as far as it can.
  void settle() { machine().executor().park(machine().executor().now() + 1'000'000, base::Point::Wait); }
};

TEST_F(CpuWaitTest, SetsTheEventAtOnceOrWhenTheTimeHasCome) {
  run_device([&](Device& device) {
    auto object = fence(device, 1);
    auto set = event();
    EXPECT_EQ(notify(device, {{object.ref(), 1}}, set), STATUS_SUCCESS);
    EXPECT_TRUE(set->take());
    EXPECT_EQ(notify(device, {{object.ref(), 2}}, set), STATUS_SUCCESS);
    EXPECT_FALSE(set->take());
    EXPECT_EQ(signal(object, 2), STATUS_SUCCESS);
    EXPECT_TRUE(set->take());
    EXPECT_EQ(signal(object, 3), STATUS_SUCCESS);
    EXPECT_FALSE(set->take());  // once
  });
}

TEST_F(CpuWaitTest, WaitsForAllOrForAny) {
  run_device([&](Device& device) {
    auto first = fence(device), second = fence(device);
    auto all = event(), any = event();
    std::vector<FenceValue> both = {{first.ref(), 1}, {second.ref(), 1}};
    EXPECT_EQ(notify(device, both, all), STATUS_SUCCESS);
    EXPECT_EQ(notify(device, both, any, Need::Any), STATUS_SUCCESS);
    EXPECT_EQ(signal(second, 1), STATUS_SUCCESS);
    EXPECT_TRUE(any->take());
    EXPECT_FALSE(all->take());
    EXPECT_EQ(signal(first, 1), STATUS_SUCCESS);
    EXPECT_TRUE(all->take());
    EXPECT_FALSE(any->take());
  });
}

TEST_F(CpuWaitTest, WhatADeviceWroteIsFoundByLookingAtTheFences) {
  run_device([&](Device& device) {
    auto object = fence(device), untouched = fence(device);
    auto set = event(), other = event();
    notify(device, {{object.ref(), 7}}, set);
    notify(device, {{untouched.ref(), 7}}, other);
    uint64_t value = 7;
    const FenceSlot& memory = *object->memory();
    EXPECT_EQ(machine().physical().write(memory.page_physical() + memory.offset(), &value, sizeof(value)), "");
    EXPECT_FALSE(set->take());
    kernel().fences().sample();
    EXPECT_TRUE(set->take());
    EXPECT_FALSE(other->take());
    *untouched->memory()->word() = 8;
    untouched->sample();
    EXPECT_TRUE(other->take());
  });
}

// More than are all looked at, on more than one page.
TEST_F(CpuWaitTest, OfManyFencesThoseThatADeviceWroteAreFound) {
  run_device([&](Device& device) {
    std::vector<ob::UnpublishedObject<SyncObject>> fences;
    std::vector<ob::UnpublishedObject<CountingEvent>> events;
    for (size_t i = 0; i < 700; ++i) {
      fences.push_back(fence(device));
      events.push_back(event());
      EXPECT_EQ(notify(device, {{fences[i].ref(), 7}}, events[i]), STATUS_SUCCESS);
    }
    auto write = [&](size_t which, uint64_t value, size_t times = 1) {
      const FenceSlot& memory = *fences[which]->memory();
      for (size_t i = 0; i < times; ++i) {
        EXPECT_EQ(machine().physical().write(memory.page_physical() + memory.offset(), &value, sizeof(value)), "");
      }
    };
    auto found = [&] {
      kernel().fences().sample();
      std::vector<size_t> set;
      for (size_t i = 0; i < events.size(); ++i) {
        if (events[i]->take()) set.push_back(i);
      }
      return set;
    };
    write(3, 7);
    write(4, 6);
    write(690, 8);
    EXPECT_EQ(found(), (std::vector<size_t>{3, 690}));
    EXPECT_EQ(found(), std::vector<size_t>{});
    write(4, 7);
    write(3, 8);  // nothing waits for it any more
    EXPECT_EQ(found(), std::vector<size_t>{4});
    // More writes than are kept: all of them are looked at.
    for (size_t i = 0; i < nt::WriteLog::kKept; ++i) write(600 + i % 2, 1);
    write(20, 7);
    EXPECT_EQ(found(), std::vector<size_t>{20});
  });
}

TEST_F(CpuWaitTest, AThreadBlocksUntilTheSignal) {
  run_device([&](Device& device) {
    auto object = fence(device);
    Blocked& blocked = block(device, {{object.ref(), 1}});
    settle();
    EXPECT_EQ(blocked.status, STATUS_PENDING);
    EXPECT_EQ(signal(object, 1), STATUS_SUCCESS);
    EXPECT_EQ(wait_for(blocked), STATUS_SUCCESS);
    EXPECT_TRUE(CpuWait::block(device, std::vector<FenceValue>{{object.ref(), 1}}, Need::All).ok());
  });
}

// The device that waits is not the one that is lost.
TEST_F(CpuWaitTest, ALossOfTheDeviceThatHasTheFenceEndsTheWaitsOfOthers) {
  run_device([&](Device& device) {
    ob::UnpublishedObject<Device> other =
        Device::create(base::Ref<ProcessAdapter>::share(device.process_adapter())).take();
    auto object = fence(*other);
    Blocked& blocked = block(device, {{object.ref(), 1000}});
    settle();
    auto view = ob::UnpublishedObject<SyncObjectView>::adopt(
        new SyncObjectView(std::move(object), {}, *other, kernel().ordinals()));
    device.adapter().gpu().lose(*other, Device::State::Reset);
    EXPECT_EQ(wait_for(blocked), STATUS_SUCCESS);
  });
}

TEST_F(CpuWaitTest, ADestroyedObjectSendsItsWaitersAway) {
  run_device([&](Device& device) {
    auto set = event();
    Blocked* blocked = nullptr;
    base::Ref<SyncObject> gone = [&] {
      auto object = fence(device);
      blocked = &block(device, {{object.ref(), 1}});
      EXPECT_EQ(notify(device, {{object.ref(), 1}}, set), STATUS_SUCCESS);
      settle();
      return object.ref();
    }();
    EXPECT_EQ(wait_for(*blocked), STATUS_INVALID_PARAMETER);
    EXPECT_TRUE(set->take());  // the event is set, so no thread hangs
    EXPECT_EQ(notify(device, {{gone, 0}}, set), STATUS_INVALID_PARAMETER);
    EXPECT_FALSE(set->take());
  });
}

TEST_F(CpuWaitTest, NoWaitOutlivesItsDevice) {
  run_device([&](Device& device) {
    ob::UnpublishedObject<Device> other = Device::create(device.process().on(device.adapter()).take()).take();
    auto object = fence(device);
    auto set = event(), others = event();
    Blocked& blocked = block(device, {{object.ref(), 1}});
    notify(device, {{object.ref(), 1}}, set);
    notify(*other, {{object.ref(), 1}}, others);
    settle();
    device.mark(Device::State::Hung);
    kernel().fences().end_waits(device);
    EXPECT_EQ(wait_for(blocked), STATUS_DEVICE_REMOVED);
    EXPECT_EQ(set->sets(), 1u);
    EXPECT_EQ(others->sets(), 0u);
    EXPECT_EQ(notify(device, {{object.ref(), 0}}, set), STATUS_DEVICE_REMOVED);
    kernel().fences().end_waits(device);
    EXPECT_EQ(signal(object, 1), STATUS_SUCCESS);
    EXPECT_EQ(set->sets(), 1u);
    EXPECT_EQ(others->sets(), 1u);
  });
}

// However the loss and the wait cross, the thread comes back.
TEST_F(CpuWaitTest, ALossThatCrossesAWaitIsNotMissed) {
  run_seeds(40, [&] {
    Kernel made(machine(), policy);
    Adapter* adapter = start_adapter(made);
    base::Ref<Process> process = made.create_process("client");
    {
      ob::UnpublishedObject<Device> device = Device::create(process->on(*adapter).take()).take();
      auto unsignalled = fence(*device);
      Blocked& blocked = block(*device, {{unsignalled.ref(), 1}});
      {
        ParkingLock lock(device->mutex());
        device->mark(Device::State::Reset);
      }
      made.fences().end_waits(*device);
      EXPECT_EQ(wait_for(blocked), STATUS_DEVICE_REMOVED);
    }
    process->end();
    adapter->remove();
  });
}

// Threads wait for random values while others signal; each comes back once its value is there, and not before.
class CpuWaitProperty : public CpuWaitTest, public ::testing::WithParamInterface<std::pair<nt::Pace, uint64_t>> {
 protected:
  static constexpr size_t kFences = 3, kThreads = 8;
  static constexpr uint64_t kMost = 24;
};

TEST_P(CpuWaitProperty, ComesBackWhenItsValuesAreThereAndNotBefore) {
  const auto pace = GetParam().first;
  const auto seed = GetParam().second;
  SCOPED_TRACE(seed);
  options.pace = pace;
  options.seed = seed;
  if (pace == nt::Pace::Simulated) options.policy = nt::policy_for_seed(seed);
  struct Run {
    Blocked blocked;
    bool early = false;
  };
  std::deque<Run> runs(kThreads);
  std::deque<Completion> signallers(kFences);
  run_device([&](Device& device) {
    base::Rng rng(seed);
    std::vector<ob::UnpublishedObject<SyncObject>> fences;
    for (size_t i = 0; i < kFences; ++i) fences.push_back(fence(device));
    for (Run& each : runs) {
      std::vector<FenceValue> wanted;
      for (uint64_t n = rng.below(kFences) + 1; n; --n) {
        wanted.push_back({fences[rng.below(kFences)].ref(), rng.below(kMost) + 1});
      }
      Need need = rng.below(2) ? Need::All : Need::Any;
      machine().create_thread("waiter", [this, &each, &device, wanted, need] {
        each.blocked.status = CpuWait::block(device, wanted, need).status();
        size_t met = 0;
        for (const FenceValue& one : wanted) met += one.object->value() >= one.value;
        each.early = need == Need::All ? met != wanted.size() : met == 0;
        each.blocked.done.complete(machine());
      });
    }
    for (size_t i = 0; i < kFences; ++i) {
      bool by_gpu = rng.below(2);
      machine().create_thread("signaller", [this, &fences, &signallers, i, by_gpu] {
        for (uint64_t value = 1; value <= kMost; ++value) {
          if (by_gpu) {
            std::atomic_ref<uint64_t>(*fences[i]->memory()->word()).store(value, std::memory_order_release);
            kernel().fences().sample();
          } else {
            EXPECT_EQ(signal(fences[i], value), STATUS_SUCCESS);
          }
          machine().executor().yield(base::Point::Signal);
        }
        signallers[i].complete(machine());
      });
    }
    for (Completion& each : signallers) each.wait(machine());
    for (Run& each : runs) {
      EXPECT_EQ(wait_for(each.blocked), STATUS_SUCCESS);
      EXPECT_FALSE(each.early);
    }
  });
}

std::vector<std::pair<nt::Pace, uint64_t>> runs() {
  std::vector<std::pair<nt::Pace, uint64_t>> all;
  for (uint64_t seed = 1; seed <= 12; ++seed) all.emplace_back(nt::Pace::Simulated, seed);
  for (uint64_t seed = 1; seed <= 4; ++seed) all.emplace_back(nt::Pace::Live, seed);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Seeds, CpuWaitProperty, ::testing::ValuesIn(runs()));

}  // namespace
}  // namespace dxgk::testing
