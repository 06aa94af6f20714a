// Whether DestroyDevice runs: it cannot return an error to the caller. Replace puts EndDevice into the table.
#pragma once

#include "on_softgpu_d3d9.h"

static BOOL Ending;

static HRESULT APIENTRY EndDevice(HANDLE Device) {
  HRESULT Result;
  Ending = TRUE;
  Result = Good.pfnDestroyDevice(Device);
  Ending = FALSE;
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnDestroyDevice = EndDevice; }
