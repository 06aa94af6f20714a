#include "nt/io/file_objects.h"

#include <sys/mman.h>

#include <cstring>

#include "nt/io/device_objects.h"
#include "nt/testing/irp_fixture.h"

namespace nt {
namespace {

using Names = std::vector<std::string>;

class FilesTest : public IrpTest {
 protected:
  // A device that writes down the majors it sees, and lets the test handle controls.
  TestDriver make_listening(Act control = nullptr) {
    return make_driver([this, control](DEVICE_OBJECT& device, IRP& irp) {
      majors.push_back(major_of(irp));
      if (majors.back() == IRP_MJ_DEVICE_CONTROL && control) return control(device, irp);
      return complete(irp, STATUS_SUCCESS);
    });
  }
  Files::OpenRequest request(DEVICE_OBJECT& device) { return {device, nullptr, {}, GENERIC_READ, UserMode}; }

  std::vector<int> majors;
};

TEST_F(FilesTest, OpensClosesAndKeepsTheDevice) {
  run([&] {
    TestDriver driver = make_listening();
    HANDLE handle = machine().files().open_handle(nullptr, request(*driver.device)).take();
    EXPECT_EQ(driver.device->ReferenceCount, 1);
    IoDeleteDevice(driver.device);
    EXPECT_EQ(majors, std::vector<int>{IRP_MJ_CREATE});
    EXPECT_TRUE(machine().devices().hold(driver.device));  // the file has it still
    machine().devices().release(driver.device);
    EXPECT_TRUE(machine().files().close(nullptr, handle).ok());
    EXPECT_EQ(majors, (std::vector<int>{IRP_MJ_CREATE, IRP_MJ_CLEANUP, IRP_MJ_CLOSE}));
    EXPECT_FALSE(machine().devices().hold(driver.device));
    EXPECT_EQ(machine().files().close(nullptr, handle).status(), STATUS_INVALID_HANDLE);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, AReferenceOutlivesTheHandle) {
  run([&] {
    TestDriver driver = make_listening();
    HANDLE handle = machine().files().open_handle(nullptr, request(*driver.device)).take();
    PVOID object = nullptr;
    ASSERT_EQ(ObReferenceObjectByHandle(handle, 0, *IoFileObjectType, KernelMode, &object, nullptr), STATUS_SUCCESS);
    EXPECT_EQ(ObReferenceObjectByHandle(handle, 0, *PsThreadType, KernelMode, &object, nullptr),
              STATUS_OBJECT_TYPE_MISMATCH);
    ASSERT_EQ(ObReferenceObjectByHandle(handle, 0, *IoFileObjectType, KernelMode, &object, nullptr), STATUS_SUCCESS);
    EXPECT_EQ(static_cast<FILE_OBJECT*>(object)->DeviceObject, driver.device);
    EXPECT_EQ(IoGetRelatedDeviceObject(static_cast<FILE_OBJECT*>(object)), driver.device);
    EXPECT_EQ(ZwClose(handle), STATUS_SUCCESS);
    EXPECT_EQ(majors, (std::vector<int>{IRP_MJ_CREATE, IRP_MJ_CLEANUP}));
    ObDereferenceObject(object);
    EXPECT_EQ(majors.size(), 2u);
    ObDereferenceObject(object);
    EXPECT_EQ(majors.back(), IRP_MJ_CLOSE);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, ClosesAtPassiveLevelWhateverTheCallersIs) {
  run([&] {
    KIRQL closed_at = HIGH_LEVEL;
    KEVENT closed;
    KeInitializeEvent(&closed, NotificationEvent, FALSE);
    TestDriver driver = make_driver([&](DEVICE_OBJECT&, IRP& irp) {
      if (major_of(irp) == IRP_MJ_CLOSE) {
        closed_at = KeGetCurrentIrql();
        KeSetEvent(&closed, 0, FALSE);
      }
      return complete(irp, STATUS_SUCCESS);
    });
    FILE_OBJECT* file = open(*driver.device);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    machine().files().dereference(*file);
    KeLowerIrql(old);
    KeWaitForSingleObject(&closed, Executive, KernelMode, FALSE, nullptr);
    EXPECT_EQ(closed_at, PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, ARefusedOpenLeavesNothing) {
  run([&] {
    TestDriver driver = make_driver([&](DEVICE_OBJECT&, IRP& irp) {
      majors.push_back(major_of(irp));
      return complete(irp, STATUS_ACCESS_DENIED);
    });
    EXPECT_EQ(machine().files().open_handle(nullptr, request(*driver.device)).status(), STATUS_ACCESS_DENIED);
    EXPECT_EQ(majors, std::vector<int>{IRP_MJ_CREATE});
    EXPECT_EQ(driver.device->ReferenceCount, 0);
    IoDeleteDevice(driver.device);
    EXPECT_FALSE(machine().devices().hold(driver.device));
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, TellsTheDriverWhatIsOpened) {
  run([&] {
    FILE_OBJECT* related_seen = nullptr;
    std::u16string name;
    ACCESS_MASK access = 0;
    TestDriver driver = make_driver([&](DEVICE_OBJECT&, IRP& irp) {
      IO_STACK_LOCATION& location = *IoGetCurrentIrpStackLocation(&irp);
      if (location.MajorFunction == IRP_MJ_CREATE) {
        related_seen = location.FileObject->RelatedFileObject;
        const UNICODE_STRING& seen = location.FileObject->FileName;
        name.assign(seen.Buffer, seen.Buffer + seen.Length / 2);
        access = location.Parameters.Create.SecurityContext->DesiredAccess;
        location.FileObject->FsContext = &name;
      }
      return complete(irp, STATUS_SUCCESS);
    });
    FILE_OBJECT* first = open(*driver.device);
    auto second = machine().files().open({*driver.device, first, u"{pin}", GENERIC_WRITE, UserMode});
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(related_seen, first);
    EXPECT_EQ(name, u"{pin}");
    EXPECT_EQ(access, ACCESS_MASK{GENERIC_WRITE});
    EXPECT_EQ(second.value()->FsContext, &name);
    EXPECT_EQ(second.value()->RelatedFileObject, nullptr);  // valid only during the request
    machine().files().dereference(*second.value());
    machine().files().dereference(*first);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, AnExclusiveDeviceIsOpenedOnce) {
  run([&] {
    TestDriver driver = make_listening();
    driver.device->Flags |= DO_EXCLUSIVE;
    FILE_OBJECT* file = open(*driver.device);
    EXPECT_EQ(machine().files().open(request(*driver.device)).status(), STATUS_ACCESS_DENIED);
    machine().files().dereference(*file);
    file = open(*driver.device);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

// --- Buffers ---

TEST_F(FilesTest, BufferedControlsAreCopied) {
  run([&] {
    char in[] = "abcd", out[8] = "-------";
    void* system_buffer = nullptr;
    TestDriver driver = make_listening([&](DEVICE_OBJECT&, IRP& irp) {
      auto* buffer = static_cast<char*>(irp.AssociatedIrp.SystemBuffer);
      system_buffer = buffer;
      EXPECT_EQ(std::memcmp(buffer, "abcd", 4), 0);
      std::memcpy(buffer, "wxyz", 4);
      return complete(irp, STATUS_SUCCESS, 3);
    });
    FILE_OBJECT* file = open(*driver.device);
    EXPECT_EQ(control(*file, control_code(METHOD_BUFFERED), in, 4, out, 8), STATUS_SUCCESS);
    EXPECT_EQ(status.Information, 3u);
    EXPECT_STREQ(out, "wxy----");
    EXPECT_STREQ(in, "abcd");
    EXPECT_NE(system_buffer, in);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, AnErrorCopiesNothingBackAWarningDoes) {
  run([&] {
    NTSTATUS result = STATUS_UNSUCCESSFUL;
    TestDriver driver = make_listening([&](DEVICE_OBJECT&, IRP& irp) {
      std::memset(irp.AssociatedIrp.SystemBuffer, 'x', 4);
      return complete(irp, result, 4);
    });
    FILE_OBJECT* file = open(*driver.device);
    char out[5] = "----";
    EXPECT_EQ(control(*file, control_code(METHOD_BUFFERED), nullptr, 0, out, 4), result);
    EXPECT_STREQ(out, "----");
    result = STATUS_BUFFER_OVERFLOW;
    EXPECT_EQ(control(*file, control_code(METHOD_BUFFERED), nullptr, 0, out, 4), result);
    EXPECT_STREQ(out, "xxxx");
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, MoreThanTheRequesterHasRoomForIsAFinding) {
  observer.then = Then::GoOn;
  run([&] {
    TestDriver driver = make_listening([&](DEVICE_OBJECT&, IRP& irp) { return complete(irp, STATUS_SUCCESS, 5); });
    FILE_OBJECT* file = open(*driver.device);
    char out[8] = "-------";
    control(*file, control_code(METHOD_BUFFERED), nullptr, 0, out, 4);
    EXPECT_STREQ(out + 4, "---");
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{"IrpInformationTooLarge"});
}

TEST_F(FilesTest, NeitherPassesPointersThrough) {
  run([&] {
    char in[4], out[4];
    TestDriver driver = make_listening([&](DEVICE_OBJECT&, IRP& irp) {
      EXPECT_EQ(IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl.Type3InputBuffer, in);
      EXPECT_EQ(irp.UserBuffer, out);
      EXPECT_EQ(irp.AssociatedIrp.SystemBuffer, nullptr);
      EXPECT_EQ(irp.RequestorMode, UserMode);
      return complete(irp, STATUS_SUCCESS, 100);
    });
    FILE_OBJECT* file = open(*driver.device);
    EXPECT_EQ(control(*file, control_code(METHOD_NEITHER), in, 4, out, 4), STATUS_SUCCESS);
    EXPECT_EQ(status.Information, 100u);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, DirectControlsAreDescribedAndLocked) {
  for (ULONG method : {METHOD_IN_DIRECT, METHOD_OUT_DIRECT}) {
    run([&] {
      char in[] = "ab";
      std::vector<char> out(10'000, '-');
      TestDriver driver = make_listening([&](DEVICE_OBJECT&, IRP& irp) {
        EXPECT_EQ(std::memcmp(irp.AssociatedIrp.SystemBuffer, "ab", 2), 0);
        MDL* mdl = irp.MdlAddress;
        EXPECT_NE(mdl, nullptr);
        EXPECT_TRUE(mdl->MdlFlags & MDL_PAGES_LOCKED);
        EXPECT_EQ(MmGetMdlByteCount(mdl), out.size());
        auto* mapped = static_cast<char*>(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority | MdlMappingNoExecute));
        mapped[9'999] = 'x';
        return complete(irp, STATUS_SUCCESS, out.size());
      });
      FILE_OBJECT* file = open(*driver.device);
      EXPECT_EQ(control(*file, control_code(method), in, 2, out.data(), static_cast<ULONG>(out.size())),
                STATUS_SUCCESS);
      EXPECT_EQ(out[9'999], 'x');
      machine().files().dereference(*file);
      IoDeleteDevice(driver.device);
      EXPECT_EQ(machine().end_scope(machine().root_scope()), 0u);  // the MDL and its lock are gone
    });
    EXPECT_EQ(broken(), Names{});
  }
}

TEST_F(FilesTest, MemoryThatIsNotThereIsRefused) {
  void* hole = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(hole, MAP_FAILED);
  run([&] {
    TestDriver driver = make_listening();
    FILE_OBJECT* file = open(*driver.device);
    char there[8];
    for (ULONG method : {METHOD_BUFFERED, METHOD_IN_DIRECT, METHOD_OUT_DIRECT}) {
      ULONG code = control_code(method);
      EXPECT_EQ(control(*file, code, hole, 8, there, 8), STATUS_ACCESS_VIOLATION) << method;
      EXPECT_EQ(control(*file, code, there, 8, hole, 8), STATUS_ACCESS_VIOLATION) << method;
      EXPECT_EQ(control(*file, code, there, 8, file, 8), STATUS_ACCESS_VIOLATION) << method;  // the kernel's
    }
    EXPECT_EQ(majors, std::vector<int>{IRP_MJ_CREATE});
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
    EXPECT_EQ(machine().end_scope(machine().root_scope()), 0u);
  });
  EXPECT_EQ(broken(), Names{});
  munmap(hole, 4096);
}

TEST_F(FilesTest, ARequesterThatFreesItsBufferGetsAccessViolation) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  run([&] {
    TestDriver driver = make_listening([&](DEVICE_OBJECT&, IRP& irp) {
      mprotect(page, 4096, PROT_NONE);
      return complete(irp, STATUS_SUCCESS, 4);
    });
    FILE_OBJECT* file = open(*driver.device);
    EXPECT_EQ(control(*file, control_code(METHOD_BUFFERED), nullptr, 0, page, 8), STATUS_ACCESS_VIOLATION);
    machine().files().dereference(*file);
    IoDeleteDevice(driver.device);
  });
  EXPECT_EQ(broken(), Names{});
  munmap(page, 4096);
}

// --- Requests that drivers build ---

TEST_F(FilesTest, ABuiltControlWritesBackAndSetsItsEvent) {
  run([&] {
    TestDriver driver = make_listening([&](DEVICE_OBJECT&, IRP& irp) {
      EXPECT_EQ(irp.RequestorMode, KernelMode);
      std::memset(irp.AssociatedIrp.SystemBuffer, 'k', 4);
      return complete(irp, STATUS_SUCCESS, 4);
    });
    KEVENT done;
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    char out[5] = "----";
    IRP* irp = IoBuildDeviceIoControlRequest(control_code(METHOD_BUFFERED), driver.device, nullptr, 0, out, 4, FALSE,
                                             &done, &status);
    ASSERT_NE(irp, nullptr);
    EXPECT_EQ(IoCallDriver(driver.device, irp), STATUS_SUCCESS);
    EXPECT_NE(KeReadStateEvent(&done), 0);
    EXPECT_EQ(status.Information, 4u);
    EXPECT_STREQ(out, "kkkk");
    IoDeleteDevice(driver.device);
    EXPECT_EQ(machine().end_scope(machine().root_scope()), 0u);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FilesTest, ABuiltTransferFollowsTheDevicesFlags) {
  for (ULONG flags : {ULONG{0}, ULONG{DO_BUFFERED_IO}, ULONG{DO_DIRECT_IO}}) {
    run([&] {
      std::vector<char> buffer(5'000, '-');
      TestDriver driver = make_driver(
          [&](DEVICE_OBJECT&, IRP& irp) {
            char* to = flags & DO_BUFFERED_IO ? static_cast<char*>(irp.AssociatedIrp.SystemBuffer)
                       : flags & DO_DIRECT_IO ? static_cast<char*>(MmGetSystemAddressForMdlSafe(
                                                    irp.MdlAddress, NormalPagePriority | MdlMappingNoExecute))
                                              : static_cast<char*>(irp.UserBuffer);
            EXPECT_EQ(IoGetCurrentIrpStackLocation(&irp)->Parameters.Read.ByteOffset.QuadPart, 77);
            to[4'999] = 'r';
            return complete(irp, STATUS_SUCCESS, 5'000);
          },
          flags);
      KEVENT done;
      KeInitializeEvent(&done, NotificationEvent, FALSE);
      LARGE_INTEGER offset;
      offset.QuadPart = 77;
      IRP* irp =
          IoBuildSynchronousFsdRequest(IRP_MJ_READ, driver.device, buffer.data(), 5'000, &offset, &done, &status);
      ASSERT_NE(irp, nullptr);
      IoCallDriver(driver.device, irp);
      EXPECT_EQ(buffer[4'999], 'r');
      EXPECT_EQ(status.Information, 5'000u);
      IoDeleteDevice(driver.device);
      EXPECT_EQ(machine().end_scope(machine().root_scope()), 0u);
    });
    EXPECT_EQ(broken(), Names{});
  }
}

TEST_F(FilesTest, AnAsynchronousTransferIsFreedByItsDriver) {
  run([&] {
    TestDriver driver = make_driver(succeeds(), DO_BUFFERED_IO);
    char data[] = "data";
    IRP* irp = IoBuildAsynchronousFsdRequest(IRP_MJ_WRITE, driver.device, data, 4, nullptr, nullptr);
    ASSERT_NE(irp, nullptr);
    EXPECT_EQ(std::memcmp(irp->AssociatedIrp.SystemBuffer, "data", 4), 0);
    IoSetCompletionRoutine(
        irp,
        [](PDEVICE_OBJECT, PIRP own, PVOID) -> NTSTATUS {
          IoFreeIrp(own);
          return STATUS_MORE_PROCESSING_REQUIRED;
        },
        nullptr, TRUE, TRUE, TRUE);
    IoCallDriver(driver.device, irp);
    IoDeleteDevice(driver.device);
    EXPECT_EQ(machine().end_scope(machine().root_scope()), 0u);
  });
  EXPECT_EQ(broken(), Names{});
}

}  // namespace
}  // namespace nt
