#include <gtest/gtest.h>

#include <utility>

#include "ks/testing/ks_fixture.h"

namespace ks {
namespace {

// What the driver saw when its SetDeviceState was called.
struct Step {
  KSSTATE to, from, client, device;
  bool operator==(const Step&) const = default;
};

class PinStateTest : public testing::KsTest {
 protected:
  PinStateTest() {
    script = this;
    driver.pin[0].SetDeviceState = [](PKSPIN pin, KSSTATE to, KSSTATE from) {
      script->steps.push_back({to, from, pin->ClientState, pin->DeviceState});
      if (script->write_over_state) pin->DeviceState = KSSTATE_RUN;
      return script->refuses && *script->refuses == to ? STATUS_INSUFFICIENT_RESOURCES : STATUS_SUCCESS;
    };
    driver.pin[0].Reset = [](PKSPIN pin) { script->resets.push_back(pin->ResetState); };
    driver.pin[1].SetDeviceState = driver.pin[0].SetDeviceState;
  }

  // Opens pin 0, and calls `body` with it.
  void with_pin(const std::function<void(HANDLE)>& body) {
    run_driver([&] {
      HANDLE filter = open_filter();
      body(open_pin(filter, 0));
    });
  }
  NTSTATUS go(HANDLE pin, KSSTATE to) {
    Pin& object = pin_of(pin);
    Holding holding(object.control());
    return object.set_state(to).status();
  }
  NTSTATUS reset(HANDLE pin, KSRESET to) {
    Pin& object = pin_of(pin);
    Holding holding(object.control());
    return object.reset(to).status();
  }
  std::vector<std::pair<KSSTATE, KSSTATE>> moves() const {
    std::vector<std::pair<KSSTATE, KSSTATE>> list;
    for (const Step& step : steps) list.emplace_back(step.from, step.to);
    return list;
  }

  static PinStateTest* script;
  std::vector<Step> steps;
  std::vector<KSRESET> resets;
  std::optional<KSSTATE> refuses;
  bool write_over_state = false;
};
PinStateTest* PinStateTest::script = nullptr;

TEST_F(PinStateTest, GoesUpStepByStepAndSaysWhereItIsAndWhereItIsTold) {
  with_pin([&](HANDLE pin) {
    EXPECT_EQ(go(pin, KSSTATE_RUN), STATUS_SUCCESS);
    EXPECT_EQ(pin_of(pin).state(), KSSTATE_RUN);
    EXPECT_EQ(steps, (std::vector<Step>{{KSSTATE_ACQUIRE, KSSTATE_STOP, KSSTATE_ACQUIRE, KSSTATE_RUN},
                                        {KSSTATE_PAUSE, KSSTATE_ACQUIRE, KSSTATE_PAUSE, KSSTATE_RUN},
                                        {KSSTATE_RUN, KSSTATE_PAUSE, KSSTATE_RUN, KSSTATE_RUN}}));
  });
}

TEST_F(PinStateTest, TheSameStateAgainIsNoCall) {
  with_pin([&](HANDLE pin) {
    EXPECT_EQ(go(pin, KSSTATE_STOP), STATUS_SUCCESS);
    EXPECT_TRUE(steps.empty());
    go(pin, KSSTATE_ACQUIRE);
    EXPECT_EQ(go(pin, KSSTATE_ACQUIRE), STATUS_SUCCESS);
    EXPECT_EQ(steps.size(), 1u);
  });
}

TEST_F(PinStateTest, APinOfAnotherTransportJumps) {
  driver.pins[0].Flags = KSPIN_FLAG_DO_NOT_USE_STANDARD_TRANSPORT;
  with_pin([&](HANDLE pin) {
    EXPECT_EQ(go(pin, KSSTATE_RUN), STATUS_SUCCESS);
    EXPECT_EQ(go(pin, KSSTATE_STOP), STATUS_SUCCESS);
    EXPECT_EQ(moves(),
              (std::vector<std::pair<KSSTATE, KSSTATE>>{{KSSTATE_STOP, KSSTATE_RUN}, {KSSTATE_RUN, KSSTATE_STOP}}));
  });
}

TEST_F(PinStateTest, AStepUpThatFailsTakesThoseBeforeItBack) {
  refuses = KSSTATE_PAUSE;
  with_pin([&](HANDLE pin) {
    EXPECT_EQ(go(pin, KSSTATE_RUN), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(moves(),
              (std::vector<std::pair<KSSTATE, KSSTATE>>{
                  {KSSTATE_STOP, KSSTATE_ACQUIRE}, {KSSTATE_ACQUIRE, KSSTATE_PAUSE}, {KSSTATE_ACQUIRE, KSSTATE_STOP}}));
    EXPECT_EQ(pin_of(pin).state(), KSSTATE_STOP);
    EXPECT_EQ((*pin_of(pin)).ClientState, KSSTATE_STOP);
    EXPECT_EQ((*pin_of(pin)).DeviceState, KSSTATE_STOP);
  });
}

TEST_F(PinStateTest, AStepDownThatFailsStaysWhereItWas) {
  with_pin([&](HANDLE pin) {
    go(pin, KSSTATE_RUN);
    refuses = KSSTATE_ACQUIRE;
    EXPECT_EQ(go(pin, KSSTATE_STOP), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(pin_of(pin).state(), KSSTATE_PAUSE);
    EXPECT_EQ((*pin_of(pin)).ClientState, KSSTATE_PAUSE);
  });
}

TEST_F(PinStateTest, ClosingDoesNotAskTheDriver) {
  with_pin([&](HANDLE pin) {
    go(pin, KSSTATE_RUN);
    refuses = KSSTATE_STOP;
    EXPECT_EQ(program().close(pin), STATUS_SUCCESS);
    EXPECT_EQ(moves().back(), std::make_pair(KSSTATE_ACQUIRE, KSSTATE_STOP));
  });
}

TEST_F(PinStateTest, ThereAreFourStates) {
  with_pin([&](HANDLE pin) {
    ULONG fifth = 4;
    EXPECT_EQ(program().set(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_STATE, &fifth, sizeof(fifth)),
              STATUS_INVALID_PARAMETER);
    EXPECT_TRUE(steps.empty());
    EXPECT_EQ(program().set_state(pin, KSSTATE_ACQUIRE), STATUS_SUCCESS);
    EXPECT_EQ(steps.size(), 1u);
  });
}

TEST_F(PinStateTest, NothingMovesBeforeTheNecessaryPinsAreThere) {
  driver.pins[1].InstancesNecessary = 1;
  run_driver([&] {
    HANDLE filter = open_filter();
    HANDLE pin = open_pin(filter, 0);
    EXPECT_EQ(go(pin, KSSTATE_ACQUIRE), STATUS_INVALID_DEVICE_STATE);
    open_pin(filter, 1);
    EXPECT_EQ(go(pin, KSSTATE_ACQUIRE), STATUS_SUCCESS);
  });
}

TEST_F(PinStateTest, ThereAreNoMoreInstancesThanPossible) {
  driver.pins[0].InstancesPossible = 2;
  run_driver([&] {
    HANDLE filter = open_filter();
    open_pin(filter, 0);
    HANDLE second = open_pin(filter, 0);
    auto third = [&] { return program().open_pin(filter, standard_connect(0), format()).status(); };
    EXPECT_EQ(third(), STATUS_ALLOTTED_SPACE_EXCEEDED);
    EXPECT_EQ(program().close(second), STATUS_SUCCESS);
    EXPECT_EQ(third(), STATUS_SUCCESS);
  });
}

// L-12
TEST_F(PinStateTest, InstancesAreBoundedFromBothSides) {
  driver.pins[0].InstancesPossible = 2;
  driver.pins[1].InstancesNecessary = 1;
  bool ended = false;
  run_driver([&] {
    HANDLE filter = open_filter();
    HANDLE pin = open_pin(filter, 0);
    open_pin(filter, 0);
    EXPECT_EQ(program().open_pin(filter, standard_connect(0), format()).status(), STATUS_ALLOTTED_SPACE_EXCEEDED);
    EXPECT_EQ(go(pin, KSSTATE_ACQUIRE), STATUS_INVALID_DEVICE_STATE) << "the other pin is necessary";
    open_pin(filter, 1);
    EXPECT_EQ(go(pin, KSSTATE_ACQUIRE), STATUS_SUCCESS);
    ended = true;
  });
  EXPECT_TRUE(ended);
}

TEST_F(PinStateTest, WritingOverDeviceStateIsAFindingAndPutRight) {
  observer.then = nt::Then::GoOn;
  write_over_state = true;
  with_pin([&](HANDLE pin) {
    go(pin, KSSTATE_ACQUIRE);
    EXPECT_EQ((*pin_of(pin)).DeviceState, KSSTATE_ACQUIRE);
    write_over_state = false;
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsPinFieldWritten"});
}

TEST_F(PinStateTest, StoppingCancelsTheFramesThatWait) {
  with_pin([&](HANDLE pin) {
    ProgramFrame frame(program(), 4096);
    go(pin, KSSTATE_PAUSE);
    ASSERT_EQ(frame.read(pin), STATUS_PENDING);
    go(pin, KSSTATE_ACQUIRE);
    EXPECT_TRUE(frame.pending());
    go(pin, KSSTATE_STOP);
    EXPECT_EQ(frame.wait(), STATUS_CANCELLED);
  });
}

TEST_F(PinStateTest, RequestsAreRefusedWhereTheyDoNotBelong) {
  run_driver([&] {
    HANDLE filter = open_filter();
    HANDLE output = open_pin(filter, 0), input = open_pin(filter, 1);
    ProgramFrame frame(program(), 4096);
    EXPECT_EQ(frame.read(output), STATUS_INVALID_DEVICE_STATE) << "stopped";
    go(output, KSSTATE_ACQUIRE);
    go(input, KSSTATE_ACQUIRE);
    EXPECT_EQ(frame.write(output), STATUS_INVALID_DEVICE_REQUEST);
    EXPECT_EQ(frame.read(input), STATUS_INVALID_DEVICE_REQUEST);
    EXPECT_EQ(frame.read(output), STATUS_PENDING);
    frame.cancel();
    EXPECT_EQ(frame.wait(), STATUS_CANCELLED);
  });
}

TEST_F(PinStateTest, AResetSendsFramesHomeAndTakesNoneUntilItsEnd) {
  with_pin([&](HANDLE pin) {
    ProgramFrame frame(program(), 4096);
    go(pin, KSSTATE_PAUSE);
    ASSERT_EQ(frame.read(pin), STATUS_PENDING);
    EXPECT_EQ(reset(pin, KSRESET_BEGIN), STATUS_SUCCESS);
    EXPECT_EQ(frame.wait(), STATUS_CANCELLED);
    EXPECT_EQ(frame.read(pin), STATUS_DEVICE_NOT_READY);
    go(pin, KSSTATE_RUN);
    EXPECT_EQ(frame.read(pin), STATUS_DEVICE_NOT_READY) << "a change of state does not end it";
    EXPECT_EQ(reset(pin, KSRESET_END), STATUS_SUCCESS);
    EXPECT_EQ(frame.read(pin), STATUS_PENDING);
    go(pin, KSSTATE_STOP);
    EXPECT_EQ(frame.wait(), STATUS_CANCELLED);
    EXPECT_EQ(resets, (std::vector<KSRESET>{KSRESET_BEGIN, KSRESET_END}));
  });
}

TEST_F(PinStateTest, AResetLeavesClonesToTheirDriver) {
  with_pin([&](HANDLE pin) {
    ProgramFrame frame(program(), 4096), kept(program(), 4096);
    go(pin, KSSTATE_PAUSE);
    ASSERT_EQ(frame.read(pin), STATUS_PENDING);
    ASSERT_EQ(kept.read(pin), STATUS_PENDING);
    PKSSTREAM_POINTER edge = KsPinGetLeadingEdgeStreamPointer(&*pin_of(pin), KSSTREAM_POINTER_STATE_LOCKED);
    PKSSTREAM_POINTER clone = nullptr, locked = nullptr;
    ASSERT_EQ(KsStreamPointerClone(edge, nullptr, 0, &clone), STATUS_SUCCESS);
    KsStreamPointerUnlock(clone, FALSE);
    ASSERT_EQ(KsStreamPointerAdvance(edge), STATUS_SUCCESS);
    ASSERT_EQ(KsStreamPointerClone(edge, nullptr, 0, &locked), STATUS_SUCCESS);
    KsStreamPointerUnlock(edge, FALSE);
    EXPECT_EQ(reset(pin, KSRESET_BEGIN), STATUS_SUCCESS);
    EXPECT_EQ(frame.wait(), STATUS_CANCELLED);
    EXPECT_EQ(KsStreamPointerLock(clone), STATUS_DEVICE_NOT_READY);
    KsStreamPointerDelete(clone);
    EXPECT_TRUE(kept.pending()) << "its clone is locked";
    KsStreamPointerDelete(locked);
    EXPECT_EQ(kept.wait(), STATUS_CANCELLED);
    EXPECT_EQ(reset(pin, KSRESET_END), STATUS_SUCCESS);
    go(pin, KSSTATE_STOP);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(PinStateTest, AnInvalidOrRepeatedResetIsNotPassedToTheDriver) {
  with_pin([&](HANDLE pin) {
    EXPECT_EQ(reset(pin, KSRESET_END), STATUS_SUCCESS);
    ULONG third = 2;
    EXPECT_EQ(program().control(pin, IOCTL_KS_RESET_STATE, &third, sizeof(third), nullptr, 0),
              STATUS_INVALID_PARAMETER);
    EXPECT_TRUE(resets.empty());
    KSRESET begin = KSRESET_BEGIN;
    EXPECT_EQ(program().control(pin, IOCTL_KS_RESET_STATE, &begin, sizeof(begin) - 1, nullptr, 0),
              STATUS_INVALID_BUFFER_SIZE);
    EXPECT_EQ(program().control(pin, IOCTL_KS_RESET_STATE, &begin, sizeof(begin), nullptr, 0), STATUS_SUCCESS);
    EXPECT_EQ(resets, std::vector<KSRESET>{KSRESET_BEGIN});
  });
}

// Requests come while the stream stops and starts, under many schedules: each ends, and none is left behind.
TEST_F(PinStateTest, EveryRequestEndsHoweverItMeetsTheStop) {
  run_driver_seeds(60, [&] {
    HANDLE filter = open_filter();
    HANDLE pin = open_pin(filter, 0);
    bool ended = false;
    machine().create_thread("stopper", [&] {
      for (KSSTATE to : {KSSTATE_PAUSE, KSSTATE_STOP, KSSTATE_RUN, KSSTATE_STOP}) go(pin, to);
      ended = true;
    });
    while (!ended) {
      ProgramFrame frame(program(), 64);
      NTSTATUS status = frame.read(pin);
      if (status == STATUS_PENDING) status = frame.wait();
      EXPECT_TRUE(status == STATUS_CANCELLED || status == STATUS_INVALID_DEVICE_STATE) << status;
      machine().executor().yield(base::Point::Yield);
    }
    EXPECT_EQ(pin_of(pin).queue().frames(), 0u);
  });
}

}  // namespace
}  // namespace ks
