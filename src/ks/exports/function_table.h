#pragma once

#include "abi/ks/ks.h"

// What KSPROPERTY_STREAMALLOCATOR_FUNCTIONTABLE gives to kernel clients: frames at DISPATCH_LEVEL, without an IRP.
extern "C" {
NTSTATUS KStrAllocateFrame(PFILE_OBJECT FileObject, PVOID* Frame);
VOID KStrFreeFrame(PFILE_OBJECT FileObject, PVOID Frame);
}

namespace ks {

inline constexpr KSSTREAMALLOCATOR_FUNCTIONTABLE kFunctionTable = {&KStrAllocateFrame, &KStrFreeFrame};

}  // namespace ks
