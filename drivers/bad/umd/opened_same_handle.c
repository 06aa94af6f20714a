// Opens a second time what it has open already with the handle of the first, and gives both back at the end.
// FIXED takes another handle.
#include "on_softgpu_d3d9.h"

static HANDLE Owner, View;
static HANDLE First, Second;  // the runtime's handles

static HRESULT APIENTRY OpenOnce(HANDLE Device, D3DDDIARG_OPENRESOURCE* Args) {
  HANDLE Handle = Args->hResource;
  BOOL Again = View != NULL && Device == Owner && Second == NULL;
  HRESULT Result;
#ifdef FIXED
  Again = FALSE;
#endif
  if (Again) {
    Second = Handle;
    Args->hResource = View;
    return S_OK;
  }
  Result = Good.pfnOpenResource(Device, Args);
  if (SUCCEEDED(Result)) Owner = Device, First = Handle, View = Args->hResource;
  return Result;
}

static HRESULT APIENTRY DestroyInTheEnd(HANDLE Device, HANDLE Resource) {
  static BOOL Once;
  if (Resource == View && Second != NULL && !Once) {
    Once = TRUE;
    return S_OK;
  }
  if (Resource == View) View = NULL;
  return Good.pfnDestroyResource(Device, Resource);
}

static HRESULT APIENTRY DeallocateBoth(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  if (Second != NULL && Args->hResource == First) {
    D3DDDICB_DEALLOCATE2 Other = {.hResource = Second, .Flags = Args->Flags};
    Second = NULL;
    Runtime.pfnDeallocate2Cb(Device, &Other);
  }
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {
  Table->pfnOpenResource = OpenOnce;
  Table->pfnDestroyResource = DestroyInTheEnd;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDeallocate2Cb = DeallocateBoth; }
