// Rundown protection: keeps an object while somebody uses it, and waits until nobody does.
#pragma once
#pragma GCC system_header

#include "wdm_types.h"

// Opaque to drivers; the meaning of Count is ours.
typedef struct _EX_RUNDOWN_REF {
  union {
    ULONG_PTR Count;
    PVOID Ptr;
  };
} EX_RUNDOWN_REF, *PEX_RUNDOWN_REF;

EXTERN_C_START

VOID ExInitializeRundownProtection(PEX_RUNDOWN_REF RunRef);
VOID ExReInitializeRundownProtection(PEX_RUNDOWN_REF RunRef);
BOOLEAN ExAcquireRundownProtection(PEX_RUNDOWN_REF RunRef);
BOOLEAN ExAcquireRundownProtectionEx(PEX_RUNDOWN_REF RunRef, ULONG Count);
VOID ExReleaseRundownProtection(PEX_RUNDOWN_REF RunRef);
VOID ExReleaseRundownProtectionEx(PEX_RUNDOWN_REF RunRef, ULONG Count);
VOID ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF RunRef);
VOID ExRundownCompleted(PEX_RUNDOWN_REF RunRef);

EXTERN_C_END
