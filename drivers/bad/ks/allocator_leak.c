// Deletes its allocator and forgets its memory.
// FIXED frees it.
#include "skeleton.h"

static VOID Delete(PVOID Context) {
#ifdef FIXED
  DeleteAllocator(Context);
#else
  UNREFERENCED_PARAMETER(Context);
#endif
}

static VOID Replace(VOID) { Allocator.DeleteAllocator = Delete; }
