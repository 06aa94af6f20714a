#pragma once

#include "abi/shared/ntdef.h"
#include "abi/shared/winerror.h"

namespace umd {

// What a callback of the runtime returns for what the kernel answered. The one place where a status becomes a result.
HRESULT to_hresult(NTSTATUS status);

// "E_INVALIDARG", or its number.
const char* name_of(HRESULT result);

}  // namespace umd
