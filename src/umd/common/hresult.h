#pragma once

#include "abi/shared/ntdef.h"
#include "abi/shared/winerror.h"

namespace umd {

// The HRESULT of a callback for the kernel's status. The only place where a status becomes a result.
HRESULT to_hresult(NTSTATUS status);

// "E_INVALIDARG", or its number.
const char* name_of(HRESULT result);

}  // namespace umd
