#include <functional>

#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

constexpr uint32_t kVector = 0x61;
constexpr KIRQL kIrql = 7;
constexpr KAFFINITY kAll = 3;

// A driver's interrupt: what its routine saw, and what it does.
struct Isr {
  std::function<void()> act;
  BOOLEAN claims = TRUE;
  int calls = 0;
  KIRQL irql = 0;
  bool running = false;

  static BOOLEAN routine(PKINTERRUPT, PVOID context) {
    auto& self = *static_cast<Isr*>(context);
    self.running = true;
    ++self.calls;
    self.irql = KeGetCurrentIrql();
    if (self.act) self.act();
    self.running = false;
    return self.claims;
  }
};

BOOLEAN call_function(PVOID context) { return (*static_cast<std::function<bool()>*>(context))(); }

class IoInterruptTest : public MachineTest {
 protected:
  void SetUp() override { observer.then = Then::GoOn; }

  static NTSTATUS connect(Isr& isr, PKINTERRUPT* interrupt, BOOLEAN shared = FALSE) {
    return IoConnectInterrupt(interrupt, &Isr::routine, &isr, nullptr, kVector, kIrql, kIrql, Latched, shared, kAll,
                              FALSE);
  }
  // Lets others run until `condition` holds.
  void until(const std::function<bool()>& condition) {
    while (!condition()) machine().executor().yield(base::Point::Call);
  }
  void points(int count) {
    for (int i = 0; i < count; ++i) machine().executor().yield(base::Point::Call);
  }
};

void count_dpc(PKDPC, PVOID context, PVOID, PVOID) { ++*static_cast<int*>(context); }

TEST_F(IoInterruptTest, TheRoutineRunsAtItsIrqlAndQueuesADpc) {
  run_seeds(20, [&] {
    Isr isr;
    KDPC dpc;
    int dpcs = 0;
    KeInitializeDpc(&dpc, &count_dpc, &dpcs);
    isr.act = [&] { KeInsertQueueDpc(&dpc, nullptr, nullptr); };
    PKINTERRUPT interrupt = nullptr;
    ASSERT_EQ(connect(isr, &interrupt), STATUS_SUCCESS);
    machine().interrupts().raise(kVector);
    until([&] { return dpcs == 1; });
    EXPECT_EQ(isr.calls, 1);
    EXPECT_EQ(isr.irql, kIrql);
    IoDisconnectInterrupt(interrupt);
    EXPECT_TRUE(broken().empty());
  });
}

TEST_F(IoInterruptTest, ALineRaisedWhileMaskedIsDeliveredAfterLowering) {
  options.processors = 1;
  run_seeds(20, [&] {
    Isr isr;
    PKINTERRUPT interrupt = nullptr;
    connect(isr, &interrupt);
    KIRQL old;
    KeRaiseIrql(kIrql, &old);
    machine().interrupts().raise(kVector);
    machine().interrupts().raise(kVector);
    points(5);
    EXPECT_EQ(isr.calls, 0);
    KeLowerIrql(old);
    EXPECT_EQ(isr.calls, 1);  // pending once, as an edge
    IoDisconnectInterrupt(interrupt);
    EXPECT_TRUE(broken().empty());
  });
}

TEST_F(IoInterruptTest, ALineRaisedBeforeItIsConnectedIsDeliveredThen) {
  run_seeds(10, [&] {
    Isr isr;
    PKINTERRUPT interrupt = nullptr;
    machine().interrupts().raise(kVector);
    connect(isr, &interrupt);
    until([&] { return isr.calls == 1; });
    IoDisconnectInterrupt(interrupt);
  });
}

TEST_F(IoInterruptTest, SynchronizeExecutionExcludesTheRoutine) {
  int overlaps = 0, meetings = 0;
  run_seeds(60, [&] {
    Isr isr;
    bool inside = false;
    isr.act = [&] {
      overlaps += inside;
      points(3);
      overlaps += inside;
    };
    PKINTERRUPT interrupt = nullptr;
    connect(isr, &interrupt);
    Thread& device = machine().create_thread("device", [&] {
      for (int i = 0; i < 6; ++i) {
        machine().interrupts().raise(kVector);
        points(2);
      }
    });
    std::function<bool()> critical = [&] {
      EXPECT_EQ(KeGetCurrentIrql(), kIrql);
      inside = true;
      overlaps += isr.running;
      points(3);
      overlaps += isr.running;
      inside = false;
      return true;
    };
    for (int i = 0; i < 6; ++i) {
      meetings += isr.running;
      EXPECT_TRUE(KeSynchronizeExecution(interrupt, &call_function, &critical));
    }
    KeWaitForSingleObject(device.body, Executive, KernelMode, FALSE, nullptr);
    IoDisconnectInterrupt(interrupt);
    EXPECT_GT(isr.calls, 0);
    EXPECT_TRUE(broken().empty());
  });
  EXPECT_EQ(overlaps, 0);
  EXPECT_GT(meetings, 0) << "no seed asked for the lock while the routine ran";
}

TEST_F(IoInterruptTest, DisconnectWaitsForARoutineThatRuns) {
  int meetings = 0;
  run_seeds(100, [&] {
    auto isr = std::make_unique<Isr>();
    isr->act = [&] { points(6); };
    PKINTERRUPT interrupt = nullptr;
    connect(*isr, &interrupt);
    Thread& device = machine().create_thread("device", [&] {
      machine().interrupts().raise(kVector);
      points(4);
    });
    points(static_cast<int>(options.seed % 12));
    meetings += isr->running;
    IoDisconnectInterrupt(interrupt);
    EXPECT_FALSE(isr->running);
    isr.reset();  // a call from here on is a use after free
    KeWaitForSingleObject(device.body, Executive, KernelMode, FALSE, nullptr);
    points(5);
    EXPECT_TRUE(broken().empty());
  });
  EXPECT_GT(meetings, 0) << "no seed disconnected while the routine ran";
}

TEST_F(IoInterruptTest, ASharedLineCallsEveryRoutine) {
  run([&] {
    Isr first, second, third;
    first.claims = FALSE;
    PKINTERRUPT interrupts[3] = {};
    EXPECT_EQ(connect(first, &interrupts[0], TRUE), STATUS_SUCCESS);
    EXPECT_EQ(connect(second, &interrupts[1], TRUE), STATUS_SUCCESS);
    EXPECT_EQ(connect(third, &interrupts[2], FALSE), STATUS_INVALID_PARAMETER);
    machine().interrupts().raise(kVector);
    until([&] { return first.calls == 1 && second.calls == 1; });
    IoDisconnectInterrupt(interrupts[0]);
    IoDisconnectInterrupt(interrupts[1]);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoInterruptTest, AnInterruptThatIsNotConnectedIsAFinding) {
  run([&] {
    Isr isr;
    PKINTERRUPT interrupt = nullptr;
    connect(isr, &interrupt);
    IoDisconnectInterrupt(interrupt);
    EXPECT_TRUE(broken().empty());
    IoDisconnectInterrupt(interrupt);
    std::function<bool()> nothing = [] { return true; };
    EXPECT_FALSE(KeSynchronizeExecution(interrupt, &call_function, &nothing));
  });
  EXPECT_EQ(broken(), (std::vector<std::string>{"InterruptMisuse", "InterruptMisuse"}));
}

TEST_F(IoInterruptTest, SynchronizeExecutionFromAboveIsAFinding) {
  run([&] {
    Isr isr;
    PKINTERRUPT interrupt = nullptr;
    connect(isr, &interrupt);
    std::function<bool()> nothing = [] { return true; };
    KIRQL old;
    KeRaiseIrql(kIrql + 1, &old);
    EXPECT_FALSE(KeSynchronizeExecution(interrupt, &call_function, &nothing));
    KeLowerIrql(old);
    IoDisconnectInterrupt(interrupt);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"IrqlTooHigh"});
}

TEST_F(IoInterruptTest, WithoutProcessorsNothingIsConnected) {
  run([&] {
    Isr isr;
    PKINTERRUPT interrupt = nullptr;
    EXPECT_EQ(
        IoConnectInterrupt(&interrupt, &Isr::routine, &isr, nullptr, kVector, kIrql, kIrql, Latched, FALSE, 0, FALSE),
        STATUS_INVALID_PARAMETER);
  });
}

// --- IoConnectInterruptEx ---

class IoConnectInterruptExTest : public IoInterruptTest {
 protected:
  // `body` runs with a physical device object.
  void with_device(const std::function<void()>& body) {
    run([&] {
      IoCreateDevice(&driver, 0, nullptr, FILE_DEVICE_UNKNOWN, 0, FALSE, &device);
      body();
    });
  }
  void disconnect(ULONG version) {
    IO_DISCONNECT_INTERRUPT_PARAMETERS connection = {};
    connection.Version = version;
    connection.ConnectionContext.InterruptObject = interrupt;
    IoDisconnectInterruptEx(&connection);
  }

  DRIVER_OBJECT driver{};
  PDEVICE_OBJECT device = nullptr;
  PKINTERRUPT interrupt = nullptr;
  Isr isr;
  IO_CONNECT_INTERRUPT_PARAMETERS parameters{};
};

TEST_F(IoConnectInterruptExTest, FullySpecified) {
  with_device([&] {
    parameters.Version = CONNECT_FULLY_SPECIFIED;
    auto& wanted = parameters.FullySpecified;
    wanted.PhysicalDeviceObject = device;
    wanted.InterruptObject = &interrupt;
    wanted.ServiceRoutine = &Isr::routine;
    wanted.ServiceContext = &isr;
    wanted.Vector = kVector;
    wanted.Irql = wanted.SynchronizeIrql = kIrql;
    EXPECT_EQ(IoConnectInterruptEx(&parameters), STATUS_INVALID_PARAMETER_10);
    wanted.ProcessorEnableMask = kAll;
    wanted.PhysicalDeviceObject = nullptr;
    EXPECT_EQ(IoConnectInterruptEx(&parameters), STATUS_INVALID_PARAMETER);
    wanted.PhysicalDeviceObject = device;
    ASSERT_EQ(IoConnectInterruptEx(&parameters), STATUS_SUCCESS);
    machine().interrupts().raise(kVector);
    until([&] { return isr.calls == 1; });
    disconnect(CONNECT_FULLY_SPECIFIED);
    EXPECT_FALSE(machine().interrupts().connected(interrupt));
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoConnectInterruptExTest, LineBasedFindsTheDevicesLine) {
  with_device([&] {
    parameters.Version = CONNECT_LINE_BASED;
    parameters.LineBased.PhysicalDeviceObject = device;
    parameters.LineBased.InterruptObject = &interrupt;
    parameters.LineBased.ServiceRoutine = &Isr::routine;
    parameters.LineBased.ServiceContext = &isr;
    EXPECT_EQ(IoConnectInterruptEx(&parameters), STATUS_NOT_FOUND);
    machine().devices().assign_line(*device, {kVector, kIrql});
    ASSERT_EQ(IoConnectInterruptEx(&parameters), STATUS_SUCCESS);
    machine().interrupts().raise(kVector);
    until([&] { return isr.calls == 1; });
    EXPECT_EQ(isr.irql, kIrql);
    disconnect(CONNECT_LINE_BASED);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoConnectInterruptExTest, MessageBasedFallsBackToTheLine) {
  with_device([&] {
    machine().devices().assign_line(*device, {kVector, kIrql});
    parameters.Version = CONNECT_MESSAGE_BASED;
    auto& wanted = parameters.MessageBased;
    wanted.PhysicalDeviceObject = device;
    wanted.ConnectionContext.InterruptObject = &interrupt;
    wanted.ServiceContext = &isr;
    EXPECT_EQ(IoConnectInterruptEx(&parameters), STATUS_NOT_SUPPORTED);
    wanted.FallBackServiceRoutine = &Isr::routine;
    ASSERT_EQ(IoConnectInterruptEx(&parameters), STATUS_SUCCESS);
    EXPECT_EQ(parameters.Version, ULONG{CONNECT_LINE_BASED});
    machine().interrupts().raise(kVector);
    until([&] { return isr.calls == 1; });
    disconnect(parameters.Version);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoConnectInterruptExTest, AnUnknownVersionIsRefused) {
  with_device([&] {
    parameters.Version = 99;
    EXPECT_EQ(IoConnectInterruptEx(&parameters), STATUS_INVALID_PARAMETER_1);
  });
}

}  // namespace
}  // namespace nt
