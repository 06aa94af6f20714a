#include "settings.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

// The name's type is that of the table's member.
RTL_QUERY_REGISTRY_TABLE number(const WCHAR* name, ULONG& value) {
  RTL_QUERY_REGISTRY_TABLE row = {};
  row.Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
  row.Name = const_cast<PWSTR>(name);
  row.EntryContext = &value;
  row.DefaultType = (REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT) | REG_NONE;
  return row;
}

// The others are read where one is of another type.
void read_number(HANDLE key, const WCHAR* name, ULONG& value) {
  RTL_QUERY_REGISTRY_TABLE table[] = {number(name, value), {}};
  NTSTATUS status = RtlQueryRegistryValues(RTL_REGISTRY_HANDLE, static_cast<PCWSTR>(key), table, nullptr, nullptr);
  if (!NT_SUCCESS(status)) value = 0;
}

}  // namespace

Settings read_settings(const UNICODE_STRING& key_path) {
  PAGED_CODE();
  Settings settings = {};
  UNICODE_STRING path = key_path;
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &path, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, nullptr, nullptr);
  HANDLE key;
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) return settings;
  read_number(key, L"LocalBytes", settings.local_bytes);
  read_number(key, L"ApertureBytes", settings.aperture_bytes);
  ZwClose(key);
  return settings;
}

}  // namespace softgpu
