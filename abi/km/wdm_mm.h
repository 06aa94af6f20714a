// Memory: mapped device space, contiguous memory, address checks, and the register accessors.
#pragma once
#pragma GCC system_header

#include "wdm_types.h"

typedef enum _MEMORY_CACHING_TYPE {
  MmNonCached,
  MmCached,
  MmWriteCombined,
  MmHardwareCoherentCached,
  MmNonCachedUnordered,
  MmUSWCCached,
  MmMaximumCacheType,
  MmNotMapped = -1
} MEMORY_CACHING_TYPE;

#define PAGE_NOACCESS 0x01
#define PAGE_READONLY 0x02
#define PAGE_READWRITE 0x04
#define PAGE_WRITECOPY 0x08
#define PAGE_EXECUTE 0x10
#define PAGE_EXECUTE_READ 0x20
#define PAGE_EXECUTE_READWRITE 0x40
#define PAGE_GUARD 0x100
#define PAGE_NOCACHE 0x200
#define PAGE_WRITECOMBINE 0x400

// The first address beyond the 128 TB that the documentation gives a 64-bit process. Host, driver and client share one
// address space, all of it below: comparing with this tells nothing here. The values are ours.
#define MM_USER_PROBE_ADDRESS ((ULONG_PTR)0x0000800000000000ULL)
#define MmUserProbeAddress MM_USER_PROBE_ADDRESS

// Any node of a machine with several; there is one here.
#define MM_ANY_NODE_OK 0x80000000
typedef ULONG NODE_REQUIREMENT;

EXTERN_C_START

PVOID MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE CacheType);
PVOID MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, ULONG Protect);
VOID MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes);
BOOLEAN MmIsAddressValid(PVOID VirtualAddress);
PHYSICAL_ADDRESS MmGetPhysicalAddress(PVOID BaseAddress);
PVOID MmAllocateContiguousMemory(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS HighestAcceptableAddress);
PVOID MmAllocateContiguousMemorySpecifyCache(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
                                             PHYSICAL_ADDRESS HighestAcceptableAddress,
                                             PHYSICAL_ADDRESS BoundaryAddressMultiple, MEMORY_CACHING_TYPE CacheType);
PVOID MmAllocateContiguousMemorySpecifyCacheNode(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                 PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                 PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                 MEMORY_CACHING_TYPE CacheType, NODE_REQUIREMENT PreferredNode);
PVOID MmAllocateContiguousNodeMemory(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
                                     PHYSICAL_ADDRESS HighestAcceptableAddress,
                                     PHYSICAL_ADDRESS BoundaryAddressMultiple, ULONG Protect,
                                     NODE_REQUIREMENT PreferredNode);
VOID MmFreeContiguousMemory(PVOID BaseAddress);
VOID MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE CacheType);
PVOID MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName);

VOID ProbeForRead(const volatile VOID* Address, SIZE_T Length, ULONG Alignment);
VOID ProbeForWrite(volatile VOID* Address, SIZE_T Length, ULONG Alignment);

#define DRYDOCK_DECLARE_REGISTER(T, kind)                                                 \
  T READ_REGISTER_##kind(volatile T* Register);                                           \
  VOID WRITE_REGISTER_##kind(volatile T* Register, T Value);                              \
  VOID READ_REGISTER_BUFFER_##kind(volatile T* Register, T* Buffer, ULONG Count);         \
  VOID WRITE_REGISTER_BUFFER_##kind(volatile T* Register, T* Buffer, ULONG Count);        \
  T READ_REGISTER_NOFENCE_##kind(volatile T* Register);                                   \
  VOID WRITE_REGISTER_NOFENCE_##kind(volatile T* Register, T Value);                      \
  VOID READ_REGISTER_NOFENCE_BUFFER_##kind(volatile T* Register, T* Buffer, ULONG Count); \
  VOID WRITE_REGISTER_NOFENCE_BUFFER_##kind(volatile T* Register, T* Buffer, ULONG Count)

DRYDOCK_DECLARE_REGISTER(UCHAR, UCHAR);
DRYDOCK_DECLARE_REGISTER(USHORT, USHORT);
DRYDOCK_DECLARE_REGISTER(ULONG, ULONG);
DRYDOCK_DECLARE_REGISTER(ULONG64, ULONG64);

EXTERN_C_END
