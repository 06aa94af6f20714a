// Debug output, breakpoints and assertions.
//
// DBG says which build it is, as for Windows: 0 is the free build, in which ASSERT, NT_ASSERT, KdPrint, KdBreakPoint
// and PAGED_CODE are nothing; any other value is the checked build, in which they are live. Policy: where DBG is not
// defined the build is checked (for Windows it would be free), because a broken assumption is worth a finding here.
#pragma once
#pragma GCC system_header

#include "wdm_types.h"

#ifndef DBG
#define DBG 1
#endif

#define DPFLTR_ERROR_LEVEL 0
#define DPFLTR_WARNING_LEVEL 1
#define DPFLTR_TRACE_LEVEL 2
#define DPFLTR_INFO_LEVEL 3
#define DPFLTR_MASK 0x80000000

// The documentation names the components and gives no numbers. These are ours, out of the way of any that are real.
enum {
  DPFLTR_SYSTEM_ID = 0x10000,
  DPFLTR_VIDEO_ID,
  DPFLTR_IHVDRIVER_ID,
  DPFLTR_IHVVIDEO_ID,
  DPFLTR_IHVAUDIO_ID,
  DPFLTR_IHVNETWORK_ID,
  DPFLTR_IHVSTREAMING_ID,
  DPFLTR_IHVBUS_ID,
  DPFLTR_DEFAULT_ID
};

typedef __builtin_va_list DRYDOCK_VA_LIST;

EXTERN_C_START

ULONG DbgPrint(PCSTR Format, ...);
ULONG DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...);
ULONG vDbgPrintEx(ULONG ComponentId, ULONG Level, PCCH Format, DRYDOCK_VA_LIST arglist);
ULONG vDbgPrintExWithPrefix(PCCH Prefix, ULONG ComponentId, ULONG Level, PCCH Format, DRYDOCK_VA_LIST arglist);
VOID DbgBreakPoint(VOID);
VOID RtlAssert(PVOID VoidFailedAssertion, PVOID VoidFileName, ULONG LineNumber, PSTR MutableMessage);

// Reports pageable code that runs at DISPATCH_LEVEL or above.
VOID DrydockPagedCode(VOID);

EXTERN_C_END

#define DRYDOCK_ASSERT(e, message) \
  ((e) ? TRUE                      \
       : (RtlAssert((PVOID)(ULONG_PTR) #e, (PVOID)(ULONG_PTR)__FILE__, __LINE__, (PSTR)(ULONG_PTR)(message)), FALSE))
#define NT_FRE_ASSERT(e) ((void)DRYDOCK_ASSERT(e, 0))  // "free": in every build

#if DBG
#define NT_ASSERT(e) ((void)DRYDOCK_ASSERT(e, 0))
#define NT_ASSERTMSG(message, e) ((void)DRYDOCK_ASSERT(e, message))
#define NT_VERIFY(e) DRYDOCK_ASSERT(e, 0)
#define NT_VERIFYMSG(message, e) DRYDOCK_ASSERT(e, message)
#define DRYDOCK_CHECKED_ASSERT(e) ((void)DRYDOCK_ASSERT(e, 0))
#define DRYDOCK_CHECKED_ASSERTMSG(message, e) ((void)DRYDOCK_ASSERT(e, message))
#define KdPrint(arguments) DbgPrint arguments
#define KdPrintEx(arguments) DbgPrintEx arguments
#define KdBreakPoint() DbgBreakPoint()
#define PAGED_CODE() DrydockPagedCode()
#else
#define NT_ASSERT(e) ((void)0)
#define NT_ASSERTMSG(message, e) ((void)0)
#define NT_VERIFY(e) ((e) ? TRUE : FALSE)  // what it looks at is still evaluated
#define NT_VERIFYMSG(message, e) ((e) ? TRUE : FALSE)
#define DRYDOCK_CHECKED_ASSERT(e) ((void)0)
#define DRYDOCK_CHECKED_ASSERTMSG(message, e) ((void)0)
#define KdPrint(arguments) ((void)0)
#define KdPrintEx(arguments) ((void)0)
#define KdBreakPoint() ((void)0)
#define PAGED_CODE() ((void)0)
#endif
#ifndef ASSERT
#define ASSERT(e) DRYDOCK_CHECKED_ASSERT(e)
#endif
#ifndef ASSERTMSG
#define ASSERTMSG(message, e) DRYDOCK_CHECKED_ASSERTMSG(message, e)
#endif

#define PAGED_CODE_LOCKED() ((void)0)
#define ALLOC_PRAGMA 1
