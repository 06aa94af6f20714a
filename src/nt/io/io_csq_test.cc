#include "nt/io/file_objects.h"
#include "nt/testing/irp_fixture.h"

namespace nt {
namespace {

using Names = std::vector<std::string>;
constexpr ULONG kCode = control_code(METHOD_NEITHER);

// A driver's queue as its documentation shows it: a list and a spin lock.
struct Queue {
  IO_CSQ csq;
  KSPIN_LOCK lock;
  LIST_ENTRY list;
  int cancelled = 0;
  bool refuses = false;

  static Queue& of(PIO_CSQ csq) { return *CONTAINING_RECORD(csq, Queue, csq); }
  static PIRP irp_of(PLIST_ENTRY entry) { return CONTAINING_RECORD(entry, IRP, Tail.Overlay.ListEntry); }

  static VOID insert(PIO_CSQ csq, PIRP irp) { InsertTailList(&of(csq).list, &irp->Tail.Overlay.ListEntry); }
  static NTSTATUS insert_ex(PIO_CSQ csq, PIRP irp, PVOID) {
    if (of(csq).refuses) return STATUS_DEVICE_BUSY;
    insert(csq, irp);
    return STATUS_SUCCESS;
  }
  static VOID remove(PIO_CSQ, PIRP irp) { RemoveEntryList(&irp->Tail.Overlay.ListEntry); }
  static PIRP peek(PIO_CSQ csq, PIRP after, PVOID) {
    PLIST_ENTRY next = after ? after->Tail.Overlay.ListEntry.Flink : of(csq).list.Flink;
    return next == &of(csq).list ? nullptr : irp_of(next);
  }
  static VOID acquire(PIO_CSQ csq, PKIRQL irql) { KeAcquireSpinLock(&of(csq).lock, irql); }
  static VOID release(PIO_CSQ csq, KIRQL irql) { KeReleaseSpinLock(&of(csq).lock, irql); }
  static VOID complete_cancelled(PIO_CSQ csq, PIRP irp) {
    ++of(csq).cancelled;
    irp->IoStatus.Status = STATUS_CANCELLED;
    IoCompleteRequest(irp, IO_NO_INCREMENT);
  }

  void start(bool extended) {
    KeInitializeSpinLock(&lock);
    InitializeListHead(&list);
    if (extended) {
      IoCsqInitializeEx(&csq, &insert_ex, &remove, &peek, &acquire, &release, &complete_cancelled);
    } else {
      IoCsqInitialize(&csq, &insert, &remove, &peek, &acquire, &release, &complete_cancelled);
    }
  }
};

class CsqTest : public IrpTest {
 protected:
  TestDriver make_queueing(Queue& queue, bool extended, PIO_CSQ_IRP_CONTEXT context = nullptr) {
    queue.start(extended);
    return make_driver([&queue, extended, context](DEVICE_OBJECT&, IRP& irp) {
      if (major_of(irp) != IRP_MJ_DEVICE_CONTROL) return complete(irp, STATUS_SUCCESS);
      if (!extended) {
        IoCsqInsertIrp(&queue.csq, &irp, context);
        return STATUS_PENDING;
      }
      NTSTATUS inserted = IoCsqInsertIrpEx(&queue.csq, &irp, context, nullptr);
      return NT_SUCCESS(inserted) ? STATUS_PENDING : complete(irp, inserted);
    });
  }
  static void start(IoRequest& request, FILE_OBJECT& file) {
    EXPECT_EQ(request.start({file, kCode, nullptr, 0, nullptr, 0, UserMode}), STATUS_PENDING);
  }
};

TEST_F(CsqTest, QueuesRemovesAndCancels) {
  for (bool extended : {false, true}) {
    run_seeds(8, [&] {
      Queue queue;
      TestDriver driver = make_queueing(queue, extended);
      FILE_OBJECT* file = open(*driver.device);
      IoRequest first(machine()), second(machine());
      start(first, *file);
      start(second, *file);
      first.cancel();
      EXPECT_EQ(first.wait(), STATUS_CANCELLED);
      EXPECT_EQ(queue.cancelled, 1);
      PIRP irp = IoCsqRemoveNextIrp(&queue.csq, nullptr);
      ASSERT_NE(irp, nullptr);
      EXPECT_EQ(irp->CancelRoutine, nullptr);
      EXPECT_EQ(IoCsqRemoveNextIrp(&queue.csq, nullptr), nullptr);
      second.cancel();  // no cancel routine is called: the driver has removed the IRP
      complete(*irp, STATUS_SUCCESS);
      EXPECT_EQ(second.wait(), STATUS_SUCCESS);
      EXPECT_EQ(queue.cancelled, 1);
      machine().files().dereference(*file);
      IoDeleteDevice(driver.device);
      EXPECT_EQ(broken(), Names{});
    });
  }
}

TEST_F(CsqTest, AContextFindsItsIrpUntilItIsCancelled) {
  run([&] {
    Queue queue;
    IO_CSQ_IRP_CONTEXT context;
    TestDriver driver = make_queueing(queue, false, &context);
    FILE_OBJECT* file = open(*driver.device);
    IoRequest request(machine());
    start(request, *file);
    PIRP irp = IoCsqRemoveIrp(&queue.csq, &context);
    ASSERT_NE(irp, nullptr);
    EXPECT_EQ(IoCsqRemoveIrp(&queue.csq, &context), nullptr);
    complete(*irp, STATUS_SUCCESS);
    request.wait();
    start(request, *file);
    request.cancel();
    EXPECT_EQ(IoCsqRemoveIrp(&queue.csq, &context), nullptr);
    EXPECT_EQ(request.wait(), STATUS_CANCELLED);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(CsqTest, CancelledBeforeItIsQueuedIsCompletedAtOnce) {
  run([&] {
    Queue queue;
    TestDriver driver = make_queueing(queue, false);
    FILE_OBJECT* file = open(*driver.device);
    set_act(*driver.device, [&](DEVICE_OBJECT&, IRP& irp) {
      if (major_of(irp) != IRP_MJ_DEVICE_CONTROL) return complete(irp, STATUS_SUCCESS);
      IoCancelIrp(&irp);
      IoCsqInsertIrp(&queue.csq, &irp, nullptr);
      return STATUS_PENDING;
    });
    EXPECT_EQ(control(*file, kCode), STATUS_CANCELLED);
    EXPECT_EQ(queue.cancelled, 1);
    EXPECT_TRUE(IsListEmpty(&queue.list));
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(CsqTest, ADriverMayRefuse) {
  run([&] {
    Queue queue;
    queue.refuses = true;
    TestDriver driver = make_queueing(queue, true);
    FILE_OBJECT* file = open(*driver.device);
    EXPECT_EQ(control(*file, kCode), STATUS_DEVICE_BUSY);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

// --- On real threads ---

class CsqLiveTest : public CsqTest {
 protected:
  CsqLiveTest() { options.pace = Pace::Live; }
};

// One thread completes a request and another cancels it. One is first; the other finds nothing.
TEST_F(CsqLiveTest, CompletionAndCancellationRace) {
  constexpr int kRounds = 500;
  run([&] {
    Queue queue;
    TestDriver driver = make_queueing(queue, false);
    FILE_OBJECT* file = open(*driver.device);
    IoRequest request(machine());
    KEVENT go, gone;
    KeInitializeEvent(&go, SynchronizationEvent, FALSE);
    KeInitializeEvent(&gone, SynchronizationEvent, FALSE);
    Thread& canceller = machine().create_thread("canceller", [&] {
      for (int i = 0; i < kRounds; ++i) {
        KeWaitForSingleObject(&go, Executive, KernelMode, FALSE, nullptr);
        request.cancel();
        KeSetEvent(&gone, 0, FALSE);
      }
    });
    int completed = 0;
    for (int i = 0; i < kRounds; ++i) {
      start(request, *file);
      KeSetEvent(&go, 0, FALSE);
      PIRP irp = IoCsqRemoveNextIrp(&queue.csq, nullptr);
      if (irp) complete(*irp, STATUS_SUCCESS);
      completed += irp != nullptr;
      EXPECT_EQ(request.wait(), irp ? STATUS_SUCCESS : STATUS_CANCELLED);
      KeWaitForSingleObject(&gone, Executive, KernelMode, FALSE, nullptr);
    }
    EXPECT_EQ(completed + queue.cancelled, kRounds);
    KeWaitForSingleObject(canceller.body, Executive, KernelMode, FALSE, nullptr);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

}  // namespace
}  // namespace nt
