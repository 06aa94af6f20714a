// Types that every noun of wdm.h shares: IRQLs, processors, opaque objects, memory and page helpers.
#pragma once
#pragma GCC system_header

#include "../shared/ntdef.h"
#include "../shared/ntstatus.h"

#ifdef __cplusplus
#define DRYDOCK_NORETURN [[noreturn]]
#define DRYDOCK_ALIGN(n) alignas(n)
#else
#define DRYDOCK_NORETURN _Noreturn
#define DRYDOCK_ALIGN(n) _Alignas(n)
#endif

// IRQLs, numbered as on x64. DIRQLs lie between DISPATCH_LEVEL and CLOCK_LEVEL.
#define PASSIVE_LEVEL 0
#define LOW_LEVEL 0
#define APC_LEVEL 1
#define DISPATCH_LEVEL 2
#define CLOCK_LEVEL 13
#define IPI_LEVEL 14
#define POWER_LEVEL 14
#define PROFILE_LEVEL 15
#define HIGH_LEVEL 15

typedef enum _MODE { KernelMode, UserMode, MaximumMode } MODE;

typedef struct _PROCESSOR_NUMBER {
  USHORT Group;
  UCHAR Number;
  UCHAR Reserved;
} PROCESSOR_NUMBER, *PPROCESSOR_NUMBER;

typedef struct _GROUP_AFFINITY {
  KAFFINITY Mask;
  USHORT Group;
  USHORT Reserved[3];
} GROUP_AFFINITY, *PGROUP_AFFINITY;

#define ALL_PROCESSOR_GROUPS 0xffff

// Objects a driver only holds pointers to; the host owns their storage and their fields.
typedef struct _KTHREAD KTHREAD, *PKTHREAD, *PRKTHREAD;
typedef struct _KTHREAD* PETHREAD;
typedef struct _EPROCESS *PEPROCESS, *PKPROCESS, *PRKPROCESS;
typedef struct _KINTERRUPT KINTERRUPT, *PKINTERRUPT;
typedef struct _IO_WORKITEM IO_WORKITEM, *PIO_WORKITEM;
typedef struct _OBJECT_TYPE* POBJECT_TYPE;
typedef struct _IRP IRP, *PIRP;
typedef struct _IO_STACK_LOCATION IO_STACK_LOCATION, *PIO_STACK_LOCATION;
typedef struct _FILE_OBJECT FILE_OBJECT, *PFILE_OBJECT;
typedef struct _DEVICE_OBJECT DEVICE_OBJECT, *PDEVICE_OBJECT;
typedef struct _DRIVER_OBJECT DRIVER_OBJECT, *PDRIVER_OBJECT;
typedef struct _CONTEXT* PCONTEXT;
typedef PVOID PSECURITY_DESCRIPTOR;

typedef struct _IO_STATUS_BLOCK {
  union {
    NTSTATUS Status;
    PVOID Pointer;
  };
  ULONG_PTR Information;
} IO_STATUS_BLOCK, *PIO_STATUS_BLOCK;

typedef struct _CLIENT_ID {
  HANDLE UniqueProcess;
  HANDLE UniqueThread;
} CLIENT_ID, *PCLIENT_ID;

#define PAGE_SIZE 0x1000
#define PAGE_SHIFT 12L
#define BYTES_TO_PAGES(size) (((size) >> PAGE_SHIFT) + (((size) & (PAGE_SIZE - 1)) != 0))
#define ROUND_TO_PAGES(size) (((ULONG_PTR)(size) + PAGE_SIZE - 1) & ~((ULONG_PTR)PAGE_SIZE - 1))
#define BYTE_OFFSET(va) ((ULONG)((LONG_PTR)(va) & (PAGE_SIZE - 1)))
#define PAGE_ALIGN(va) ((PVOID)((ULONG_PTR)(va) & ~((ULONG_PTR)PAGE_SIZE - 1)))
#define ADDRESS_AND_SIZE_TO_SPAN_PAGES(va, size) \
  ((ULONG)((((ULONG_PTR)(size)) >> PAGE_SHIFT) + ((BYTE_OFFSET(va) + BYTE_OFFSET(size) + PAGE_SIZE - 1) >> PAGE_SHIFT)))
#define ALIGN_DOWN_BY(length, alignment) ((ULONG_PTR)(length) & ~((ULONG_PTR)(alignment)-1))
#define ALIGN_UP_BY(length, alignment) ALIGN_DOWN_BY((ULONG_PTR)(length) + (alignment)-1, alignment)
#define ALIGN_UP(length, type) ALIGN_UP_BY(length, sizeof(type))
#define ALIGN_DOWN_POINTER_BY(address, alignment) ((PVOID)ALIGN_DOWN_BY(address, alignment))
#define ALIGN_UP_POINTER_BY(address, alignment) ((PVOID)ALIGN_UP_BY(address, alignment))

#define RtlCopyMemory(to, from, length) ((void)__builtin_memcpy((to), (from), (length)))
#define RtlCopyBytes RtlCopyMemory
#define RtlMoveMemory(to, from, length) ((void)__builtin_memmove((to), (from), (length)))
#define RtlZeroMemory(to, length) ((void)__builtin_memset((to), 0, (length)))
#define RtlZeroBytes RtlZeroMemory
#define RtlFillMemory(to, length, fill) ((void)__builtin_memset((to), (fill), (length)))
#define RtlFillBytes RtlFillMemory
#define RtlEqualMemory(a, b, length) (__builtin_memcmp((a), (b), (length)) == 0)
#define RtlCopyMemoryNonTemporal RtlCopyMemory

// A plain memset of dying memory may be optimised away; volatile stores may not.
FORCEINLINE PVOID RtlSecureZeroMemory(PVOID to, SIZE_T length) {
  volatile UCHAR* at = (volatile UCHAR*)to;
  for (SIZE_T i = 0; i < length; ++i) at[i] = 0;
  return to;
}

#define BooleanFlagOn(flags, flag) ((BOOLEAN)(((flags) & (flag)) != 0))
#define FlagOn(flags, flag) ((flags) & (flag))
#define SetFlag(flags, flag) ((flags) |= (flag))
#define ClearFlag(flags, flag) ((flags) &= ~(flag))
