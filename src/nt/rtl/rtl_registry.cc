// The registry by path. Pages: wdm/nf-wdm-rtlqueryregistryvalues, nf-wdm-rtlwriteregistryvalue, …
#include <algorithm>
#include <cstring>

#include "nt/boundary/driver_call.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_handles.h"
#include "nt/mm/pool.h"
#include "nt/mm/touch.h"
#include "nt/store/registry.h"

using base::Failure;
using base::Result;
using nt::Fn;
using nt::KernelEntry;
using nt::Machine;
using nt::PoolFill;
using nt::PoolKind;
using nt::RegistryKey;
using nt::RegistryValue;

namespace {

constexpr ULONG kStringTag = 0x67655252;  // "RReg": ours, of what a query allocates

constexpr std::u16string_view kStarts[RTL_REGISTRY_MAXIMUM] = {
    u"",
    u"\\Registry\\Machine\\System\\CurrentControlSet\\Services",
    u"\\Registry\\Machine\\System\\CurrentControlSet\\Control",
    u"\\Registry\\Machine\\Software\\Microsoft\\Windows NT\\CurrentVersion",
    u"\\Registry\\Machine\\Hardware\\DeviceMap",
    u"\\Registry\\User\\.Default",  // the system process'
};

std::u16string_view text(PCWSTR string) {
  if (!string) return {};
  const auto* units = reinterpret_cast<const char16_t*>(string);
  return std::u16string_view(units, std::char_traits<char16_t>::length(units));
}

NTSTATUS answer(KernelEntry& call, const Result<>& result) {
  return result.ok() ? STATUS_SUCCESS : nt::refuse(call.machine(), result.failure());
}

Result<std::u16string> path_of(ULONG relative_to, PCWSTR path) {
  ULONG start = relative_to & ~static_cast<ULONG>(RTL_REGISTRY_OPTIONAL);
  if (start >= RTL_REGISTRY_MAXIMUM) return Failure(STATUS_INVALID_PARAMETER, "RelativeTo that is not known");
  std::u16string_view rest = text(path);
  std::u16string whole(kStarts[start]);
  if (!whole.empty() && !rest.empty()) whole += u'\\';
  return whole.append(rest);
}

Result<RegistryKey*> key_of(Machine& machine, ULONG relative_to, PCWSTR path) {
  if (relative_to & RTL_REGISTRY_HANDLE) {
    return machine.handles().find_key(const_cast<PWSTR>(path), 0);
  }
  std::u16string whole = TRY(path_of(relative_to, path));
  return machine.registry().open(nullptr, whole);
}

Result<RegistryKey*> made_key(Machine& machine, ULONG relative_to, PCWSTR path) {
  if (relative_to & RTL_REGISTRY_HANDLE) return key_of(machine, relative_to, path);
  std::u16string whole = TRY(path_of(relative_to, path));
  auto made = TRY(machine.registry().create(nullptr, whole, {}));
  return made.key;
}

Result<> write_value(Machine& machine, ULONG relative_to, PCWSTR path, PCWSTR name, ULONG type, const void* data,
                     ULONG bytes) {
  if (data) nt::touch(data, bytes);
  RegistryKey* key = TRY(made_key(machine, relative_to, path));
  return machine.registry().set(*key, text(name), type, {static_cast<const uint8_t*>(data), data ? bytes : 0});
}

Result<> delete_value(Machine& machine, ULONG relative_to, PCWSTR path, PCWSTR name) {
  RegistryKey* key = TRY(key_of(machine, relative_to, path));
  return machine.registry().remove_value(*key, text(name));
}

// --- Queries ---

bool is_string(ULONG type) { return type == REG_SZ || type == REG_EXPAND_SZ || type == REG_MULTI_SZ; }

// One run of RtlQueryRegistryValues: walks the table with the key that its entries are about.
class Query {
 public:
  Query(Machine& machine, RegistryKey& top, PVOID context)
      : machine_(machine), top_(top), key_(&top), context_(context) {}

  Result<> run(const RTL_QUERY_REGISTRY_TABLE* table) {
    for (; table->QueryRoutine || table->Name; ++table) TRY(handle(*table));
    return {};
  }

 private:
  Result<> handle(const RTL_QUERY_REGISTRY_TABLE& entry) {
    bool direct = entry.Flags & RTL_QUERY_REGISTRY_DIRECT;
    if (direct && (!entry.Name || entry.QueryRoutine)) {
      return Failure(STATUS_INVALID_PARAMETER, "RTL_QUERY_REGISTRY_DIRECT needs a Name and takes no QueryRoutine");
    }
    if (entry.Flags & (RTL_QUERY_REGISTRY_TOPKEY | RTL_QUERY_REGISTRY_SUBKEY)) key_ = &top_;
    if (entry.Flags & RTL_QUERY_REGISTRY_SUBKEY) return enter(entry);
    if (entry.Flags & RTL_QUERY_REGISTRY_NOVALUE) return call(entry, entry.Name, REG_NONE, nullptr, 0);
    if (!entry.Name) return all_values(entry);
    auto found = machine_.registry().value(*key_, text(entry.Name));
    if (!found.ok()) return absent(entry);
    TRY(deliver(entry, found.value()));
    if (entry.Flags & RTL_QUERY_REGISTRY_DELETE) TRY(machine_.registry().remove_value(*key_, text(entry.Name)));
    return {};
  }

  // The entries that follow are about another key. With a routine, all of its values are reported too.
  Result<> enter(const RTL_QUERY_REGISTRY_TABLE& entry) {
    if (!entry.Name) return Failure(STATUS_INVALID_PARAMETER, "RTL_QUERY_REGISTRY_SUBKEY needs a Name");
    key_ = TRY(machine_.registry().open(&top_, text(entry.Name)));
    return entry.QueryRoutine ? all_values(entry) : Result<>();
  }

  Result<> all_values(const RTL_QUERY_REGISTRY_TABLE& entry) {
    std::vector<RegistryValue> values;
    for (size_t i = 0;; ++i) {
      auto value = machine_.registry().value_at(*key_, i);
      if (!value.ok()) break;
      values.push_back(value.take());
    }
    if (values.empty() && entry.Flags & RTL_QUERY_REGISTRY_REQUIRED) {
      return Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the key has no values, and one is required");
    }
    for (const RegistryValue& value : values) TRY(deliver(entry, value));
    return {};
  }

  Result<> absent(const RTL_QUERY_REGISTRY_TABLE& entry) {
    auto type = static_cast<UCHAR>(entry.DefaultType);
    if (entry.Flags & RTL_QUERY_REGISTRY_REQUIRED) {
      return Failure(STATUS_OBJECT_NAME_NOT_FOUND, "a value that is required is not there");
    }
    if (type == REG_NONE) return {};
    RegistryValue value;
    value.name = text(entry.Name);
    value.type = type;
    const auto* data = static_cast<const uint8_t*>(entry.DefaultData);
    value.data.assign(data, data + default_length(entry, type));
    return deliver(entry, value);
  }

  static size_t default_length(const RTL_QUERY_REGISTRY_TABLE& entry, ULONG type) {
    if (entry.DefaultLength != 0 || !is_string(type)) return entry.DefaultLength;
    const auto* units = static_cast<const char16_t*>(entry.DefaultData);
    size_t count = 0;
    do {
      while (units[count++] != 0) {
      }
    } while (type == REG_MULTI_SZ && units[count] != 0);
    return (count + (type == REG_MULTI_SZ ? 1 : 0)) * sizeof(char16_t);
  }

  Result<> deliver(const RTL_QUERY_REGISTRY_TABLE& entry, const RegistryValue& value) {
    if (entry.Flags & RTL_QUERY_REGISTRY_DIRECT) return store(entry, value);
    if (value.type != REG_MULTI_SZ || entry.Flags & RTL_QUERY_REGISTRY_NOEXPAND) {
      // There is no environment: what is to be expanded is given as it is, under its own type.
      return call(entry, entry.Name, value, value.type, 0, value.data.size());
    }
    for (size_t begin = 0; begin + 2 <= value.data.size();) {
      size_t end = begin;
      while (end + 2 <= value.data.size() && (value.data[end] || value.data[end + 1])) end += 2;
      if (end == begin) break;
      end = std::min(end + 2, value.data.size());
      TRY(call(entry, entry.Name, value, REG_SZ, begin, end - begin));
      begin = end;
    }
    return {};
  }

  Result<> call(const RTL_QUERY_REGISTRY_TABLE& entry, PWSTR name, const RegistryValue& value, ULONG type,
                size_t offset, size_t bytes) {
    // The routine sees memory of the machine: addresses that are the same in every run.
    size_t name_bytes = (value.name.size() + 1) * sizeof(char16_t);
    auto* memory = static_cast<uint8_t*>(
        machine_.pool().allocate(name_bytes + 8 + bytes, kStringTag, PoolKind::Internal, PoolFill::Zero));
    if (!memory) return Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory to hand a value to its routine");
    std::memcpy(memory, value.name.data(), name_bytes - sizeof(char16_t));
    uint8_t* data = memory + ((name_bytes + 7) & ~size_t{7});
    if (bytes != 0) std::memcpy(data, value.data.data() + offset, bytes);
    auto* own_name = reinterpret_cast<PWSTR>(memory);
    Result<> result = call(entry, name ? name : own_name, type, data, static_cast<ULONG>(bytes));
    machine_.pool().free(memory, 0);
    return result;
  }

  Result<> call(const RTL_QUERY_REGISTRY_TABLE& entry, PWSTR name, ULONG type, PVOID data, ULONG bytes) {
    if (!entry.QueryRoutine) return Failure(STATUS_INVALID_PARAMETER, "a table entry without its QueryRoutine");
    NTSTATUS status = nt::call_driver(machine_, "QueryRoutine", nullptr, entry.QueryRoutine, name, type, data, bytes,
                                      context_, entry.EntryContext);
    if (status >= 0 || status == STATUS_BUFFER_TOO_SMALL) return {};
    return Failure(status, "a QueryRoutine of the driver failed");
  }

  // RTL_QUERY_REGISTRY_DIRECT, as the table of the page's remarks has it.
  Result<> store(const RTL_QUERY_REGISTRY_TABLE& entry, const RegistryValue& value) {
    ULONG expected = entry.DefaultType >> RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    if (entry.Flags & RTL_QUERY_REGISTRY_TYPECHECK && expected != value.type) {
      return Failure(STATUS_OBJECT_TYPE_MISMATCH, "the value is not of the type that the driver expects");
    }
    if (is_string(value.type)) return store_string(*static_cast<PUNICODE_STRING>(entry.EntryContext), value);
    if (value.data.size() <= sizeof(ULONG)) {
      std::memcpy(entry.EntryContext, value.data.data(), value.data.size());
      return {};
    }
    return store_bytes(static_cast<uint8_t*>(entry.EntryContext), value);
  }

  Result<> store_string(UNICODE_STRING& to, const RegistryValue& value) {
    size_t bytes = std::min<size_t>(value.data.size(), UNICODE_STRING_MAX_BYTES);
    if (!to.Buffer) {
      void* memory = machine_.pool().allocate(bytes + sizeof(WCHAR), kStringTag, PoolKind::Paged, PoolFill::Zero);
      if (!memory) return Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a string");
      to.Buffer = static_cast<PWSTR>(memory);
      to.MaximumLength = static_cast<USHORT>(bytes);
    } else if (to.MaximumLength < bytes) {
      return Failure(STATUS_BUFFER_TOO_SMALL, "the string is longer than its buffer");
    }
    std::memcpy(to.Buffer, value.data.data(), bytes);
    bool terminated = bytes >= sizeof(WCHAR) && to.Buffer[bytes / sizeof(WCHAR) - 1] == 0;
    to.Length = static_cast<USHORT>(bytes - (terminated ? sizeof(WCHAR) : 0));
    return {};
  }

  static Result<> store_bytes(uint8_t* buffer, const RegistryValue& value) {
    LONG size;
    std::memcpy(&size, buffer, sizeof(size));
    size_t room = size < 0 ? static_cast<size_t>(-int64_t{size}) : static_cast<size_t>(size);
    size_t head = size < 0 ? 0 : 2 * sizeof(ULONG);
    if (room < head + value.data.size()) {
      return Failure(STATUS_BUFFER_TOO_SMALL, "the value is longer than its buffer");
    }
    if (head != 0) {
      ULONG fields[2] = {static_cast<ULONG>(value.data.size()), value.type};
      std::memcpy(buffer, fields, sizeof(fields));
    }
    std::memcpy(buffer + head, value.data.data(), value.data.size());
    return {};
  }

  Machine& machine_;
  RegistryKey& top_;
  RegistryKey* key_;
  PVOID context_;
};

}  // namespace

extern "C" {

NTSTATUS RtlQueryRegistryValues(ULONG relative_to, PCWSTR path, PRTL_QUERY_REGISTRY_TABLE table, PVOID context, PVOID) {
  KernelEntry call{Fn::RtlQueryRegistryValues};
  if (nt::lacks_resources(Fn::RtlQueryRegistryValues)) return STATUS_INSUFFICIENT_RESOURCES;
  auto key = key_of(call.machine(), relative_to, path);
  if (!key.ok()) {
    bool optional = relative_to & RTL_REGISTRY_OPTIONAL && key.status() == STATUS_OBJECT_NAME_NOT_FOUND;
    return optional ? STATUS_SUCCESS : nt::refuse(call.machine(), key.failure());
  }
  return answer(call, Query(call.machine(), *key.value(), context).run(table));
}

NTSTATUS RtlWriteRegistryValue(ULONG relative_to, PCWSTR path, PCWSTR name, ULONG type, PVOID data, ULONG bytes) {
  KernelEntry call{Fn::RtlWriteRegistryValue};
  if (nt::lacks_resources(Fn::RtlWriteRegistryValue)) return STATUS_INSUFFICIENT_RESOURCES;
  return answer(call, write_value(call.machine(), relative_to, path, name, type, data, bytes));
}

NTSTATUS RtlDeleteRegistryValue(ULONG relative_to, PCWSTR path, PCWSTR name) {
  KernelEntry call{Fn::RtlDeleteRegistryValue};
  return answer(call, delete_value(call.machine(), relative_to, path, name));
}

NTSTATUS RtlCheckRegistryKey(ULONG relative_to, PWSTR path) {
  KernelEntry call{Fn::RtlCheckRegistryKey};
  if (nt::lacks_resources(Fn::RtlCheckRegistryKey)) return STATUS_INSUFFICIENT_RESOURCES;
  auto key = key_of(call.machine(), relative_to, path);
  return key.ok() ? STATUS_SUCCESS : nt::refuse(call.machine(), key.failure());
}

NTSTATUS RtlCreateRegistryKey(ULONG relative_to, PWSTR path) {
  KernelEntry call{Fn::RtlCreateRegistryKey};
  if (nt::lacks_resources(Fn::RtlCreateRegistryKey)) return STATUS_INSUFFICIENT_RESOURCES;
  auto key = made_key(call.machine(), relative_to, path);
  return key.ok() ? STATUS_SUCCESS : nt::refuse(call.machine(), key.failure());
}

}  // extern "C"
