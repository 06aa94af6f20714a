// Tells its other half where its own record of an allocation is, by a pointer.
// FIXED tells it by a number.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY AllocateWithRecord(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  static ULONGLONG Number;
#ifdef FIXED
  struct {
    ULONGLONG Record;
  } Data = {++Number};
#else
  struct {
    const VOID* Record;
  } Data = {Args->pAllocationInfo};
  ++Number;
#endif
  Args->pPrivateDriverData = &Data;
  Args->PrivateDriverDataSize = sizeof(Data);
  return Runtime.pfnAllocateCb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnAllocateCb = AllocateWithRecord; }
