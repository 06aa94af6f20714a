// What every part of d3dkmddi.h shares: the headers below it, the parameter spellings of the documentation, and limits.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"
#include "../shared/d3dkmthk.h"
#include "../shared/d3dukmdt.h"
#include "../shared/windef.h"
#include "wdm.h"

typedef HANDLE IN_HANDLE;
typedef const HANDLE IN_CONST_HANDLE;
typedef UINT IN_UINT;
typedef const UINT IN_CONST_UINT;

#define DXGK_MAX_ASYMETRICAL_PROCESSING_NODES 64
