// Device registers and addresses. Pages: wdm/nf-wdm-mmmapiospace, nf-wdm-read_register_ulong,
// ntddk/nf-ntddk-mmisaddressvalid, …
#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "nt/boundary/address_check.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"
#include "nt/hardware/registers.h"

using nt::Fn;
using nt::KernelEntry;

namespace {

void* map(KernelEntry& call, PHYSICAL_ADDRESS physical, SIZE_T bytes) {
  if (call.machine().fails(nt::FaultKind::Mapping, "MmMapIoSpace")) return nullptr;
  void* address = call.machine().registers().map(static_cast<uint64_t>(physical.QuadPart), bytes);
  if (!address) {
    static_cast<void>(nt::refuse(call.machine(), base::Failure(STATUS_INVALID_PARAMETER, "no device answers there")));
  }
  return address;
}

void check_protection(KernelEntry& call, ULONG protect) {
  constexpr ULONG kExecute = PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE;
  if (!(protect & kExecute)) return;
  call.machine().report_violation(
      nt::Violation::ExecutableMemory,
      fmt::format("MmMapIoSpaceEx was called with Protect 0x{:X}, which is executable memory", protect));
}

template <typename T>
T read(KernelEntry& call, const volatile T* address) {
  return static_cast<T>(call.machine().registers().read(address, sizeof(T)));
}

template <typename T>
void write(KernelEntry& call, volatile T* address, T value) {
  call.machine().registers().write(address, sizeof(T), value);
}

}  // namespace

extern "C" {

PVOID MmMapIoSpace(PHYSICAL_ADDRESS physical, SIZE_T bytes, MEMORY_CACHING_TYPE) {
  KernelEntry call{Fn::MmMapIoSpace};
  return map(call, physical, bytes);
}

PVOID MmMapIoSpaceEx(PHYSICAL_ADDRESS physical, SIZE_T bytes, ULONG protect) {
  KernelEntry call{Fn::MmMapIoSpaceEx};
  check_protection(call, protect);
  return map(call, physical, bytes);
}

VOID MmUnmapIoSpace(PVOID address, SIZE_T bytes) {
  KernelEntry call{Fn::MmUnmapIoSpace};
  call.machine().registers().unmap(address, bytes);
}

BOOLEAN MmIsAddressValid(PVOID address) {
  KernelEntry call{Fn::MmIsAddressValid};
  return nt::is_address_valid(call.machine(), reinterpret_cast<uintptr_t>(address));
}

// A function that is in our table but not linked into this program counts as missing, like one that is not in the
// table.
PVOID MmGetSystemRoutineAddress(PUNICODE_STRING name) {
  KernelEntry call{Fn::MmGetSystemRoutineAddress};
  std::string ascii;
  for (size_t i = 0; i < name->Length / sizeof(WCHAR); ++i) ascii += static_cast<char>(name->Buffer[i]);
  return nt::find_function(ascii) ? dlsym(RTLD_DEFAULT, ascii.c_str()) : nullptr;
}

// The pages of the buffer forms do not say whether the register address moves on; ours does, as through memory.
// The forms without a fence are the same: nothing here is ever out of order.
#define REGISTER_FUNCTIONS(T, fence)                                                     \
  T READ_REGISTER_##fence##T(volatile T* address) {                                      \
    KernelEntry call{Fn::READ_REGISTER_##fence##T};                                      \
    return read(call, address);                                                          \
  }                                                                                      \
  VOID WRITE_REGISTER_##fence##T(volatile T* address, T value) {                         \
    KernelEntry call{Fn::WRITE_REGISTER_##fence##T};                                     \
    write(call, address, value);                                                         \
  }                                                                                      \
  VOID READ_REGISTER_##fence##BUFFER_##T(volatile T* address, T* buffer, ULONG count) {  \
    KernelEntry call{Fn::READ_REGISTER_##fence##BUFFER_##T};                             \
    for (ULONG i = 0; i < count; ++i) buffer[i] = read(call, address + i);               \
  }                                                                                      \
  VOID WRITE_REGISTER_##fence##BUFFER_##T(volatile T* address, T* buffer, ULONG count) { \
    KernelEntry call{Fn::WRITE_REGISTER_##fence##BUFFER_##T};                            \
    for (ULONG i = 0; i < count; ++i) write(call, address + i, buffer[i]);               \
  }

REGISTER_FUNCTIONS(UCHAR, )
REGISTER_FUNCTIONS(USHORT, )
REGISTER_FUNCTIONS(ULONG, )
REGISTER_FUNCTIONS(ULONG64, )
REGISTER_FUNCTIONS(UCHAR, NOFENCE_)
REGISTER_FUNCTIONS(USHORT, NOFENCE_)
REGISTER_FUNCTIONS(ULONG, NOFENCE_)
REGISTER_FUNCTIONS(ULONG64, NOFENCE_)

}  // extern "C"
