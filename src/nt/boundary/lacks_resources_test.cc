#include "nt/boundary/lacks_resources.h"

#include <functional>

#include "nt/io/device_objects.h"
#include "nt/testing/host_folder.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

void never_run(PVOID) { ADD_FAILURE() << "a thread that was not made runs"; }
BOOLEAN never_raised(PKINTERRUPT, PVOID) { return FALSE; }

UNICODE_STRING string(const char16_t* text) {
  UNICODE_STRING made;
  RtlInitUnicodeString(&made, reinterpret_cast<PCWSTR>(text));
  return made;
}

// Every function that is made to fail, called as a correct driver calls it.
class LacksResourcesTest : public MachineTest {
 protected:
  // The call fails once, by the code that stands for want of resources, and only at its own place.
  void expect_failure(const char* function, const std::function<NTSTATUS()>& call) {
    SCOPED_TRACE(function);
    observer.failed.clear();
    observer.failing_allocations = 1;
    EXPECT_EQ(call(), STATUS_INSUFFICIENT_RESOURCES);
    observer.failing_allocations = 0;
    ASSERT_EQ(observer.failed.size(), 1u);
    EXPECT_STREQ(observer.failed[0].what, function);
    EXPECT_EQ(observer.failed[0].kind, FaultKind::Pool);
  }

  UNICODE_STRING path_ = string(u"\\Registry\\Machine\\Software\\Sample");
  UNICODE_STRING name_ = string(u"Value");
  OBJECT_ATTRIBUTES attributes_{};
  HANDLE handle_ = nullptr;
  ULONG needed_ = 0;
  uint64_t buffer_[16] = {};
};

TEST_F(LacksResourcesTest, ThreadsAndInterrupts) {
  run([&] {
    expect_failure("PsCreateSystemThread", [&] {
      return PsCreateSystemThread(&handle_, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, &never_run, nullptr);
    });
    EXPECT_EQ(handle_, nullptr);
    PKINTERRUPT interrupt = nullptr;
    expect_failure("IoConnectInterrupt", [&] {
      return IoConnectInterrupt(&interrupt, &never_raised, nullptr, nullptr, 0x61, 7, 7, Latched, TRUE, 1, FALSE);
    });
    IO_CONNECT_INTERRUPT_PARAMETERS parameters = {};
    expect_failure("IoConnectInterruptEx", [&] { return IoConnectInterruptEx(&parameters); });
    EXPECT_EQ(interrupt, nullptr);
  });
}

TEST_F(LacksResourcesTest, Keys) {
  run([&] {
    InitializeObjectAttributes(&attributes_, &path_, OBJ_KERNEL_HANDLE, nullptr, nullptr);
    auto create = [&] { return ZwCreateKey(&handle_, KEY_ALL_ACCESS, &attributes_, 0, nullptr, 0, nullptr); };
    expect_failure("ZwCreateKey", create);
    EXPECT_EQ(handle_, nullptr);
    ASSERT_EQ(create(), STATUS_SUCCESS);
    HANDLE key = handle_;
    expect_failure("ZwOpenKey", [&] { return ZwOpenKey(&handle_, KEY_ALL_ACCESS, &attributes_); });
    expect_failure("ZwOpenKeyEx", [&] { return ZwOpenKeyEx(&handle_, KEY_ALL_ACCESS, &attributes_, 0); });
    expect_failure("ZwSetValueKey",
                   [&] { return ZwSetValueKey(key, &name_, 0, REG_DWORD, &needed_, sizeof(needed_)); });
    expect_failure("ZwQueryValueKey", [&] {
      return ZwQueryValueKey(key, &name_, KeyValuePartialInformation, buffer_, sizeof(buffer_), &needed_);
    });
    expect_failure("ZwEnumerateValueKey", [&] {
      return ZwEnumerateValueKey(key, 0, KeyValueBasicInformation, buffer_, sizeof(buffer_), &needed_);
    });
    expect_failure("ZwQueryKey",
                   [&] { return ZwQueryKey(key, KeyFullInformation, buffer_, sizeof(buffer_), &needed_); });
    expect_failure("ZwEnumerateKey",
                   [&] { return ZwEnumerateKey(key, 0, KeyBasicInformation, buffer_, sizeof(buffer_), &needed_); });
    expect_failure("ZwFlushKey", [&] { return ZwFlushKey(key); });
    EXPECT_EQ(ZwClose(key), STATUS_SUCCESS);
  });
}

TEST_F(LacksResourcesTest, KeysByPath) {
  run([&] {
    expect_failure("RtlCreateRegistryKey", [&] { return RtlCreateRegistryKey(RTL_REGISTRY_ABSOLUTE, path_.Buffer); });
    ASSERT_EQ(RtlCreateRegistryKey(RTL_REGISTRY_ABSOLUTE, path_.Buffer), STATUS_SUCCESS);
    expect_failure("RtlCheckRegistryKey", [&] { return RtlCheckRegistryKey(RTL_REGISTRY_ABSOLUTE, path_.Buffer); });
    expect_failure("RtlWriteRegistryValue", [&] {
      return RtlWriteRegistryValue(RTL_REGISTRY_ABSOLUTE, path_.Buffer, name_.Buffer, REG_DWORD, &needed_,
                                   sizeof(needed_));
    });
    RTL_QUERY_REGISTRY_TABLE table[2] = {};
    expect_failure("RtlQueryRegistryValues", [&] {
      return RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, path_.Buffer, table, nullptr, nullptr);
    });
    DEVICE_OBJECT device = {};
    expect_failure("IoOpenDeviceRegistryKey",
                   [&] { return IoOpenDeviceRegistryKey(&device, PLUGPLAY_REGKEY_DEVICE, KEY_READ, &handle_); });
  });
}

// The status block has the same code: a driver may read it there.
TEST_F(LacksResourcesTest, Files) {
  HostFolder folder;
  options.files_folder = folder.path();
  run([&] {
    UNICODE_STRING file_name = string(u"\\??\\C:\\sample.bin");
    InitializeObjectAttributes(&attributes_, &file_name, OBJ_KERNEL_HANDLE, nullptr, nullptr);
    IO_STATUS_BLOCK block = {};
    auto expect_both = [&](const char* function, const std::function<NTSTATUS()>& call) {
      block = {};
      expect_failure(function, call);
      EXPECT_EQ(block.Status, STATUS_INSUFFICIENT_RESOURCES) << function;
    };
    auto create = [&] {
      return ZwCreateFile(&handle_, FILE_ALL_ACCESS, &attributes_, &block, nullptr, 0, 0, FILE_OPEN_IF,
                          FILE_SYNCHRONOUS_IO_NONALERT, nullptr, 0);
    };
    expect_both("ZwCreateFile", create);
    ASSERT_EQ(create(), STATUS_SUCCESS);
    HANDLE file = handle_;
    expect_both("ZwOpenFile", [&] { return ZwOpenFile(&handle_, FILE_READ_DATA, &attributes_, &block, 0, 0); });
    expect_both("ZwWriteFile", [&] {
      return ZwWriteFile(file, nullptr, nullptr, nullptr, &block, buffer_, sizeof(buffer_), nullptr, nullptr);
    });
    expect_both("ZwReadFile", [&] {
      return ZwReadFile(file, nullptr, nullptr, nullptr, &block, buffer_, sizeof(buffer_), nullptr, nullptr);
    });
    expect_both("ZwQueryInformationFile", [&] {
      return ZwQueryInformationFile(file, &block, buffer_, sizeof(buffer_), FileStandardInformation);
    });
    FILE_POSITION_INFORMATION position = {};
    expect_both("ZwSetInformationFile", [&] {
      return ZwSetInformationFile(file, &block, &position, sizeof(position), FilePositionInformation);
    });
    EXPECT_EQ(ZwClose(file), STATUS_SUCCESS);
  });
}

TEST_F(LacksResourcesTest, NamesAndStacksOfDevices) {
  run([&] {
    UNICODE_STRING link = string(u"\\DosDevices\\Sample"), device_name = string(u"\\Device\\Sample");
    auto make_link = [&] { return IoCreateSymbolicLink(&link, &device_name); };
    expect_failure("IoCreateSymbolicLink", make_link);
    EXPECT_EQ(make_link(), STATUS_SUCCESS) << "the failure left the name free";
    EXPECT_EQ(IoDeleteSymbolicLink(&link), STATUS_SUCCESS);
    PFILE_OBJECT file = nullptr;
    PDEVICE_OBJECT found = nullptr;
    expect_failure("IoGetDeviceObjectPointer",
                   [&] { return IoGetDeviceObjectPointer(&device_name, FILE_READ_DATA, &file, &found); });
    DEVICE_OBJECT upper = {}, lower = {};
    expect_failure("IoGetDeviceProperty", [&] {
      return IoGetDeviceProperty(&lower, DevicePropertyHardwareID, sizeof(buffer_), buffer_, &needed_);
    });
    expect_failure("IoSetDeviceInterfaceState", [&] { return IoSetDeviceInterfaceState(&link, TRUE); });
    expect_failure("IoAttachDeviceToDeviceStack", [&] {
      return IoAttachDeviceToDeviceStack(&upper, &lower) ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
    });
    observer.failing_allocations = 1;
    IoSetDeviceInterfaceState(&link, FALSE);
    EXPECT_EQ(observer.failing_allocations, 1) << "a driver could do nothing about it";
    observer.failing_allocations = 0;
  });
}

}  // namespace
}  // namespace nt
