#include "nt/ke/process.h"

#include <utility>

#include "nt/io/device_objects.h"
#include "nt/io/file_objects.h"
#include "nt/testing/irp_fixture.h"

namespace nt {
namespace {

using Names = std::vector<std::string>;
constexpr ULONG kCode = control_code(METHOD_NEITHER);

VOID give_up(PDEVICE_OBJECT, PIRP irp) {
  IoReleaseCancelSpinLock(irp->CancelIrql);
  irp->IoStatus.Status = STATUS_CANCELLED;
  IoCompleteRequest(irp, IO_NO_INCREMENT);
}

class ProcessTest : public IrpTest {
 protected:
  // Pends every control until it is cancelled; writes down what else comes.
  TestDriver make_pending() {
    return make_driver([this](DEVICE_OBJECT&, IRP& irp) {
      if (major_of(irp) != IRP_MJ_DEVICE_CONTROL) {
        if (major_of(irp) == IRP_MJ_CLEANUP) cleaned.push_back(IoGetCurrentIrpStackLocation(&irp)->FileObject);
        return complete(irp, STATUS_SUCCESS);
      }
      IoMarkIrpPending(&irp);
      IoSetCancelRoutine(&irp, &give_up);
      return STATUS_PENDING;
    });
  }
  std::vector<FILE_OBJECT*> cleaned;
};

TEST_F(ProcessTest, HandlesAreItsOwn) {
  run([&] {
    TestDriver driver = make_driver(succeeds());
    Process one(machine(), "one"), other(machine(), "other");
    EXPECT_NE(one.body().id, other.body().id);
    HANDLE handle = machine().files().open_handle(&one, {*driver.device, nullptr, {}, GENERIC_READ, UserMode}).take();
    EXPECT_EQ(one.open_handles(), 1u);
    PVOID object = nullptr;
    EXPECT_EQ(ObReferenceObjectByHandle(handle, 0, *IoFileObjectType, UserMode, &object, nullptr),
              STATUS_INVALID_HANDLE);  // in no program
    {
      Process::Inside inside(other);
      EXPECT_EQ(ObReferenceObjectByHandle(handle, 0, *IoFileObjectType, UserMode, &object, nullptr),
                STATUS_INVALID_HANDLE);
      EXPECT_EQ(ZwClose(handle), STATUS_INVALID_HANDLE);
    }
    {
      Process::Inside inside(one);
      EXPECT_EQ(PsGetCurrentProcess(), &one.body());
      ASSERT_EQ(ObReferenceObjectByHandle(handle, 0, *IoFileObjectType, UserMode, &object, nullptr), STATUS_SUCCESS);
      ObDereferenceObject(object);
      EXPECT_EQ(machine().files().find(&one, handle, UserMode).value(), object);
      machine().files().dereference(*static_cast<FILE_OBJECT*>(object));
      EXPECT_EQ(ZwClose(handle), STATUS_SUCCESS);
    }
    EXPECT_NE(PsGetCurrentProcess(), &one.body());
    EXPECT_EQ(one.open_handles(), 0u);
    one.end();
    other.end();
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(ProcessTest, HasEvents) {
  run([&] {
    Process program(machine(), "program");
    Process::Inside inside(program);
    HANDLE handle = program.create_event(NotificationEvent, true).take();
    PVOID event = nullptr;
    ASSERT_EQ(ObReferenceObjectByHandle(handle, 0, *ExEventObjectType, UserMode, &event, nullptr), STATUS_SUCCESS);
    EXPECT_NE(KeReadStateEvent(static_cast<PKEVENT>(event)), 0);
    program.end();
    KeResetEvent(static_cast<PKEVENT>(event));  // the reference keeps it
    ObDereferenceObject(event);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(ProcessTest, EndCancelsRequestsThenClosesInTableOrder) {
  run_seeds(16, [&] {
    cleaned.clear();
    TestDriver driver = make_pending();
    Process program(machine(), "program");
    std::vector<FILE_OBJECT*> files;
    std::vector<HANDLE> handles;
    for (int i = 0; i < 3; ++i) {
      handles.push_back(
          machine().files().open_handle(&program, {*driver.device, nullptr, {}, GENERIC_READ, UserMode}).take());
      files.push_back(machine().files().find(&program, handles.back(), UserMode).take());
      machine().files().dereference(*files.back());
    }
    NTSTATUS ended = STATUS_PENDING;
    Thread& thread = program.create_thread("program", [&] {
      IO_STATUS_BLOCK block;
      ended = machine().files().control({*files[1], kCode, nullptr, 0, nullptr, 0, UserMode}, block);
    });
    IoRequest request(machine());
    {
      Process::Inside inside(program);
      EXPECT_EQ(request.start({*files[0], kCode, nullptr, 0, nullptr, 0, UserMode}), STATUS_PENDING);
    }
    LARGE_INTEGER soon;
    soon.QuadPart = -10;
    KeDelayExecutionThread(KernelMode, FALSE, &soon);
    program.end();
    EXPECT_EQ(request.wait(), STATUS_CANCELLED);
    KeWaitForSingleObject(thread.body, Executive, KernelMode, FALSE, nullptr);
    EXPECT_EQ(ended, STATUS_CANCELLED);
    EXPECT_EQ(cleaned, files);
    EXPECT_EQ(program.open_handles(), 0u);
    IoDeleteDevice(driver.device);
    EXPECT_FALSE(machine().devices().hold(driver.device));
    EXPECT_EQ(broken(), Names{});
  });
}

// A driver that completes a request only when the file it came through is cleaned up.
TEST_F(ProcessTest, EndClosesHandlesAlthoughARequestIsKept) {
  run([&] {
    IRP* kept = nullptr;
    TestDriver driver = make_driver([&](DEVICE_OBJECT&, IRP& irp) {
      if (major_of(irp) == IRP_MJ_CLEANUP && kept) complete(*std::exchange(kept, nullptr), STATUS_CANCELLED);
      if (major_of(irp) != IRP_MJ_DEVICE_CONTROL) return complete(irp, STATUS_SUCCESS);
      IoMarkIrpPending(&irp);
      kept = &irp;
      return STATUS_PENDING;
    });
    Process program(machine(), "program");
    HANDLE handle =
        machine().files().open_handle(&program, {*driver.device, nullptr, {}, GENERIC_READ, UserMode}).take();
    FILE_OBJECT* file = machine().files().find(&program, handle, UserMode).take();
    IoRequest request(machine());
    {
      Process::Inside inside(program);
      EXPECT_EQ(request.start({*file, kCode, nullptr, 0, nullptr, 0, UserMode}), STATUS_PENDING);
    }
    machine().files().dereference(*file);
    program.end();
    EXPECT_FALSE(request.pending());
    EXPECT_EQ(request.wait(), STATUS_CANCELLED);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(ProcessTest, TheRequestersProcessIsKnown) {
  run([&] {
    PEPROCESS seen = nullptr;
    TestDriver driver = make_driver([&](DEVICE_OBJECT&, IRP& irp) {
      seen = IoGetRequestorProcess(&irp);
      return complete(irp, STATUS_SUCCESS);
    });
    Process program(machine(), "program");
    FILE_OBJECT* file = open(*driver.device);
    EXPECT_EQ(seen, PsGetCurrentProcess());
    Process::Inside inside(program);
    control(*file, kCode);
    EXPECT_EQ(seen, &program.body());
    machine().files().dereference(*file);
    program.end();
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

}  // namespace
}  // namespace nt
