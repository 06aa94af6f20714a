#include "nt/io/irps.h"

#include "nt/io/file_objects.h"
#include "nt/testing/irp_fixture.h"

namespace nt {
namespace {

constexpr ULONG kCode = control_code(METHOD_NEITHER);
constexpr ULONG kTag = 0x31497270;

class IrpsTest : public IrpTest {
 protected:
  // Sends one control request to a device that acts so, and closes.
  void send_one(Act act) {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, std::move(act));
    control(*file, kCode);
    set_act(*driver.device, succeeds());
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  }
  std::vector<std::string> findings_of(Act act) {
    return rules_broken_by([&] { send_one(std::move(act)); });
  }
  void go_on() { observer.then = Then::GoOn; }
};

using Names = std::vector<std::string>;

TEST_F(IrpsTest, AreZeroedAndCountTheirLocations) {
  run([&] {
    IRP* irp = machine().irps().allocate(3);
    ASSERT_NE(irp, nullptr);
    EXPECT_EQ(irp->Type, IO_TYPE_IRP);
    EXPECT_EQ(irp->Size, IoSizeOfIrp(3));
    EXPECT_EQ(irp->StackCount, 3);
    EXPECT_EQ(irp->CurrentLocation, 4);
    auto* first = reinterpret_cast<IO_STACK_LOCATION*>(irp + 1);
    EXPECT_EQ(IoGetNextIrpStackLocation(irp), first + 2);
    EXPECT_EQ(first[2].Control, 0);
    machine().irps().free(*irp);
    EXPECT_EQ(machine().irps().allocate(0), nullptr);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(IrpsTest, AreUsedAgainButNotAtOnce) {
  run([&] {
    IRP* first = machine().irps().allocate(1);
    machine().irps().free(*first);
    int others = 0;
    IRP* irp = nullptr;
    while ((irp = machine().irps().allocate(1)) != first && others < 100) {
      ++others;
      machine().irps().free(*irp);
    }
    EXPECT_EQ(irp, first);
    EXPECT_GE(others, 8);
    machine().irps().free(*irp);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(IrpsTest, OfADriverAreTrackedAndMayFail) {
  run([&] {
    Scope scope(ScopeKind::Driver, "d", &machine().root_scope());
    machine().self().scope = &scope;
    observer.failing_allocations = 1;
    EXPECT_EQ(IoAllocateIrp(1, FALSE), nullptr);
    observer.failing_allocations = 0;
    IRP* kept = IoAllocateIrp(1, FALSE);
    IRP* freed = IoAllocateIrp(1, FALSE);
    EXPECT_EQ(scope.count(), 2u);
    IoFreeIrp(freed);
    EXPECT_EQ(scope.count(), 1u);
    IoFreeIrp(kept);
    machine().self().scope = &machine().root_scope();
    EXPECT_EQ(machine().end_scope(scope), 0u);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(IrpsTest, ReuseResetsAndKeepsTheAllocation) {
  run([&] {
    IRP* irp = IoAllocateIrp(2, FALSE);
    irp->Cancel = TRUE;
    IoSetNextIrpStackLocation(irp);
    IoReuseIrp(irp, STATUS_NOT_SUPPORTED);
    EXPECT_FALSE(irp->Cancel);
    EXPECT_EQ(irp->CurrentLocation, 3);
    EXPECT_EQ(irp->IoStatus.Status, STATUS_NOT_SUPPORTED);
    IoFreeIrp(irp);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(IrpsTest, FreedTwiceIsAFinding) {
  run_to_stop([&] {
    IRP* irp = IoAllocateIrp(1, FALSE);
    IoFreeIrp(irp);
    IoFreeIrp(irp);
  });
  EXPECT_EQ(broken(), Names{"IrpFreedInUse"});
}

TEST_F(IrpsTest, FreedWhileADriverHasItIsAFinding) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              IoFreeIrp(&irp);
              return STATUS_SUCCESS;
            }),
            Names{"IrpFreedInUse"});
}

TEST_F(IrpsTest, CompletedTwiceIsAFinding) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              NTSTATUS answer = complete(irp, STATUS_SUCCESS);
              IoCompleteRequest(&irp, IO_NO_INCREMENT);
              return answer;
            }),
            Names{"IrpCompletedTwice"});
}

TEST_F(IrpsTest, CompletedWithACancelRoutineIsAFinding) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              IoSetCancelRoutine(&irp, [](PDEVICE_OBJECT, PIRP) {});
              return complete(irp, STATUS_SUCCESS);
            }),
            Names{"IrpCancelRoutineSet"});
}

TEST_F(IrpsTest, CompletedWithStatusPendingIsAFinding) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              complete(irp, STATUS_PENDING);
              return STATUS_SUCCESS;
            }),
            Names{"IrpCompletedPending"});
}

TEST_F(IrpsTest, CompletedUnderASpinLockIsAFinding) {
  KSPIN_LOCK lock;
  EXPECT_EQ(findings_of([&](DEVICE_OBJECT&, IRP& irp) {
              KeInitializeSpinLock(&lock);
              KIRQL old;
              KeAcquireSpinLock(&lock, &old);
              complete(irp, STATUS_SUCCESS);
              KeReleaseSpinLock(&lock, old);
              return STATUS_SUCCESS;
            }),
            Names{"IrpCompletedLocked"});
}

TEST_F(IrpsTest, ReturnedWithoutCompletingIsAFindingAndIsCompleted) {
  go_on();
  run([&] {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, [](DEVICE_OBJECT&, IRP&) { return STATUS_DEVICE_NOT_READY; });
    EXPECT_EQ(control(*file, kCode), STATUS_DEVICE_NOT_READY);
    set_act(*driver.device, succeeds());
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{"IrpNotCompleted"});
}

TEST_F(IrpsTest, PendingWithoutAMarkIsAFinding) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              complete(irp, STATUS_SUCCESS);
              return STATUS_PENDING;
            }),
            Names{"IrpPendingMismatch"});
}

TEST_F(IrpsTest, AMarkWithoutPendingIsAFinding) {
  EXPECT_EQ(findings_of([](DEVICE_OBJECT&, IRP& irp) {
              IoMarkIrpPending(&irp);
              return complete(irp, STATUS_SUCCESS);
            }),
            Names{"IrpPendingMismatch"});
}

TEST_F(IrpsTest, PendingWithoutAMarkIsFoundWhenItIsCompletedLater) {
  go_on();
  run([&] {
    IRP* kept = nullptr;
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      kept = &irp;
      return STATUS_PENDING;
    });
    IoRequest request(machine());
    EXPECT_EQ(request.start({*file, kCode, nullptr, 0, nullptr, 0, UserMode}), STATUS_PENDING);
    EXPECT_EQ(broken(), Names{});
    complete(*kept, STATUS_SUCCESS);
    request.wait();
    set_act(*driver.device, succeeds());
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{"IrpPendingMismatch"});
}

TEST_F(IrpsTest, AnEntryThatIsLeftOutRefuses) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    driver.object->MajorFunction[IRP_MJ_DEVICE_CONTROL] = nullptr;
    EXPECT_EQ(control(*file, kCode), STATUS_INVALID_DEVICE_REQUEST);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

// --- Stacks of two ---

class StackTest : public IrpsTest {
 protected:
  struct Layers {
    TestDriver lower, upper;
    DEVICE_OBJECT* below = nullptr;
    FILE_OBJECT* file = nullptr;
  };
  Layers make_layers(Act lower, Act upper) {
    Layers layers{make_driver(succeeds()), make_driver(succeeds()), nullptr, nullptr};
    layers.below = IoAttachDeviceToDeviceStack(layers.upper.device, layers.lower.device);
    EXPECT_EQ(layers.below, layers.lower.device);
    EXPECT_EQ(layers.upper.device->StackSize, 2);
    layers.file = open(*layers.lower.device);
    set_act(*layers.lower.device, std::move(lower));
    set_act(*layers.upper.device, std::move(upper));
    return layers;
  }
  void end(Layers& layers) {
    set_act(*layers.lower.device, succeeds());
    set_act(*layers.upper.device, succeeds());
    machine().files().dereference(*layers.file);
    IoDetachDevice(layers.lower.device);
    IoDeleteDevice(layers.upper.device);
    IoDeleteDevice(layers.lower.device);
  }
  // Runs a request through two drivers.
  Names through(Act lower, const std::function<NTSTATUS(DEVICE_OBJECT& below, IRP& irp)>& upper, NTSTATUS expected) {
    return rules_broken_by([&] {
      DEVICE_OBJECT* below = nullptr;
      Layers layers = make_layers(std::move(lower), [&](DEVICE_OBJECT&, IRP& irp) { return upper(*below, irp); });
      below = layers.below;
      EXPECT_EQ(control(*layers.file, kCode), expected);
      end(layers);
    });
  }

  static NTSTATUS skip(DEVICE_OBJECT& below, IRP& irp) {
    IoSkipCurrentIrpStackLocation(&irp);
    return IoCallDriver(&below, &irp);
  }
  static NTSTATUS copy(DEVICE_OBJECT& below, IRP& irp) {
    IoCopyCurrentIrpStackLocationToNext(&irp);
    return IoCallDriver(&below, &irp);
  }
};

// A lower driver that pends and has its IRP completed by a DPC.
struct Pender {
  KDPC dpc;
  IRP* irp = nullptr;
  bool marks = true;
  static void complete(PKDPC, PVOID context, PVOID, PVOID) {
    IRP* irp = static_cast<Pender*>(context)->irp;
    irp->IoStatus.Status = STATUS_SUCCESS;
    IoCompleteRequest(irp, IO_NO_INCREMENT);
  }
  NTSTATUS operator()(DEVICE_OBJECT&, IRP& request) {
    irp = &request;
    if (marks) IoMarkIrpPending(&request);
    KeInitializeDpc(&dpc, &complete, this);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    return STATUS_PENDING;
  }
};

TEST_F(StackTest, ARequestGoesDownTheStackAndItsStatusComesBack) {
  EXPECT_EQ(through([](DEVICE_OBJECT&, IRP& irp) { return complete(irp, STATUS_CANCELLED); }, &skip, STATUS_CANCELLED),
            Names{});
  EXPECT_EQ(through([](DEVICE_OBJECT&, IRP& irp) { return complete(irp, STATUS_CANCELLED); }, &copy, STATUS_CANCELLED),
            Names{});
}

TEST_F(StackTest, PendingIsPassedUp) {
  Pender* pender = nullptr;
  auto pends = [&](DEVICE_OBJECT& device, IRP& irp) { return (*pender)(device, irp); };
  for (auto* forward : {&skip, &copy}) {
    Pender fresh;
    pender = &fresh;
    EXPECT_EQ(through(pends, forward, STATUS_SUCCESS), Names{});
  }
}

TEST_F(StackTest, ACompletionRoutineMustPassTheMarkOn) {
  static bool marks;
  auto upper = [](DEVICE_OBJECT& below, IRP& irp) {
    IoCopyCurrentIrpStackLocationToNext(&irp);
    IoSetCompletionRoutine(
        &irp,
        [](PDEVICE_OBJECT, PIRP completed, PVOID) -> NTSTATUS {
          if (completed->PendingReturned && marks) IoMarkIrpPending(completed);
          return STATUS_CONTINUE_COMPLETION;
        },
        nullptr, TRUE, TRUE, TRUE);
    return IoCallDriver(&below, &irp);
  };
  for (bool right : {true, false}) {
    marks = right;
    Pender pender;
    auto pends = [&](DEVICE_OBJECT& device, IRP& irp) { return pender(device, irp); };
    observer.then = Then::GoOn;
    EXPECT_EQ(through(pends, upper, STATUS_SUCCESS), right ? Names{} : Names{"IrpPendingMismatch"});
  }
}

TEST_F(StackTest, ARoutineMayKeepTheIrpAndCompleteItLater) {
  static KEVENT done;
  auto upper = [](DEVICE_OBJECT& below, IRP& irp) {
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    IoCopyCurrentIrpStackLocationToNext(&irp);
    IoSetCompletionRoutine(
        &irp,
        [](PDEVICE_OBJECT, PIRP, PVOID) -> NTSTATUS {
          KeSetEvent(&done, 0, FALSE);
          return STATUS_MORE_PROCESSING_REQUIRED;
        },
        nullptr, TRUE, TRUE, TRUE);
    if (IoCallDriver(&below, &irp) == STATUS_PENDING) {
      KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, nullptr);
    }
    EXPECT_EQ(irp.IoStatus.Status, STATUS_SUCCESS);
    return complete(irp, STATUS_DEVICE_BUSY);
  };
  Pender pender;
  EXPECT_EQ(through([&](DEVICE_OBJECT& device, IRP& irp) { return pender(device, irp); }, upper, STATUS_DEVICE_BUSY),
            Names{});
}

TEST_F(StackTest, InvokeFlagsDecide) {
  static int success, error, cancel;
  success = error = cancel = 0;
  auto count = [](PDEVICE_OBJECT, PIRP, PVOID context) -> NTSTATUS {
    ++*static_cast<int*>(context);
    return STATUS_CONTINUE_COMPLETION;
  };
  NTSTATUS result = STATUS_SUCCESS;
  auto lower = [&](DEVICE_OBJECT&, IRP& irp) { return complete(irp, result); };
  auto with = [&](int* counter, bool s, bool e, bool c, bool cancelled) {
    return [=](DEVICE_OBJECT& below, IRP& irp) {
      irp.Cancel = cancelled;
      IoCopyCurrentIrpStackLocationToNext(&irp);
      IoSetCompletionRoutine(&irp, count, counter, s, e, c);
      return IoCallDriver(&below, &irp);
    };
  };
  through(lower, with(&success, true, false, false, false), STATUS_SUCCESS);
  through(lower, with(&error, false, true, false, false), STATUS_SUCCESS);
  through(lower, with(&cancel, false, false, true, true), STATUS_SUCCESS);
  EXPECT_EQ(success, 1);
  EXPECT_EQ(error, 0);
  EXPECT_EQ(cancel, 1);
  result = STATUS_DEVICE_BUSY;
  through(lower, with(&success, true, false, false, false), result);
  through(lower, with(&error, false, true, false, false), result);
  EXPECT_EQ(success, 1);
  EXPECT_EQ(error, 1);
}

TEST_F(StackTest, WithoutALocationLeftIsAFinding) {
  EXPECT_EQ(through([](DEVICE_OBJECT& device, IRP& irp) { return copy(device, irp); }, &copy, STATUS_SUCCESS),
            Names{"IrpStackExhausted"});
}

TEST_F(StackTest, KeepsTheDeviceOfARoutineThatIsSetEx) {
  static DEVICE_OBJECT* seen;
  auto upper = [&](DEVICE_OBJECT& below, IRP& irp) {
    IoCopyCurrentIrpStackLocationToNext(&irp);
    auto routine = [](PDEVICE_OBJECT device, PIRP, PVOID) -> NTSTATUS {
      seen = device;
      return STATUS_CONTINUE_COMPLETION;
    };
    EXPECT_EQ(IoSetCompletionRoutineEx(IoGetCurrentIrpStackLocation(&irp)->DeviceObject, &irp, routine, nullptr, TRUE,
                                       TRUE, TRUE),
              STATUS_SUCCESS);
    return IoCallDriver(&below, &irp);
  };
  seen = nullptr;
  EXPECT_EQ(through(succeeds(), upper, STATUS_SUCCESS), Names{});
  EXPECT_NE(seen, nullptr);
}

// --- IRPs that drivers make ---

TEST_F(IrpsTest, ADriversOwnIrpComesBackToIt) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    IRP* irp = IoAllocateIrp(driver.device->StackSize, FALSE);
    IoGetNextIrpStackLocation(irp)->MajorFunction = IRP_MJ_INTERNAL_DEVICE_CONTROL;
    bool back = false;
    IoSetCompletionRoutine(
        irp,
        [](PDEVICE_OBJECT device, PIRP own, PVOID context) -> NTSTATUS {
          *static_cast<bool*>(context) = device == nullptr;
          IoFreeIrp(own);
          return STATUS_MORE_PROCESSING_REQUIRED;
        },
        &back, TRUE, TRUE, TRUE);
    EXPECT_EQ(IoCallDriver(driver.device, irp), STATUS_SUCCESS);
    EXPECT_TRUE(back);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(IrpsTest, ADriversOwnIrpThatIsNeverTakenBackIsAFinding) {
  run_to_stop([&] {
    TestDriver driver = make_driver(succeeds());
    IRP* irp = IoAllocateIrp(driver.device->StackSize, FALSE);
    IoGetNextIrpStackLocation(irp)->MajorFunction = IRP_MJ_INTERNAL_DEVICE_CONTROL;
    IoCallDriver(driver.device, irp);
  });
  EXPECT_EQ(broken(), Names{"IrpLeaked"});
}

TEST_F(IrpsTest, MayLieInTheDriversMemory) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    void* memory = ExAllocatePoolWithTag(NonPagedPoolNx, IoSizeOfIrp(1), kTag);
    auto* irp = static_cast<IRP*>(memory);
    IoInitializeIrp(irp, IoSizeOfIrp(1), 1);
    IoGetNextIrpStackLocation(irp)->MajorFunction = IRP_MJ_INTERNAL_DEVICE_CONTROL;
    IoSetCompletionRoutine(
        irp, [](PDEVICE_OBJECT, PIRP, PVOID) -> NTSTATUS { return STATUS_MORE_PROCESSING_REQUIRED; }, nullptr, TRUE,
        TRUE, TRUE);
    EXPECT_EQ(IoCallDriver(driver.device, irp), STATUS_SUCCESS);
    ExFreePoolWithTag(memory, kTag);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(IrpsTest, AnUnloadedDriverThatHasOneIsAFinding) {
  go_on();
  run([&] {
    IRP* kept = nullptr;
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      IoMarkIrpPending(&irp);
      kept = &irp;
      return STATUS_PENDING;
    });
    EXPECT_EQ(machine().irps().check_unloaded(*driver.object), 0u);
    IoRequest request(machine());
    request.start({*file, kCode, nullptr, 0, nullptr, 0, UserMode});
    EXPECT_EQ(machine().irps().check_unloaded(*driver.object), 1u);
    complete(*kept, STATUS_SUCCESS);
    request.wait();
    EXPECT_EQ(machine().irps().check_unloaded(*driver.object), 0u);
    set_act(*driver.device, succeeds());
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{"IrpLeaked"});
}

TEST_F(IrpsTest, WhatADispatchRoutineObtainsBelongsToItsDriver) {
  run([&] {
    Scope scope(ScopeKind::Driver, "d", &machine().root_scope());
    TestDriver driver = make_driver(succeeds());
    machine().irps().assign_scope(*driver.object, &scope);
    FILE_OBJECT* file = open(*driver.device);
    void* block = nullptr;
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      block = ExAllocatePoolWithTag(NonPagedPoolNx, 8, kTag);
      return complete(irp, STATUS_SUCCESS);
    });
    control(*file, kCode);
    EXPECT_EQ(scope.count(), 1u);
    ExFreePoolWithTag(block, kTag);
    machine().irps().assign_scope(*driver.object, nullptr);
    set_act(*driver.device, succeeds());
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

// --- Own routines ---

DriverCallFrame* g_driver_call;
NTSTATUS own_dispatch(PDEVICE_OBJECT, PIRP irp) {
  g_driver_call = Thread::current()->driver_call;
  irp->IoStatus.Status = STATUS_SUCCESS;
  Machine::current()->irps().complete(*irp, IO_NO_INCREMENT);
  return STATUS_SUCCESS;
}

TEST_F(IrpsTest, OwnRoutinesAreCalledDirectly) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    driver.object->MajorFunction[IRP_MJ_DEVICE_CONTROL] = &own_dispatch;
    g_driver_call = nullptr;
    EXPECT_EQ(control(*file, kCode), STATUS_SUCCESS);
    EXPECT_NE(g_driver_call, nullptr);
    machine().irps().own_routine(&own_dispatch);
    EXPECT_EQ(control(*file, kCode), STATUS_SUCCESS);
    EXPECT_EQ(g_driver_call, nullptr);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

// --- Cancelling ---

class CancelTest : public IrpsTest {
 protected:
  static VOID give_up(PDEVICE_OBJECT, PIRP irp) {
    IoReleaseCancelSpinLock(irp->CancelIrql);
    complete(*irp, STATUS_CANCELLED);
  }
  static VOID keeps_lock(PDEVICE_OBJECT, PIRP) {}
};

TEST_F(CancelTest, CallsTheRoutineWithTheLockHeld) {
  run_seeds(16, [&] {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      IoMarkIrpPending(&irp);
      IoSetCancelRoutine(&irp, &give_up);
      return STATUS_PENDING;
    });
    IoRequest request(machine());
    EXPECT_EQ(request.start({*file, kCode, nullptr, 0, nullptr, 0, UserMode}), STATUS_PENDING);
    EXPECT_TRUE(request.pending());
    EXPECT_EQ(request.wait(machine().executor().now() + 1000), STATUS_TIMEOUT);
    request.cancel();
    EXPECT_EQ(request.wait(), STATUS_CANCELLED);
    EXPECT_EQ(machine().self().irql, PASSIVE_LEVEL);
    request.cancel();  // of what has ended: nothing
    set_act(*driver.device, succeeds());
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
    EXPECT_EQ(broken(), Names{});
  });
}

TEST_F(CancelTest, WithoutARoutineOnlySetsTheFlag) {
  run([&] {
    IRP* irp = IoAllocateIrp(1, FALSE);
    EXPECT_FALSE(IoCancelIrp(irp));
    EXPECT_TRUE(irp->Cancel);
    IoFreeIrp(irp);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(CancelTest, ARoutineThatKeepsTheLockIsAFinding) {
  run_to_stop([&] {
    TestDriver driver = make_driver(succeeds());
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      IoMarkIrpPending(&irp);
      IoSetCancelRoutine(&irp, &keeps_lock);
      return STATUS_PENDING;
    });
    IoRequest request(machine());
    request.start({*file, kCode, nullptr, 0, nullptr, 0, UserMode});
    request.cancel();
  });
  ASSERT_FALSE(broken().empty());
  EXPECT_EQ(broken()[0], "IrqlNotRestored");
}

}  // namespace
}  // namespace nt
