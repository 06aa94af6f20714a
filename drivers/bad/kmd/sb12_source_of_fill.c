// Looks at the source of every present; a fill has none.
// FIXED looks at that of copies.
#include "on_softgpu.h"

static volatile UCHAR FirstByte;

static NTSTATUS PresentAndLook(IN_CONST_HANDLE Context, INOUT_PDXGKARG_PRESENT Args) {
  const volatile UCHAR* Source = Args->pAllocationInfo[DXGK_PRESENT_SOURCE_INDEX].hDeviceSpecificAllocation;
#ifdef FIXED
  if (Args->Flags.Blt)
#endif
    FirstByte = *Source;
  return Good.DxgkDdiPresent(Context, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiPresent = PresentAndLook; }
