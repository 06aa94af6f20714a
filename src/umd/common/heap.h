#pragma once

#include <cstddef>

// The C library's heap as a user-mode driver finds it (abi/crt/stdlib.h binds malloc, free and so on to these). Its
// blocks are the machine's: guarded, kept back after they are freed, made to fail on request, and counted when the
// adapter is closed.
extern "C" {
void* DrydockMalloc(size_t bytes);
void* DrydockCalloc(size_t count, size_t bytes);
void* DrydockRealloc(void* block, size_t bytes);
void DrydockFree(void* block);
}
