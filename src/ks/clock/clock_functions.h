#pragma once

#include "abi/ks/ks.h"

// What KSPROPERTY_CLOCK_FUNCTIONTABLE gives to kernel clients: the time at DISPATCH_LEVEL, without an IRP.
extern "C" {
LONGLONG KStrClockGetTime(PFILE_OBJECT FileObject);
LONGLONG KStrClockGetPhysicalTime(PFILE_OBJECT FileObject);
LONGLONG KStrClockGetCorrelatedTime(PFILE_OBJECT FileObject, PLONGLONG SystemTime);
LONGLONG KStrClockGetCorrelatedPhysicalTime(PFILE_OBJECT FileObject, PLONGLONG SystemTime);
}

namespace ks {

inline constexpr KSCLOCK_FUNCTIONTABLE kClockFunctions = {
    &KStrClockGetTime, &KStrClockGetPhysicalTime, &KStrClockGetCorrelatedTime, &KStrClockGetCorrelatedPhysicalTime};

}  // namespace ks
