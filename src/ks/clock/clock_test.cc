#include "ks/clock/clock.h"

#include <gmock/gmock.h>

#include <cstring>

#include "ks/clock/default_clock.h"
#include "ks/testing/ks_fixture.h"
#include "nt/ke/dispatcher.h"

namespace ks {
namespace {

using ::testing::ElementsAre;

constexpr base::TimeNs kMillisecond = 1'000'000;

struct Routines {
  LONGLONG time = 500;
  int asked = 0;
  IKsReferenceClock* clock = nullptr;
  NTSTATUS got = STATUS_UNSUCCESSFUL;
  bool keep = false;
};
Routines* routines;

LONGLONG drivers_time(PKSPIN, PLONGLONG system_time) {
  ++routines->asked;
  *system_time = 42;
  return routines->time;
}

void drivers_resolution(PKSPIN, PKSRESOLUTION resolution) { *resolution = {10, 20}; }

const KSCLOCK_DISPATCH kDispatch = {nullptr, nullptr, drivers_time, drivers_resolution};

// Gets the reference clock on the way up and releases it on the way down, as the page advises.
NTSTATUS set_device_state(PKSPIN pin, KSSTATE to, KSSTATE from) {
  if (to == KSSTATE_ACQUIRE && from == KSSTATE_STOP) {
    routines->got = KsPinGetReferenceClockInterface(pin, &routines->clock);
  }
  if (to == KSSTATE_STOP && routines->clock && !routines->keep) {
    routines->clock->Release();
    routines->clock = nullptr;
  }
  return STATUS_SUCCESS;
}

class ClockTest : public testing::KsTest {
 protected:
  ClockTest() {
    routines = &routines_;
    driver.pins[0].Flags = KSPIN_FLAG_IMPLEMENT_CLOCK;
  }

  template <typename T>
  T get(HANDLE clock, ULONG id) {
    auto answer = program().get(clock, KSPROPSETID_Clock, id);
    EXPECT_TRUE(answer.ok()) << id;
    T value{};
    if (answer.ok()) memcpy(&value, answer.value().data(), std::min(sizeof(T), answer.value().size()));
    return value;
  }
  LONGLONG time(HANDLE clock) { return get<LONGLONG>(clock, KSPROPERTY_CLOCK_TIME); }

  Routines routines_;
};

TEST_F(ClockTest, ItsTimeRunsWhileThePinDoes) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    HANDLE clock = program().open_clock(pin).take();
    rest(kMillisecond);
    EXPECT_EQ(time(clock), 0);
    EXPECT_EQ(program().set_state(pin, KSSTATE_RUN), STATUS_SUCCESS);
    EXPECT_EQ(get<KSSTATE>(clock, KSPROPERTY_CLOCK_STATE), KSSTATE_RUN);
    LONGLONG start = time(clock);
    rest(3 * kMillisecond);
    EXPECT_GE(time(clock) - start, 30'000);
    EXPECT_EQ(program().set_state(pin, KSSTATE_PAUSE), STATUS_SUCCESS);
    LONGLONG stood = time(clock);
    rest(kMillisecond);
    EXPECT_EQ(time(clock), stood);
    EXPECT_EQ(program().set_state(pin, KSSTATE_STOP), STATUS_SUCCESS);
    EXPECT_EQ(time(clock), 0);
    EXPECT_GT(get<LONGLONG>(clock, KSPROPERTY_CLOCK_PHYSICALTIME), 0);
    auto correlated = get<KSCORRELATED_TIME>(clock, KSPROPERTY_CLOCK_CORRELATEDTIME);
    EXPECT_GT(correlated.SystemTime, 0);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(ClockTest, ADriversRoutinesDetermineTheTime) {
  driver.pin[0].Clock = &kDispatch;
  run_driver([&] {
    HANDLE clock = program().open_clock(open_pin(open_filter(), 0)).take();
    EXPECT_EQ(time(clock), 500);
    auto correlated = get<KSCORRELATED_TIME>(clock, KSPROPERTY_CLOCK_CORRELATEDTIME);
    EXPECT_EQ(correlated.SystemTime, 42);
    EXPECT_EQ(get<KSRESOLUTION>(clock, KSPROPERTY_CLOCK_RESOLUTION).Error, 20);
    EXPECT_GT(routines_.asked, 0);
  });
}

TEST_F(ClockTest, OnlyPinsThatProvideOneHaveClocks) {
  run_driver([&] {
    HANDLE filter = open_filter();
    EXPECT_EQ(program().open_clock(open_pin(filter, 1)).status(), STATUS_INVALID_DEVICE_REQUEST);
    HANDLE pin = open_pin(filter, 0);
    KSCLOCK_CREATE create{1};
    EXPECT_EQ(program().open_child(pin, KSNAME_Clock, &create, sizeof(create)).status(), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program().open_child(pin, KSNAME_Clock, &create, 2).status(), STATUS_INVALID_BUFFER_SIZE);
    HANDLE clock = program().open_clock(pin).take();
    EXPECT_EQ(program().get(clock, KSPROPSETID_Clock, KSPROPERTY_CLOCK_FUNCTIONTABLE).status(), STATUS_ACCESS_DENIED);
  });
}

TEST_F(ClockTest, APinWithoutClockHasNoReferenceClockUntilOneIsAssigned) {
  driver.pin[1].SetDeviceState = set_device_state;
  run_driver([&] {
    HANDLE filter = open_filter();
    HANDLE sink = open_pin(filter, 1);
    EXPECT_EQ(program().set_state(sink, KSSTATE_ACQUIRE), STATUS_SUCCESS);
    EXPECT_EQ(routines_.got, STATUS_DEVICE_NOT_READY);
    EXPECT_EQ(program().set_state(sink, KSSTATE_STOP), STATUS_SUCCESS);
    HANDLE source = open_pin(filter, 0);
    HANDLE clock = program().open_clock(source).take();
    EXPECT_EQ(program().assign_clock(sink, clock), STATUS_SUCCESS);
    EXPECT_EQ(program().set_state(sink, KSSTATE_ACQUIRE), STATUS_SUCCESS);
    ASSERT_EQ(routines_.got, STATUS_SUCCESS);
    EXPECT_EQ(program().set_state(source, KSSTATE_RUN), STATUS_SUCCESS);
    rest(kMillisecond);
    EXPECT_GT(routines_.clock->GetTime(), 0);
    KSSTATE state = KSSTATE_STOP;
    EXPECT_EQ(routines_.clock->GetState(&state), STATUS_SUCCESS);
    EXPECT_EQ(state, KSSTATE_RUN);
    EXPECT_EQ(program().set_state(sink, KSSTATE_STOP), STATUS_SUCCESS);
    EXPECT_EQ(pin_of(sink).reference_clock()->references(), 0u);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(ClockTest, AReferenceClockThatIsKeptIsAFinding) {
  observer.then = nt::Then::GoOn;
  driver.pin[0].SetDeviceState = set_device_state;
  routines_.keep = true;
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    EXPECT_EQ(program().set_state(pin, KSSTATE_ACQUIRE), STATUS_SUCCESS);
    EXPECT_EQ(program().set_state(pin, KSSTATE_STOP), STATUS_SUCCESS);
    EXPECT_THAT(broken(), ElementsAre()) << "the page sets no time but that it is released";
    program().close(pin);
  });
  EXPECT_THAT(broken(), ElementsAre("KsClockNotReleased"));
}

TEST_F(ClockTest, TellsTimesThatWereNeverCorrelated) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    IKsReferenceClock* clock = nullptr;
    ASSERT_EQ(KsPinGetReferenceClockInterface(&*pin_of(pin), &clock), STATUS_SUCCESS);
    ReferenceClock& face = *pin_of(pin).reference_clock();
    EXPECT_FALSE(face.gave_time(0));
    EXPECT_EQ(clock->GetTime(), 0);
    EXPECT_TRUE(face.gave_time(0));
    EXPECT_FALSE(face.gave_time(1));
    LONGLONG system_time;
    clock->GetCorrelatedTime(&system_time);
    EXPECT_FALSE(face.gave_time(0));
    EXPECT_EQ(clock->Release(), 0u);
  });
}

TEST_F(ClockTest, ReleasedTooOftenIsAFinding) {
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    IKsReferenceClock* clock = nullptr;
    ASSERT_EQ(KsPinGetReferenceClockInterface(&*pin_of(pin), &clock), STATUS_SUCCESS);
    EXPECT_EQ(clock->Release(), 0u);
    EXPECT_EQ(clock->Release(), 0u);
  });
  EXPECT_THAT(broken(), ElementsAre("ReferenceUnderflow"));
}

// --- Marks ---

class ClockMarkTest : public ClockTest {
 protected:
  bool take(HANDLE event) {
    void* const objects[] = {program().process().find(event, *ExEventObjectType).take().body};
    return machine().dispatcher().wait(objects, WaitAny, 0) == STATUS_WAIT_0;
  }
};

TEST_F(ClockMarkTest, SignalsAPositionMarkOnceAndAnIntervalRepeatedly) {
  run_driver([&] {
    HANDLE pin = open_pin(open_filter(), 0);
    HANDLE clock = program().open_clock(pin).take();
    KSEVENT request{};
    request.Set = KSEVENTSETID_Clock;
    request.Flags = KSEVENT_TYPE_ENABLE;
    KSEVENT_TIME_MARK mark{};
    HANDLE once = program().process().create_event(SynchronizationEvent, false).take();
    mark.EventData.NotificationType = KSEVENTF_EVENT_HANDLE;
    mark.EventData.EventHandle.Event = once;
    mark.MarkTime = 20'000;  // 2 ms
    request.Id = KSEVENT_CLOCK_POSITION_MARK;
    EXPECT_EQ(program().control(clock, IOCTL_KS_ENABLE_EVENT, &request, sizeof(request), &mark, sizeof(mark)),
              STATUS_SUCCESS);
    KSEVENT_TIME_INTERVAL interval{};
    HANDLE often = program().process().create_event(SynchronizationEvent, false).take();
    interval.EventData.NotificationType = KSEVENTF_EVENT_HANDLE;
    interval.EventData.EventHandle.Event = often;
    interval.TimeBase = 10'000;
    request.Id = KSEVENT_CLOCK_INTERVAL_MARK;
    auto enable_interval = [&] {
      return program().control(clock, IOCTL_KS_ENABLE_EVENT, &request, sizeof(request), &interval, sizeof(interval));
    };
    EXPECT_EQ(enable_interval(), STATUS_INVALID_PARAMETER);
    interval.Interval = 10'000;
    EXPECT_EQ(enable_interval(), STATUS_SUCCESS);

    rest(5 * kMillisecond);
    EXPECT_FALSE(take(once)) << "the clock does not run";
    EXPECT_EQ(program().set_state(pin, KSSTATE_RUN), STATUS_SUCCESS);
    rest(kMillisecond + kMillisecond / 2);
    EXPECT_TRUE(take(often));
    EXPECT_FALSE(take(once));
    rest(kMillisecond);
    EXPECT_TRUE(take(often));
    EXPECT_TRUE(take(once));
    rest(3 * kMillisecond);
    EXPECT_TRUE(take(often));
    EXPECT_FALSE(take(once));
    EXPECT_EQ(program().set_state(pin, KSSTATE_PAUSE), STATUS_SUCCESS);
    (void)take(often);
    rest(3 * kMillisecond);
    EXPECT_FALSE(take(often));
  });
  EXPECT_THAT(broken(), ElementsAre());
}

// --- A driver's own ---

TEST_F(ClockTest, ADefaultClockIsCounted) {
  run_driver([&] {
    PKSDEFAULTCLOCK clock = nullptr;
    ASSERT_EQ(KsAllocateDefaultClock(&clock), STATUS_SUCCESS);
    EXPECT_EQ(KsGetDefaultClockState(clock), KSSTATE_STOP);
    KsSetDefaultClockTime(clock, 1000);
    EXPECT_EQ(KsGetDefaultClockTime(clock), 1000);
    KsSetDefaultClockState(clock, KSSTATE_RUN);
    rest(kMillisecond);
    EXPECT_GE(KsGetDefaultClockTime(clock), 11'000);
    KsFreeDefaultClock(clock);
  });
  EXPECT_THAT(broken(), ElementsAre());
}

TEST_F(ClockTest, WhatIsNoDefaultClockIsAFinding) {
  observer.then = nt::Then::GoOn;
  run_driver([&] {
    uint64_t something[64] = {};
    EXPECT_EQ(KsGetDefaultClockTime(something), 0);
    PKSDEFAULTCLOCK clock = nullptr;
    KSRESOLUTION resolution{5, 0};
    EXPECT_EQ(KsAllocateDefaultClockEx(&clock, nullptr, nullptr, nullptr, nullptr, &resolution, 0),
              STATUS_INVALID_PARAMETER);
    EXPECT_EQ(KsAllocateDefaultClockEx(&clock, nullptr, nullptr, nullptr, nullptr, nullptr, 1),
              STATUS_INVALID_PARAMETER);
  });
  EXPECT_THAT(broken(), ElementsAre("NotInitialised"));
}

}  // namespace
}  // namespace ks
