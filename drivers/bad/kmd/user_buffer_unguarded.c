// Looks at the first command of a client without expecting that it cannot be read.
// FIXED expects that.
#include "on_softgpu.h"

static volatile UCHAR FirstByte;

static NTSTATUS LookAndRender(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
  const volatile UCHAR* Commands = Args->pCommand;
#ifdef FIXED
  __try {
    if (Args->CommandLength != 0) FirstByte = *Commands;
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    return STATUS_INVALID_USER_BUFFER;
  }
#else
  if (Args->CommandLength != 0) FirstByte = *Commands;
#endif
  return Good.DxgkDdiRender(Context, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRender = LookAndRender; }
