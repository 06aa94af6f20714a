// Keeps a note of each frame in paged pool, although frames that are not pageable are allocated at DISPATCH_LEVEL too.
// FIXED keeps it in pool that is not paged.
#include "skeleton.h"

#ifdef FIXED
#define NOTE_POOL POOL_FLAG_NON_PAGED
#else
#define NOTE_POOL POOL_FLAG_PAGED
#endif

static PVOID AllocateNoted(PVOID Context) {
  PVOID Note = ExAllocatePool2(NOTE_POOL, sizeof(PVOID), BAD_TAG);

  if (Note == NULL) return NULL;
  ExFreePoolWithTag(Note, BAD_TAG);
  return AllocateFrame(Context);
}

static VOID Replace(VOID) { Allocator.Allocate = AllocateNoted; }
