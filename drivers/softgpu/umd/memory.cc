// The driver's own operators: its heap is the C library's, and null is an answer.
#include <stdlib.h>

void* operator new(size_t bytes) { return calloc(1, bytes); }

void operator delete(void* block) noexcept { free(block); }
void operator delete(void* block, size_t) noexcept { free(block); }
