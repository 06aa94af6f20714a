// Comes back from the deletion of its allocator at DISPATCH_LEVEL.
// FIXED lowers the IRQL again.
#include "skeleton.h"

static VOID DeleteRaised(PVOID Context) {
  KIRQL Irql;

  KeRaiseIrql(DISPATCH_LEVEL, &Irql);
  DeleteAllocator(Context);
#ifdef FIXED
  KeLowerIrql(Irql);
#endif
}

static VOID Replace(VOID) { Allocator.DeleteAllocator = DeleteRaised; }
