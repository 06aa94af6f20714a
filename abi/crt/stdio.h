// Formatting for drivers, with the formats of Windows.
#pragma once
#pragma GCC system_header

#include "drydock_crt.h"
#include "stdarg.h"
#include "stddef.h"
#include "wchar.h"

#define sprintf DrydockSprintf
#define _snprintf DrydockSnprintf
#define _vsnprintf DrydockVsnprintf
