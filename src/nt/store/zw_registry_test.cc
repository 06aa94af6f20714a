#include <cstring>

#include "nt/store/registry.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

// A counted string over a literal.
struct Name {
  explicit Name(const char16_t* text) : units(text) {
    string.Buffer = reinterpret_cast<PWSTR>(units.data());
    string.Length = string.MaximumLength = static_cast<USHORT>(units.size() * sizeof(char16_t));
  }
  std::u16string units;
  UNICODE_STRING string;
};

std::u16string_view view(const WCHAR* text, ULONG bytes) {
  return {reinterpret_cast<const char16_t*>(text), bytes / sizeof(WCHAR)};
}

constexpr const char16_t* kMill = u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\mill";

class ZwRegistryTest : public MachineTest {
 protected:
  // Runs `body` on a machine with a driver's key.
  void with_key(const std::function<void()>& body) {
    run([&] {
      machine().registry().set_dword(kMill, u"Depth", 0x01020304).take();
      machine().registry().set_string(kMill, u"Mode", u"fast").take();
      body();
      EXPECT_EQ(machine().end_scope(machine().root_scope()), 0u);
    });
    EXPECT_TRUE(broken().empty());
  }
  static NTSTATUS open(const char16_t* path, HANDLE* handle, ACCESS_MASK access = KEY_READ, HANDLE root = nullptr) {
    Name name(path);
    OBJECT_ATTRIBUTES attributes;
    InitializeObjectAttributes(&attributes, &name.string, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, root, nullptr);
    return ZwOpenKey(handle, access, &attributes);
  }
  static HANDLE opened(const char16_t* path, ACCESS_MASK access = KEY_READ, HANDLE root = nullptr) {
    HANDLE handle = nullptr;
    EXPECT_EQ(open(path, &handle, access, root), STATUS_SUCCESS);
    return handle;
  }
  static NTSTATUS create(const char16_t* path, HANDLE* handle, HANDLE root, ULONG* disposition) {
    Name name(path), class_name(u"cls");
    OBJECT_ATTRIBUTES attributes;
    InitializeObjectAttributes(&attributes, &name.string, OBJ_KERNEL_HANDLE, root, nullptr);
    return ZwCreateKey(handle, KEY_ALL_ACCESS, &attributes, 0, &class_name.string, REG_OPTION_VOLATILE, disposition);
  }
};

TEST_F(ZwRegistryTest, ADriversPathOpensAndItsValuesAreRead) {
  with_key([&] {
    HANDLE key = opened(kMill);
    Name depth(u"depth");
    alignas(8) unsigned char buffer[64];
    ULONG length = 0;
    ASSERT_EQ(ZwQueryValueKey(key, &depth.string, KeyValuePartialInformation, buffer, sizeof(buffer), &length),
              STATUS_SUCCESS);
    auto* partial = reinterpret_cast<KEY_VALUE_PARTIAL_INFORMATION*>(buffer);
    EXPECT_EQ(partial->Type, static_cast<ULONG>(REG_DWORD));
    EXPECT_EQ(partial->DataLength, 4u);
    EXPECT_EQ(length, offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data) + 4);
    EXPECT_EQ(*reinterpret_cast<ULONG*>(partial->Data), 0x01020304u);
    Name none(u"None");
    EXPECT_EQ(ZwQueryValueKey(key, &none.string, KeyValuePartialInformation, buffer, sizeof(buffer), &length),
              STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(ZwFlushKey(key), STATUS_SUCCESS);
    EXPECT_EQ(ZwClose(key), STATUS_SUCCESS);
    EXPECT_EQ(ZwFlushKey(key), STATUS_INVALID_HANDLE);
  });
}

// Every class at every length: nothing, the fixed part and some, all; never a byte beyond.
TEST_F(ZwRegistryTest, ShortBuffersAreFilledAsDocumented) {
  with_key([&] {
    HANDLE key = opened(kMill);
    Name mode(u"Mode");
    struct {
      KEY_VALUE_INFORMATION_CLASS what;
      size_t fixed, whole;
    } cases[] = {{KeyValueBasicInformation, 12, 12 + 8},
                 {KeyValueFullInformation, 20, 28 + 10},
                 {KeyValueFullInformationAlign64, 20, 32 + 10},
                 {KeyValuePartialInformation, 12, 12 + 10},
                 {KeyValuePartialInformationAlign64, 8, 8 + 10}};
    for (auto& each : cases) {
      for (size_t size = 0; size <= each.whole + 2; ++size) {
        std::vector<unsigned char> buffer(each.whole + 16, 0xAA);
        ULONG length = 0;
        NTSTATUS status =
            ZwQueryValueKey(key, &mode.string, each.what, buffer.data(), static_cast<ULONG>(size), &length);
        EXPECT_EQ(status, size < each.fixed   ? STATUS_BUFFER_TOO_SMALL
                          : size < each.whole ? STATUS_BUFFER_OVERFLOW
                                              : STATUS_SUCCESS);
        EXPECT_EQ(length, each.whole);
        for (size_t i = size < each.fixed ? 0 : size; i < buffer.size(); ++i) ASSERT_EQ(buffer[i], 0xAA) << size;
      }
    }
    ULONG length;
    EXPECT_EQ(ZwQueryValueKey(key, &mode.string, KeyValueLayerInformation, nullptr, 0, &length),
              STATUS_INVALID_PARAMETER);
    ZwClose(key);
  });
}

TEST_F(ZwRegistryTest, FullInformationHasNameAndData) {
  with_key([&] {
    HANDLE key = opened(kMill);
    alignas(8) unsigned char buffer[128];
    ULONG length;
    ASSERT_EQ(ZwEnumerateValueKey(key, 1, KeyValueFullInformation, buffer, sizeof(buffer), &length), STATUS_SUCCESS);
    auto* full = reinterpret_cast<KEY_VALUE_FULL_INFORMATION*>(buffer);
    EXPECT_EQ(view(full->Name, full->NameLength), u"Mode");
    EXPECT_EQ(view(reinterpret_cast<WCHAR*>(buffer + full->DataOffset), full->DataLength - 2), u"fast");
    EXPECT_EQ(ZwEnumerateValueKey(key, 2, KeyValueFullInformation, buffer, sizeof(buffer), &length),
              STATUS_NO_MORE_ENTRIES);
    ZwClose(key);
  });
}

TEST_F(ZwRegistryTest, KeysAreCreatedEnumeratedAndDeleted) {
  with_key([&] {
    HANDLE mill = opened(kMill, KEY_ALL_ACCESS), child = nullptr, again = nullptr;
    ULONG disposition = 0;
    ASSERT_EQ(create(u"Parameters", &child, mill, &disposition), STATUS_SUCCESS);
    EXPECT_EQ(disposition, static_cast<ULONG>(REG_CREATED_NEW_KEY));
    ASSERT_EQ(create(u"parameters", &again, mill, &disposition), STATUS_SUCCESS);
    EXPECT_EQ(disposition, static_cast<ULONG>(REG_OPENED_EXISTING_KEY));
    alignas(8) unsigned char buffer[256];
    ULONG length;
    ASSERT_EQ(ZwEnumerateKey(mill, 0, KeyNodeInformation, buffer, sizeof(buffer), &length), STATUS_SUCCESS);
    auto* node = reinterpret_cast<KEY_NODE_INFORMATION*>(buffer);
    EXPECT_EQ(view(node->Name, node->NameLength), u"Parameters");
    EXPECT_EQ(view(reinterpret_cast<WCHAR*>(buffer + node->ClassOffset), node->ClassLength), u"cls");
    EXPECT_EQ(ZwEnumerateKey(mill, 1, KeyNodeInformation, buffer, sizeof(buffer), &length), STATUS_NO_MORE_ENTRIES);
    EXPECT_EQ(ZwEnumerateKey(mill, 0, KeyNameInformation, buffer, sizeof(buffer), &length), STATUS_INVALID_PARAMETER);
    ASSERT_EQ(ZwQueryKey(mill, KeyFullInformation, buffer, sizeof(buffer), &length), STATUS_SUCCESS);
    auto* full = reinterpret_cast<KEY_FULL_INFORMATION*>(buffer);
    EXPECT_EQ(full->SubKeys, 1u);
    EXPECT_EQ(full->Values, 2u);
    EXPECT_EQ(full->MaxValueDataLen, 10u);
    LARGE_INTEGER time;
    KeQuerySystemTime(&time);
    EXPECT_GT(full->LastWriteTime.QuadPart, 0);
    EXPECT_LE(full->LastWriteTime.QuadPart, time.QuadPart);
    ASSERT_EQ(ZwQueryKey(child, KeyNameInformation, buffer, sizeof(buffer), &length), STATUS_SUCCESS);
    auto* name = reinterpret_cast<KEY_NAME_INFORMATION*>(buffer);
    EXPECT_EQ(view(name->Name, name->NameLength), std::u16string(kMill) + u"\\Parameters");
    EXPECT_EQ(ZwDeleteKey(mill), STATUS_CANNOT_DELETE);
    EXPECT_EQ(ZwDeleteKey(child), STATUS_SUCCESS);
    EXPECT_EQ(ZwDeleteKey(again), STATUS_KEY_DELETED);
    for (HANDLE handle : {mill, child, again}) EXPECT_EQ(ZwClose(handle), STATUS_SUCCESS);
  });
}

TEST_F(ZwRegistryTest, ValuesAreWrittenAndDeleted) {
  with_key([&] {
    HANDLE key = opened(kMill, KEY_ALL_ACCESS);
    Name name(u"New");
    ULONG data = 5, length;
    EXPECT_EQ(ZwSetValueKey(key, &name.string, 0, REG_DWORD, &data, sizeof(data)), STATUS_SUCCESS);
    EXPECT_EQ(ZwSetValueKey(key, nullptr, 0, REG_NONE, nullptr, 0), STATUS_SUCCESS);
    KEY_VALUE_PARTIAL_INFORMATION value;
    EXPECT_EQ(ZwQueryValueKey(key, &name.string, KeyValuePartialInformation, &value, sizeof(value), &length),
              STATUS_SUCCESS);
    EXPECT_EQ(value.Data[0], 5);
    EXPECT_EQ(ZwDeleteValueKey(key, &name.string), STATUS_SUCCESS);
    EXPECT_EQ(ZwDeleteValueKey(key, &name.string), STATUS_OBJECT_NAME_NOT_FOUND);
    ZwClose(key);
  });
}

TEST_F(ZwRegistryTest, AccessIsWhatWasAskedFor) {
  with_key([&] {
    HANDLE reading = opened(kMill, GENERIC_READ), writing = opened(kMill, KEY_WRITE), other = nullptr;
    Name name(u"Depth");
    unsigned char buffer[64];
    ULONG length, disposition;
    EXPECT_EQ(ZwSetValueKey(reading, &name.string, 0, REG_NONE, nullptr, 0), STATUS_ACCESS_DENIED);
    EXPECT_EQ(ZwDeleteValueKey(reading, &name.string), STATUS_ACCESS_DENIED);
    EXPECT_EQ(ZwDeleteKey(reading), STATUS_ACCESS_DENIED);
    EXPECT_EQ(create(u"New", &other, reading, &disposition), STATUS_ACCESS_DENIED);
    EXPECT_EQ(ZwQueryValueKey(writing, &name.string, KeyValueBasicInformation, buffer, 64, &length),
              STATUS_ACCESS_DENIED);
    EXPECT_EQ(ZwEnumerateKey(writing, 0, KeyBasicInformation, buffer, 64, &length), STATUS_ACCESS_DENIED);
    EXPECT_EQ(ZwQueryKey(writing, KeyBasicInformation, buffer, 64, &length), STATUS_ACCESS_DENIED);
    EXPECT_EQ(ZwQueryKey(writing, KeyNameInformation, buffer, 64, &length), STATUS_BUFFER_OVERFLOW);
    ZwClose(reading);
    ZwClose(writing);
  });
}

TEST_F(ZwRegistryTest, WrongHandlesAndOptionsAreRefused) {
  with_key([&] {
    HANDLE handle = nullptr;
    EXPECT_EQ(open(u"x", &handle, KEY_READ, NtCurrentThread()), STATUS_OBJECT_TYPE_MISMATCH);
    EXPECT_EQ(open(u"x", &handle, KEY_READ, reinterpret_cast<HANDLE>(uintptr_t{0x7778})), STATUS_INVALID_HANDLE);
    EXPECT_EQ(open(u"\\Registry\\Machine\\None", &handle), STATUS_OBJECT_NAME_NOT_FOUND);
    Name name(kMill);
    OBJECT_ATTRIBUTES attributes;
    InitializeObjectAttributes(&attributes, &name.string, OBJ_KERNEL_HANDLE, nullptr, nullptr);
    EXPECT_EQ(ZwOpenKeyEx(&handle, KEY_READ, &attributes, 0x100), STATUS_INVALID_PARAMETER_4);
    EXPECT_EQ(ZwOpenKeyEx(&handle, KEY_READ, &attributes, 0), STATUS_SUCCESS);
    ZwClose(handle);
  });
}

TEST_F(ZwRegistryTest, AHandleLeftOpenIsFound) {
  run_to_stop([&] {
    opened(u"\\Registry\\Machine\\System");
    EXPECT_EQ(machine().end_scope(machine().root_scope()), 1u);
  });
  EXPECT_EQ(broken(), Strings{"Leak"});
}

TEST_F(ZwRegistryTest, ADevicesKeysOpen) {
  with_key([&] {
    DEVICE_OBJECT device = {};
    HANDLE key = nullptr;
    EXPECT_EQ(IoOpenDeviceRegistryKey(&device, PLUGPLAY_REGKEY_DEVICE, KEY_READ, &key), STATUS_INVALID_PARAMETER);
    machine().registry().assign_device(&device, u"\\Registry\\Machine\\System\\CurrentControlSet\\Enum\\PCI\\0",
                                       u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\0000");
    EXPECT_EQ(IoOpenDeviceRegistryKey(&device, 3, KEY_READ, &key), STATUS_INVALID_PARAMETER);
    for (ULONG type : {PLUGPLAY_REGKEY_DEVICE, PLUGPLAY_REGKEY_DRIVER}) {
      ASSERT_EQ(IoOpenDeviceRegistryKey(&device, type, KEY_ALL_ACCESS, &key), STATUS_SUCCESS);
      alignas(8) unsigned char buffer[256];
      ULONG length;
      ASSERT_EQ(ZwQueryKey(key, KeyBasicInformation, buffer, sizeof(buffer), &length), STATUS_SUCCESS);
      auto* basic = reinterpret_cast<KEY_BASIC_INFORMATION*>(buffer);
      EXPECT_EQ(view(basic->Name, basic->NameLength), type == PLUGPLAY_REGKEY_DEVICE ? u"0" : u"0000");
      ZwClose(key);
    }
  });
}

}  // namespace
}  // namespace nt
