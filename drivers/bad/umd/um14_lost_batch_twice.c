// Puts the batch that a lost device did not take into its list of lost ones a second time, and walks a list without an
// end from then on.
// FIXED puts it there once.
#include "on_softgpu_d3d9.h"

typedef struct BATCH {
  struct BATCH* Next;
} BATCH;

static BATCH Batch;
static BATCH* Lost;

static VOID Push(VOID) {
  Batch.Next = Lost;
  Lost = &Batch;
}

static HRESULT APIENTRY FlushAndCount(HANDLE Device) {
  static volatile UINT Count;
  HRESULT Result = Good.pfnFlush(Device);
  if (Result != D3DDDIERR_DEVICEREMOVED) return Result;
  if (Lost == NULL) {
    Push();
#ifndef FIXED
    Push();
#endif
  }
  for (BATCH* Each = Lost; Each != NULL; Each = Each->Next) ++Count;
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnFlush = FlushAndCount; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}
