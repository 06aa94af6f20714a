// Small utilities for drivers. A driver that has its own min and max defines NOMINMAX.
#pragma once
#pragma GCC system_header

#include "../shared/ntdef.h"
#include "stddef.h"

EXTERN_C_START
int abs(int value);
int atoi(const char* s);
EXTERN_C_END

#ifndef NOMINMAX
#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif
#endif
