// Small utilities for drivers. A driver that has its own min and max defines NOMINMAX.
#pragma once
#pragma GCC system_header

#include "../shared/ntdef.h"
#include "stddef.h"

EXTERN_C_START
int abs(int value);
int atoi(const char* s);
#ifndef _KERNEL_MODE
// A user-mode driver's heap is the host's, never libc's: by their labels these can bind to nothing else.
void* malloc(size_t bytes) __asm__("DrydockMalloc");
void* calloc(size_t count, size_t bytes) __asm__("DrydockCalloc");
void* realloc(void* block, size_t bytes) __asm__("DrydockRealloc");
void free(void* block) __asm__("DrydockFree");
#endif
EXTERN_C_END

#ifndef NOMINMAX
#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif
#endif
