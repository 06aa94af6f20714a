// Takes memory that is on its way for memory that it did not get, and fails.
// FIXED waits for it.
#include "on_softgpu_d3d9.h"

static HRESULT Residency;

static HRESULT APIENTRY MakeResident(HANDLE Device, D3DDDI_MAKERESIDENT* Args) {
  HRESULT Result = Runtime.pfnMakeResidentCb(Device, Args);
#ifndef FIXED
  if (FAILED(Result)) Residency = Result;
#endif
  return Result;
}

static HRESULT APIENTRY Fill(HANDLE Device, const D3DDDIARG_COLORFILL* Args) {
  HRESULT Result;
  Residency = S_OK;
  Result = Good.pfnColorFill(Device, Args);
  return FAILED(Residency) ? Residency : Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnColorFill = Fill; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnMakeResidentCb = MakeResident; }
