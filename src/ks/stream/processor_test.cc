#include "ks/stream/processor.h"

#include <functional>

#include "ks/testing/ks_fixture.h"

namespace ks {
namespace {

constexpr base::TimeNs kSecond = 1'000'000'000;

// Pin 0 captures: its Process is whatever the test says.
class ProcessorTest : public testing::KsTest {
 public:
  void count_call() {
    ++calls;
    ran_at = machine().self().irql;
    ran_on = &machine().self();
  }

 protected:
  ProcessorTest() {
    script = this;
    driver.pin[0].Process = [](PKSPIN pin) {
      script->count_call();
      return script->process(pin);
    };
  }

  // Opens pin 0, and calls `body`.
  void with_pin(const std::function<void()>& body) {
    run_driver([&] {
      filter = open_filter();
      handle = open_pin(filter, 0);
      body();
    });
  }
  Pin& pin() { return pin_of(handle); }
  NTSTATUS go(KSSTATE to) { return go(handle, to); }
  NTSTATUS go(HANDLE which, KSSTATE to) {
    Pin& object = pin_of(which);
    Holding holding(object.control());
    return object.set_state(to).status();
  }
  // So many frames are read, and given up in the end.
  void read(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      frames.push_back(std::make_unique<ProgramFrame>(program(), 64));
      EXPECT_TRUE(NT_SUCCESS(frames.back()->read(handle)));
    }
  }
  void settle() {
    go(KSSTATE_STOP);
    for (auto& frame : frames) frame->wait();
    frames.clear();
  }
  // A frame is filled and leaves.
  static NTSTATUS take_one(PKSPIN body) {
    PKSSTREAM_POINTER leading = KsPinGetLeadingEdgeStreamPointer(body, KSSTREAM_POINTER_STATE_LOCKED);
    if (!leading) return STATUS_PENDING;
    KsStreamPointerAdvanceOffsetsAndUnlock(leading, 0, leading->OffsetOut.Remaining, TRUE);
    return STATUS_SUCCESS;
  }
  static NTSTATUS wait(PKSPIN) { return STATUS_PENDING; }

  static ProcessorTest* script;
  std::function<NTSTATUS(PKSPIN)> process = take_one;
  uint32_t calls = 0;
  KIRQL ran_at = HIGH_LEVEL;
  nt::Thread* ran_on = nullptr;
  HANDLE filter = nullptr, handle = nullptr;
  std::vector<std::unique_ptr<ProgramFrame>> frames;
};
ProcessorTest* ProcessorTest::script = nullptr;

TEST_F(ProcessorTest, FramesThatWaitAreProcessedWhenThePinPauses) {
  with_pin([&] {
    go(KSSTATE_ACQUIRE);
    read(2);
    EXPECT_EQ(calls, 0u);
    go(KSSTATE_PAUSE);
    EXPECT_EQ(calls, 2u);
    EXPECT_EQ(frames[1]->wait(), STATUS_SUCCESS);
    settle();
  });
}

TEST_F(ProcessorTest, APinForTheRunStateWaitsForIt) {
  driver.pins[0].Flags = KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY;
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(1);
    EXPECT_EQ(calls, 0u);
    go(KSSTATE_RUN);
    EXPECT_EQ(calls, 1u);
    go(KSSTATE_PAUSE);
    read(1);
    EXPECT_EQ(calls, 1u);
    settle();
  });
}

TEST_F(ProcessorTest, AFrameIsAnnouncedOnlyWhenNoneIsAheadOfIt) {
  process = wait;
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(1);
    EXPECT_EQ(calls, 1u);
    read(3);
    EXPECT_EQ(calls, 1u) << "Process said PENDING, and nobody attempted";
    KsPinAttemptProcessing(&*pin(), FALSE);
    EXPECT_EQ(calls, 2u);
    settle();
  });
}

TEST_F(ProcessorTest, EveryFrameInitiatesProcessingIfTheFlagsAskForIt) {
  driver.pins[0].Flags = KSPIN_FLAG_INITIATE_PROCESSING_ON_EVERY_ARRIVAL;
  process = wait;
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(3);
    EXPECT_EQ(calls, 3u);
    settle();
  });
}

TEST_F(ProcessorTest, NoFrameInitiatesProcessingIfTheDriverPolls) {
  driver.pins[0].Flags = KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING;
  with_pin([&] {
    go(KSSTATE_ACQUIRE);
    read(1);
    go(KSSTATE_RUN);
    read(1);
    EXPECT_EQ(calls, 0u);
    KsPinAttemptProcessing(&*pin(), FALSE);
    EXPECT_EQ(calls, 2u);
    settle();
  });
}

TEST_F(ProcessorTest, AnErrorWaitsLikePending) {
  process = [](PKSPIN) { return STATUS_IO_DEVICE_ERROR; };
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(2);
    EXPECT_EQ(calls, 1u);
    settle();
  });
}

TEST_F(ProcessorTest, AnAttemptAtDispatchLevelIsAWorkItem) {
  with_pin([&] {
    process = wait;
    go(KSSTATE_PAUSE);
    read(1);
    process = take_one;
    machine().raise_irql(DISPATCH_LEVEL);
    KsPinAttemptProcessing(&*pin(), FALSE);
    EXPECT_EQ(calls, 1u);
    machine().lower_irql(PASSIVE_LEVEL);
    EXPECT_EQ(frames[0]->wait(), STATUS_SUCCESS);
    EXPECT_EQ(calls, 2u);
    EXPECT_NE(ran_on, &machine().self());
    EXPECT_EQ(ran_at, PASSIVE_LEVEL);
    settle();
  });
}

TEST_F(ProcessorTest, DispatchLevelProcessingIsThereAtOnce) {
  driver.pins[0].Flags = KSPIN_FLAG_DISPATCH_LEVEL_PROCESSING;
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(1);
    EXPECT_EQ(ran_at, DISPATCH_LEVEL);
    EXPECT_EQ(ran_on, &machine().self());
    EXPECT_EQ(machine().self().irql, PASSIVE_LEVEL);
    settle();
  });
}

TEST_F(ProcessorTest, AnAsynchronousPinHasAWorkerDoIt) {
  driver.pins[0].Flags = KSPIN_FLAG_ASYNCHRONOUS_PROCESSING | KSPIN_FLAG_CRITICAL_PROCESSING;
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(1);
    EXPECT_EQ(frames[0]->wait(), STATUS_SUCCESS);
    EXPECT_NE(ran_on, &machine().self());
    settle();
  });
}

TEST_F(ProcessorTest, NothingIsProcessedWhileTheDriverHoldsTheMutex) {
  for (ULONG flags : {0u, unsigned{KSPIN_FLAG_DISPATCH_LEVEL_PROCESSING}}) {
    driver.pins[0].Flags = flags;
    calls = 0;
    with_pin([&] {
      go(KSSTATE_PAUSE);
      KsPinAcquireProcessingMutex(&*pin());
      read(1);
      rest(kSecond);
      EXPECT_EQ(calls, 0u);
      KsPinReleaseProcessingMutex(&*pin());
      EXPECT_EQ(frames[0]->wait(), STATUS_SUCCESS);
      settle();
    });
  }
}

TEST_F(ProcessorTest, AGateThatTheDriverShutHoldsProcessingUntilItAttempts) {
  with_pin([&] {
    go(KSSTATE_PAUSE);
    KSGATE* gate = KsPinGetAndGate(&*pin());
    ASSERT_TRUE(gate);
    KsGateTurnInputOff(gate);
    read(1);
    EXPECT_EQ(calls, 0u);
    KsGateTurnInputOn(gate);
    KsPinAttemptProcessing(&*pin(), FALSE);
    EXPECT_EQ(calls, 1u);
    settle();
  });
}

TEST_F(ProcessorTest, SuccessWithoutProgressIsAFinding) {
  observer.then = nt::Then::GoOn;
  process = [](PKSPIN) { return STATUS_SUCCESS; };
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(1);
    settle();
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsNoProgress"});
}

TEST_F(ProcessorTest, FramesWithoutAnotherAttemptAreAStall) {
  observer.then = nt::Then::GoOn;
  process = wait;
  with_pin([&] {
    go(KSSTATE_RUN);
    read(2);
    rest(3 * kSecond);
    settle();
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsStall"});
}

TEST_F(ProcessorTest, APauseOrAShortWhileIsNoStall) {
  process = wait;
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(2);
    rest(5 * kSecond);
    go(KSSTATE_RUN);
    rest(kSecond);
    settle();
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(ProcessorTest, HardwareThatHoldsAFrameOrIsAskedAgainIsNoStall) {
  static PKSSTREAM_POINTER clone;
  clone = nullptr;
  process = [](PKSPIN body) {
    PKSSTREAM_POINTER leading = KsPinGetLeadingEdgeStreamPointer(body, KSSTREAM_POINTER_STATE_LOCKED);
    if (!clone && leading) KsStreamPointerClone(leading, nullptr, 0, &clone);
    if (leading) KsStreamPointerUnlock(leading, FALSE);
    return STATUS_PENDING;
  };
  with_pin([&] {
    go(KSSTATE_RUN);
    read(2);
    rest(3 * kSecond);
    go(KSSTATE_PAUSE);
    KsStreamPointerUnlock(clone, FALSE);
    KsStreamPointerDelete(clone);
    go(KSSTATE_RUN);
    rest(3 * kSecond);
    process = wait;
    KsPinAttemptProcessing(&*pin(), FALSE);
    settle();
  });
  EXPECT_TRUE(broken().empty()) << broken().front();
}

TEST_F(ProcessorTest, AnAttemptWithoutAPinIsAFinding) {
  observer.then = nt::Then::GoOn;
  with_pin([&] { KsPinAttemptProcessing(nullptr, FALSE); });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsAttemptWithoutPin"});
}

TEST_F(ProcessorTest, TheProcessingMutexIsNotTakenTwice) {
  observer.then = nt::Then::GoOn;
  process = [](PKSPIN body) {
    KsPinAcquireProcessingMutex(body);
    KsPinReleaseProcessingMutex(body);
    return STATUS_PENDING;
  };
  with_pin([&] {
    go(KSSTATE_PAUSE);
    read(1);
    settle();
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsMutexRecursive"});
}

TEST_F(ProcessorTest, GatesAreForPinsOfFiltersThatProcess) {
  observer.then = nt::Then::GoOn;
  with_pin([&] {
    KSGATE gate;
    KsGateInitializeOr(&gate, nullptr);
    KsPinAttachOrGate(&*pin(), &gate);
    go(KSSTATE_ACQUIRE);
    KsPinAttachOrGate(&*pin(), &gate);
    settle();
  });
  EXPECT_EQ(broken(), (std::vector<std::string>{"KsGateMisused", "KsGateAttachedInMotion"}));
}

TEST_F(ProcessorTest, PowerRoutinesRunUnderTheProcessingMutex) {
  static std::vector<std::pair<bool, DEVICE_POWER_STATE>> told;
  told.clear();
  with_pin([&] {
    KsPinRegisterPowerCallbacks(
        &*pin(), [](PKSPIN, DEVICE_POWER_STATE state) { told.emplace_back(true, state); },
        [](PKSPIN body, DEVICE_POWER_STATE state) {
          EXPECT_TRUE(System::of(*nt::Machine::current())->object_as<Pin>(body, "test")->processor()->mutex().held());
          told.emplace_back(false, state);
        });
    pin().processor()->tell_power(PowerDeviceD3, true);
    pin().processor()->tell_power(PowerDeviceD0, false);
  });
  EXPECT_EQ(told, (std::vector<std::pair<bool, DEVICE_POWER_STATE>>{{true, PowerDeviceD3}, {false, PowerDeviceD0}}));
}

// A filter that copies what is written to pin 1 into what is read from pin 0.
class FilterProcessorTest : public ProcessorTest {
 protected:
  FilterProcessorTest() {
    driver.pin[0].Process = nullptr;
    driver.pins[0].InstancesNecessary = driver.pins[1].InstancesNecessary = 1;
    driver.filter.Process = [](PKSFILTER, PKSPROCESSPIN_INDEXENTRY index) {
      script->count_call();
      KSPROCESSPIN& out = *index[0].Pins[0];
      KSPROCESSPIN& in = *index[1].Pins[0];
      ULONG bytes = std::min(in.BytesAvailable, out.BytesAvailable);
      std::copy_n(static_cast<UCHAR*>(in.Data), bytes, static_cast<UCHAR*>(out.Data));
      in.BytesUsed = out.BytesUsed = bytes;
      out.Terminate = TRUE;
      return STATUS_SUCCESS;
    };
  }
};

TEST_F(FilterProcessorTest, DataGoesInAtOnePinAndOutAtTheOther) {
  run_driver([&] {
    filter = open_filter();
    handle = open_pin(filter, 0);
    HANDLE input = open_pin(filter, 1);
    go(handle, KSSTATE_RUN);
    go(input, KSSTATE_RUN);
    read(1);
    EXPECT_EQ(calls, 0u) << "the input has nothing";
    ProgramFrame written(program(), 64);
    written.buffer().data()[63] = 42;
    written.header().DataUsed = 64;
    EXPECT_TRUE(NT_SUCCESS(written.write(input)));
    EXPECT_EQ(written.wait(), STATUS_SUCCESS);
    EXPECT_EQ(frames[0]->wait(), STATUS_SUCCESS);
    EXPECT_EQ(calls, 1u);
    EXPECT_EQ(frames[0]->header().DataUsed, 64u);
    EXPECT_EQ(frames[0]->buffer().data()[63], 42);
    go(input, KSSTATE_STOP);
    settle();
  });
}

TEST_F(FilterProcessorTest, ADriverAttachesItsGateWhenThePinIsMade) {
  static KSGATE either;
  driver.pin[1].Create = [](PKSPIN body, PIRP) {
    KsGateInitializeOr(&either, nullptr);
    KsPinAttachOrGate(body, &either);
    return STATUS_SUCCESS;
  };
  run_driver([&] {
    filter = open_filter();
    handle = open_pin(filter, 0);
    HANDLE input = open_pin(filter, 1);
    KSGATE* gate = KsFilterGetAndGate(&*filter_of(filter));
    EXPECT_EQ(either.NextGate, gate);
    EXPECT_FALSE(KsGateGetStateUnsafe(gate));
    program().close(input);
    EXPECT_EQ(either.NextGate, nullptr);
    EXPECT_EQ(gate->Count, 0) << "only the class's own input is off";
  });
  EXPECT_TRUE(broken().empty());
}

}  // namespace
}  // namespace ks
