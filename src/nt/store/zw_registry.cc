// Keys and values by handle. Pages: wdm/nf-wdm-zwcreatekey, nf-wdm-zwqueryvaluekey, nf-wdm-zwenumeratekey, …
#include <cstring>

#include "base/align.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_handles.h"
#include "nt/mm/touch.h"
#include "nt/store/key_access.h"
#include "nt/store/registry.h"

using base::Failure;
using base::Result;
using nt::Fn;
using nt::KernelEntry;
using nt::Machine;
using nt::RegistryKey;
using nt::RegistryKeyFacts;
using nt::RegistryValue;

namespace {

std::u16string_view text(PUNICODE_STRING string) {
  if (!string) return {};
  nt::touch(string->Buffer, string->Length);
  return {reinterpret_cast<const char16_t*>(string->Buffer), string->Length / sizeof(WCHAR)};
}

NTSTATUS answer(KernelEntry& call, const Result<>& result) {
  return result.ok() ? STATUS_SUCCESS : nt::refuse(call.machine(), result.failure());
}

// --- Opening ---

Result<RegistryKey*> root_of(Machine& machine, const OBJECT_ATTRIBUTES& attributes) {
  if (!attributes.RootDirectory) return nullptr;
  return machine.handles().find_key(attributes.RootDirectory, 0);
}

Result<> open(Machine& machine, PHANDLE handle, ACCESS_MASK access, const OBJECT_ATTRIBUTES& attributes) {
  RegistryKey* root = TRY(root_of(machine, attributes));
  RegistryKey* key = TRY(machine.registry().open(root, text(attributes.ObjectName)));
  *handle = TRY(machine.handles().open_key(*key, nt::key_access(access)));
  return {};
}

Result<> create(Machine& machine, PHANDLE handle, ACCESS_MASK access, const OBJECT_ATTRIBUTES& attributes,
                PUNICODE_STRING class_name, PULONG disposition) {
  RegistryKey* root = TRY(root_of(machine, attributes));
  std::u16string_view path = text(attributes.ObjectName);
  bool exists = machine.registry().open(root, path).ok();
  // Opening needs nothing of the root's handle; making a key does.
  if (root && !exists) TRY(machine.handles().find_key(attributes.RootDirectory, KEY_CREATE_SUB_KEY));
  auto made = TRY(machine.registry().create(root, path, text(class_name)));
  *handle = TRY(machine.handles().open_key(*made.key, nt::key_access(access)));
  if (disposition) *disposition = made.fresh ? REG_CREATED_NEW_KEY : REG_OPENED_EXISTING_KEY;
  return {};
}

// --- Answers of changing length ---

// A structure with a fixed part and what follows it, given to a buffer as the pages say: all of it, the fixed part and
// as much as there is room for (STATUS_BUFFER_OVERFLOW), or nothing (STATUS_BUFFER_TOO_SMALL).
struct Answer {
  std::vector<uint8_t> bytes;
  size_t fixed;

  template <typename T>
  Answer(const T& head, size_t fixed_bytes) : bytes(fixed_bytes), fixed(fixed_bytes) {
    std::memcpy(bytes.data(), &head, fixed_bytes);
  }
  void append(const void* data, size_t count) {
    const auto* from = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), from, from + count);
  }
  void append(const std::u16string& string) { append(string.data(), string.size() * sizeof(char16_t)); }

  Result<> give(void* buffer, ULONG length, PULONG result_length) const {
    *result_length = static_cast<ULONG>(bytes.size());
    if (length < fixed) return Failure(STATUS_BUFFER_TOO_SMALL, "no room for the fixed part of the information");
    std::memcpy(buffer, bytes.data(), std::min<size_t>(length, bytes.size()));
    if (length < bytes.size()) return Failure(STATUS_BUFFER_OVERFLOW, "no room for all of the information");
    return {};
  }
};

ULONG bytes_of(const std::u16string& string) { return static_cast<ULONG>(string.size() * sizeof(char16_t)); }

LARGE_INTEGER time_of(const RegistryKeyFacts& facts) {
  LARGE_INTEGER time;
  time.QuadPart = static_cast<LONGLONG>(facts.last_write);
  return time;
}

Answer basic(const RegistryKeyFacts& facts) {
  KEY_BASIC_INFORMATION head = {time_of(facts), 0, bytes_of(facts.name), {}};
  Answer answer(head, offsetof(KEY_BASIC_INFORMATION, Name));
  answer.append(facts.name);
  return answer;
}

Answer node(const RegistryKeyFacts& facts) {
  constexpr ULONG kNameAt = offsetof(KEY_NODE_INFORMATION, Name);
  KEY_NODE_INFORMATION head = {time_of(facts),       0, kNameAt + bytes_of(facts.name), bytes_of(facts.class_name),
                               bytes_of(facts.name), {}};
  Answer answer(head, kNameAt);
  answer.append(facts.name);
  answer.append(facts.class_name);
  return answer;
}

Answer full(const RegistryKeyFacts& facts) {
  constexpr ULONG kClassAt = offsetof(KEY_FULL_INFORMATION, Class);
  KEY_FULL_INFORMATION head = {time_of(facts),
                               0,
                               kClassAt,
                               bytes_of(facts.class_name),
                               static_cast<ULONG>(facts.subkeys),
                               static_cast<ULONG>(facts.longest_name),
                               static_cast<ULONG>(facts.longest_class),
                               static_cast<ULONG>(facts.values),
                               static_cast<ULONG>(facts.longest_value_name),
                               static_cast<ULONG>(facts.longest_data),
                               {}};
  Answer answer(head, kClassAt);
  answer.append(facts.class_name);
  return answer;
}

Answer full_name(const RegistryKeyFacts& facts) {
  KEY_NAME_INFORMATION head = {bytes_of(facts.path), {}};
  Answer answer(head, offsetof(KEY_NAME_INFORMATION, Name));
  answer.append(facts.path);
  return answer;
}

Result<> describe(const RegistryKeyFacts& facts, KEY_INFORMATION_CLASS what, bool name_too, void* buffer, ULONG length,
                  PULONG result_length) {
  switch (what) {
    case KeyBasicInformation:
      return basic(facts).give(buffer, length, result_length);
    case KeyNodeInformation:
      return node(facts).give(buffer, length, result_length);
    case KeyFullInformation:
      return full(facts).give(buffer, length, result_length);
    case KeyNameInformation:
      if (name_too) return full_name(facts).give(buffer, length, result_length);
      [[fallthrough]];
    default:
      return Failure(STATUS_INVALID_PARAMETER, "this KEY_INFORMATION_CLASS is not for this function, or not known");
  }
}

// The data begins where `alignment` allows; the page does not say how it is aligned.
Answer full_value(const RegistryValue& value, size_t alignment) {
  constexpr size_t kNameAt = offsetof(KEY_VALUE_FULL_INFORMATION, Name);
  size_t data_at = base::round_up(kNameAt + bytes_of(value.name), alignment);
  KEY_VALUE_FULL_INFORMATION head = {
      0, value.type, static_cast<ULONG>(data_at), static_cast<ULONG>(value.data.size()), bytes_of(value.name), {}};
  Answer answer(head, kNameAt);
  answer.append(value.name);
  answer.bytes.resize(data_at);
  answer.append(value.data.data(), value.data.size());
  return answer;
}

template <typename Partial>
Answer partial_value(const Partial& head, const RegistryValue& value) {
  Answer answer(head, offsetof(Partial, Data));
  answer.append(value.data.data(), value.data.size());
  return answer;
}

Result<> describe(const RegistryValue& value, KEY_VALUE_INFORMATION_CLASS what, void* buffer, ULONG length,
                  PULONG result_length) {
  auto data_bytes = static_cast<ULONG>(value.data.size());
  switch (what) {
    case KeyValueBasicInformation: {
      KEY_VALUE_BASIC_INFORMATION head = {0, value.type, bytes_of(value.name), {}};
      Answer answer(head, offsetof(KEY_VALUE_BASIC_INFORMATION, Name));
      answer.append(value.name);
      return answer.give(buffer, length, result_length);
    }
    case KeyValueFullInformation:
      return full_value(value, sizeof(ULONG)).give(buffer, length, result_length);
    case KeyValueFullInformationAlign64:
      return full_value(value, sizeof(ULONG64)).give(buffer, length, result_length);
    case KeyValuePartialInformation: {
      KEY_VALUE_PARTIAL_INFORMATION head = {0, value.type, data_bytes, {}};
      return partial_value(head, value).give(buffer, length, result_length);
    }
    case KeyValuePartialInformationAlign64: {
      KEY_VALUE_PARTIAL_INFORMATION_ALIGN64 head = {value.type, data_bytes, {}};
      return partial_value(head, value).give(buffer, length, result_length);
    }
    default:
      return Failure(STATUS_INVALID_PARAMETER, "a KEY_VALUE_INFORMATION_CLASS that is not known");
  }
}

// --- Asking and changing ---

Result<> query_key(Machine& machine, HANDLE handle, KEY_INFORMATION_CLASS what, void* buffer, ULONG length,
                   PULONG result_length) {
  RegistryKey* key = TRY(machine.handles().find_key(handle, what == KeyNameInformation ? 0 : KEY_QUERY_VALUE));
  RegistryKeyFacts facts = TRY(machine.registry().facts(*key));
  return describe(facts, what, true, buffer, length, result_length);
}

Result<> enumerate_key(Machine& machine, HANDLE handle, ULONG index, KEY_INFORMATION_CLASS what, void* buffer,
                       ULONG length, PULONG result_length) {
  RegistryKey* key = TRY(machine.handles().find_key(handle, KEY_ENUMERATE_SUB_KEYS));
  RegistryKeyFacts facts = TRY(machine.registry().subkey_at(*key, index));
  return describe(facts, what, false, buffer, length, result_length);
}

Result<> query_value(Machine& machine, HANDLE handle, PUNICODE_STRING name, KEY_VALUE_INFORMATION_CLASS what,
                     void* buffer, ULONG length, PULONG result_length) {
  RegistryKey* key = TRY(machine.handles().find_key(handle, KEY_QUERY_VALUE));
  RegistryValue value = TRY(machine.registry().value(*key, text(name)));
  return describe(value, what, buffer, length, result_length);
}

Result<> enumerate_value(Machine& machine, HANDLE handle, ULONG index, KEY_VALUE_INFORMATION_CLASS what, void* buffer,
                         ULONG length, PULONG result_length) {
  RegistryKey* key = TRY(machine.handles().find_key(handle, KEY_QUERY_VALUE));
  RegistryValue value = TRY(machine.registry().value_at(*key, index));
  return describe(value, what, buffer, length, result_length);
}

Result<> set_value(Machine& machine, HANDLE handle, PUNICODE_STRING name, ULONG type, const void* data, ULONG bytes) {
  if (data) nt::touch(data, bytes);
  RegistryKey* key = TRY(machine.handles().find_key(handle, KEY_SET_VALUE));
  return machine.registry().set(*key, text(name), type, {static_cast<const uint8_t*>(data), data ? bytes : 0});
}

Result<> delete_value(Machine& machine, HANDLE handle, PUNICODE_STRING name) {
  RegistryKey* key = TRY(machine.handles().find_key(handle, KEY_SET_VALUE));
  return machine.registry().remove_value(*key, text(name));
}

Result<> delete_key(Machine& machine, HANDLE handle) {
  RegistryKey* key = TRY(machine.handles().find_key(handle, DELETE));
  return machine.registry().remove(*key);
}

}  // namespace

extern "C" {

NTSTATUS ZwOpenKey(PHANDLE handle, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes) {
  KernelEntry call{Fn::ZwOpenKey};
  if (nt::lacks_resources(Fn::ZwOpenKey)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, open(call.machine(), handle, access, *attributes));
}

// The two options are not used by drivers, and mean nothing here.
NTSTATUS ZwOpenKeyEx(PHANDLE handle, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes, ULONG options) {
  KernelEntry call{Fn::ZwOpenKeyEx};
  if (nt::lacks_resources(Fn::ZwOpenKeyEx)) return STATUS_INSUFFICIENT_RESOURCES;
  if (options & ~static_cast<ULONG>(REG_OPTION_OPEN_LINK | REG_OPTION_BACKUP_RESTORE)) {
    return nt::refuse(call.machine(), Failure(STATUS_INVALID_PARAMETER_4, "OpenOptions that are not known"));
  }
  return answer(call, open(call.machine(), handle, access, *attributes));
}

NTSTATUS ZwCreateKey(PHANDLE handle, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes, ULONG, PUNICODE_STRING name,
                     ULONG, PULONG disposition) {
  KernelEntry call{Fn::ZwCreateKey};
  if (nt::lacks_resources(Fn::ZwCreateKey)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, create(call.machine(), handle, access, *attributes, name, disposition));
}

NTSTATUS ZwDeleteKey(HANDLE handle) {
  KernelEntry call{Fn::ZwDeleteKey};
  return answer(call, delete_key(call.machine(), handle));
}

// There is no disk to wait for.
NTSTATUS ZwFlushKey(HANDLE handle) {
  KernelEntry call{Fn::ZwFlushKey};
  if (nt::lacks_resources(Fn::ZwFlushKey)) return STATUS_INSUFFICIENT_RESOURCES;
  auto found = call.machine().handles().find_key(handle, 0);
  return found.ok() ? STATUS_SUCCESS : nt::refuse(call.machine(), found.failure());
}

NTSTATUS ZwQueryKey(HANDLE handle, KEY_INFORMATION_CLASS what, PVOID buffer, ULONG length, PULONG result_length) {
  KernelEntry call{Fn::ZwQueryKey};
  if (nt::lacks_resources(Fn::ZwQueryKey)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, query_key(call.machine(), handle, what, buffer, length, result_length));
}

NTSTATUS ZwEnumerateKey(HANDLE handle, ULONG index, KEY_INFORMATION_CLASS what, PVOID buffer, ULONG length,
                        PULONG result_length) {
  KernelEntry call{Fn::ZwEnumerateKey};
  if (nt::lacks_resources(Fn::ZwEnumerateKey)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, enumerate_key(call.machine(), handle, index, what, buffer, length, result_length));
}

NTSTATUS ZwQueryValueKey(HANDLE handle, PUNICODE_STRING name, KEY_VALUE_INFORMATION_CLASS what, PVOID buffer,
                         ULONG length, PULONG result_length) {
  KernelEntry call{Fn::ZwQueryValueKey};
  if (nt::lacks_resources(Fn::ZwQueryValueKey)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, query_value(call.machine(), handle, name, what, buffer, length, result_length));
}

NTSTATUS ZwEnumerateValueKey(HANDLE handle, ULONG index, KEY_VALUE_INFORMATION_CLASS what, PVOID buffer, ULONG length,
                             PULONG result_length) {
  KernelEntry call{Fn::ZwEnumerateValueKey};
  if (nt::lacks_resources(Fn::ZwEnumerateValueKey)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, enumerate_value(call.machine(), handle, index, what, buffer, length, result_length));
}

NTSTATUS ZwSetValueKey(HANDLE handle, PUNICODE_STRING name, ULONG, ULONG type, PVOID data, ULONG bytes) {
  KernelEntry call{Fn::ZwSetValueKey};
  if (nt::lacks_resources(Fn::ZwSetValueKey)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, set_value(call.machine(), handle, name, type, data, bytes));
}

NTSTATUS ZwDeleteValueKey(HANDLE handle, PUNICODE_STRING name) {
  KernelEntry call{Fn::ZwDeleteValueKey};
  return answer(call, delete_value(call.machine(), handle, name));
}

}  // extern "C"
