#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dxgk/adapter/adapter_interrupts.h"
#include "dxgk/testing/graphics_fixture.h"
#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"
#include "nt/ke/dpc_queues.h"

namespace dxgk {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::GraphicsTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kVector = 0x41;
constexpr KIRQL kIrql = 6;

class RecordingSink final : public InterruptSink {
 public:
  void interrupted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override {
    targets.push_back(data.CrtcVsync.VidPnTargetId);
  }
  void deferred() override { ++dpcs; }

  std::vector<UINT> targets;
  int dpcs = 0;
};

class InterruptsOfAnAdapter : public GraphicsTest {
 protected:
  InterruptsOfAnAdapter() { hardware.line = nt::InterruptLine{kVector, kIrql}; }

  void notify_vsync(UINT target) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    data.CrtcVsync.VidPnTargetId = target;
    driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &data);
  }
  // The driver's side of an interrupt: notify, queue the DPC, notify again from there.
  void complete_in_interrupts() {
    driver.at[Ddi::InterruptRoutine] = [&] {
      irqls.push_back(machine().self().irql);
      notify_vsync(7);
      driver.interface.DxgkCbQueueDpc(driver.device_handle());
    };
    driver.at[Ddi::DpcRoutine] = [&] {
      irqls.push_back(machine().self().irql);
      driver.interface.DxgkCbNotifyDpc(driver.device_handle());
    };
  }
  void raise() {
    machine().interrupts().raise(kVector);
    machine().deliver();
    machine().dpcs().flush();
  }

  RecordingSink sink;
  std::vector<KIRQL> irqls;
};

TEST_F(InterruptsOfAnAdapter, GoFromTheLineToTheSink) {
  complete_in_interrupts();
  run_started([&](Adapter& adapter) {
    adapter.set_interrupt_sink(sink);
    raise();
    raise();
  });
  EXPECT_THAT(sink.targets, ElementsAre(7u, 7u));
  EXPECT_EQ(sink.dpcs, 2);
  EXPECT_THAT(irqls, ElementsAre(kIrql, DISPATCH_LEVEL, kIrql, DISPATCH_LEVEL));
  EXPECT_THAT(broken(), IsEmpty());
}

// Observed: a driver must be ready before DxgkDdiStartDevice returns.
TEST_F(InterruptsOfAnAdapter, ComeBeforeTheStartIsOver) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the test delivers from inside of its driver, where only a driver's own accesses are watched";
  }
  driver.at[Ddi::StartDevice] = [&] {
    machine().interrupts().raise(kVector);
    machine().deliver();
  };
  run_started([](Adapter&) {});
  EXPECT_EQ(driver.calls(Ddi::InterruptRoutine), 1u);
}

TEST_F(InterruptsOfAnAdapter, EndWithTheAdapter) {
  run_started([&](Adapter& adapter) {
    adapter.stop();
    raise();
    EXPECT_EQ(driver.calls(Ddi::InterruptRoutine), 0u);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// Observed: what was queued still runs after DxgkDdiStopDevice.
TEST_F(InterruptsOfAnAdapter, ADpcQueuedByTheStopStillRuns) {
  driver.at[Ddi::StopDevice] = [&] {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    driver.interface.DxgkCbQueueDpc(driver.device_handle());
    driver.log.push_back("queued");
    KeLowerIrql(old);
  };
  run_started([](Adapter&) {});
  EXPECT_EQ(driver.calls(Ddi::DpcRoutine), 1u);
  EXPECT_EQ(driver.log.back(), "RemoveDevice");
}

// The driver's own DPCs are its own affair: it is removed while one of them waits for its processor.
TEST_F(InterruptsOfAnAdapter, NothingWaitsForADpcOfTheDriver) {
  static bool ran;  // a DPC routine is a plain function
  ran = false;
  bool held = false, removed = false;
  KDPC dpc;
  driver.at[Ddi::StopDevice] = [&] {
    machine().create_thread("holder", [&] {
      KeSetSystemAffinityThread(2);
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
      held = true;
      while (!removed) machine().executor().yield(base::Point::Yield);
      KeLowerIrql(old);
    });
    while (!held) machine().executor().yield(base::Point::Yield);
    KeInitializeDpc(
        &dpc, [](PKDPC, PVOID, PVOID, PVOID) { ran = true; }, nullptr);
    KeSetTargetProcessorDpc(&dpc, 1);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
  };
  driver.at[Ddi::RemoveDevice] = [&] {
    EXPECT_FALSE(ran);
    removed = true;
    KeFlushQueuedDpcs();
    EXPECT_TRUE(ran);
  };
  run_started([](Adapter&) {});
  EXPECT_TRUE(removed);
}

TEST_F(InterruptsOfAnAdapter, OneDpcAtATime) {
  run_started([&](Adapter&) {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    EXPECT_TRUE(driver.interface.DxgkCbQueueDpc(driver.device_handle()));
    EXPECT_FALSE(driver.interface.DxgkCbQueueDpc(driver.device_handle()));
    KeLowerIrql(old);
    EXPECT_EQ(driver.calls(Ddi::DpcRoutine), 1u);
  });
}

TEST_F(InterruptsOfAnAdapter, SynchronizeRunsAtTheirLevel) {
  run_started([&](Adapter&) {
    BOOLEAN result = FALSE;
    KIRQL seen = 0;
    auto routine = [](PVOID context) -> BOOLEAN {
      *static_cast<KIRQL*>(context) = KeGetCurrentIrql();
      return TRUE;
    };
    auto synchronize = driver.interface.DxgkCbSynchronizeExecution;
    EXPECT_EQ(synchronize(driver.device_handle(), routine, &seen, 0, &result), STATUS_SUCCESS);
    EXPECT_TRUE(result);
    EXPECT_EQ(seen, kIrql);
    EXPECT_EQ(synchronize(driver.device_handle(), routine, &seen, 1, &result), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(InterruptsOfAnAdapter, WithoutALineNothingSynchronizes) {
  hardware.line.reset();
  run_started([&](Adapter&) {
    BOOLEAN result = FALSE;
    auto routine = [](PVOID) -> BOOLEAN { return TRUE; };
    EXPECT_EQ(driver.interface.DxgkCbSynchronizeExecution(driver.device_handle(), routine, nullptr, 0, &result),
              STATUS_UNSUCCESSFUL);
  });
}

TEST_F(InterruptsOfAnAdapter, ANotificationWithoutADpcIsAFinding) {
  observer.then = nt::Then::GoOn;
  driver.at[Ddi::InterruptRoutine] = [&] {
    driver.interface.DxgkCbQueueDpc(driver.device_handle());
    notify_vsync(7);  // the other way round
  };
  driver.at[Ddi::DpcRoutine] = [&] { driver.interface.DxgkCbNotifyDpc(driver.device_handle()); };
  run_started([&](Adapter&) { raise(); });
  EXPECT_THAT(broken(), ElementsAre("DpcNotQueued"));
}

TEST_F(InterruptsOfAnAdapter, ADpcThatTellsNothingIsAFinding) {
  observer.then = nt::Then::GoOn;
  complete_in_interrupts();
  driver.at[Ddi::DpcRoutine] = [] {};
  run_started([&](Adapter&) { raise(); });
  EXPECT_THAT(broken(), ElementsAre("DpcUntold"));
}

TEST_F(InterruptsOfAnAdapter, ADpcWithNothingToTellIsNone) {
  driver.at[Ddi::InterruptRoutine] = [&] { driver.interface.DxgkCbQueueDpc(driver.device_handle()); };
  run_started([&](Adapter&) { raise(); });
  EXPECT_EQ(driver.calls(Ddi::DpcRoutine), 1u);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(InterruptsOfAnAdapter, ANeighboursIsTheDriversToTurnDown) {
  run_started([&](Adapter& adapter) {
    adapter.interrupts().raise_as_neighbour();
    machine().deliver();
    EXPECT_EQ(driver.calls(Ddi::InterruptRoutine), 1u);
    adapter.stop();
    adapter.interrupts().raise_as_neighbour();  // the routine is no longer connected
    machine().deliver();
  });
  EXPECT_EQ(driver.calls(Ddi::InterruptRoutine), 1u);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(InterruptsOfAnAdapter, ATypeThatThereIsNotMustBeRefused) {
  static NTSTATUS s_answer;
  static std::vector<uint32_t> s_asked;
  s_asked.clear();
  driver.table.DxgkDdiControlInterrupt = [](const HANDLE, IN_CONST_DXGK_INTERRUPT_TYPE type, BOOLEAN) -> NTSTATUS {
    s_asked.push_back(type);
    return s_answer;
  };
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    s_answer = STATUS_NOT_IMPLEMENTED;
    adapter.interrupts().ask_for_unknown(static_cast<DXGK_INTERRUPT_TYPE>(28), true);
    EXPECT_THAT(broken(), IsEmpty());
    s_answer = STATUS_SUCCESS;
    adapter.interrupts().ask_for_unknown(static_cast<DXGK_INTERRUPT_TYPE>(29), false);
  });
  EXPECT_THAT(s_asked, ElementsAre(28u, 29u));
  ASSERT_THAT(broken(), ElementsAre("InterruptTypeTaken"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("disabled interrupts of type 29"));
}

TEST_F(InterruptsOfAnAdapter, ANotificationBelowTheirLevelIsAFinding) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter&) { notify_vsync(1); });
  ASSERT_THAT(broken(), ElementsAre("CallbackIrql"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("DxgkCbNotifyInterrupt was called at PASSIVE_LEVEL"));
}

}  // namespace
}  // namespace dxgk
