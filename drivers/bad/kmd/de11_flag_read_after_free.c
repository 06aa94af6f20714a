// Calls the routine that frees a buffer, and then looks into the buffer whether it is to be freed.
// FIXED looks before it calls.
#include "on_softgpu.h"

typedef struct BUFFER {
  volatile BOOLEAN FreeWhenDone;
} BUFFER;

static VOID Done(BUFFER* Buffer) { ExFreePoolWithTag(Buffer, 'fuBD'); }

static NTSTATUS DestroyWithBuffer(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  BUFFER* Buffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(BUFFER), 'fuBD');
  if (Buffer != NULL) {
#ifdef FIXED
    BOOLEAN Free = Buffer->FreeWhenDone;
    Done(Buffer);
#else
    Done(Buffer);
    BOOLEAN Free = Buffer->FreeWhenDone;
#endif
    if (Free) ExFreePoolWithTag(Buffer, 'fuBD');
  }
  return Good.DxgkDdiDestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiDestroyAllocation = DestroyWithBuffer; }
