// Makes one texture for two that look alike, and counts its users.
// FIXED makes two.
#include "on_softgpu_d3d9.h"

static HANDLE Owner, Texture;
static UINT Users;
static D3DDDIARG_CREATERESOURCE2 Shape;
static D3DDDI_SURFACEINFO Surface;

static BOOL IsPlain(const D3DDDIARG_CREATERESOURCE2* Args) {
  return Args->Flags.Texture && !Args->Flags.RenderTarget && !Args->Flags.SharedResource && Args->SurfCount == 1 &&
         Args->Pool != D3DDDIPOOL_SYSTEMMEM;
}

static BOOL IsAlike(const D3DDDIARG_CREATERESOURCE2* Args) {
  return Args->Format == Shape.Format && Args->Pool == Shape.Pool && Args->Flags.Value == Shape.Flags.Value &&
         Args->pSurfList->Width == Surface.Width && Args->pSurfList->Height == Surface.Height;
}

static HRESULT APIENTRY CreateOrShare(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  BOOL Plain = IsPlain(Args);
  BOOL Alike = Plain && Users != 0 && Device == Owner && IsAlike(Args);
  HRESULT Result;
#ifdef FIXED
  Alike = FALSE;
#endif
  if (Alike) {
    ++Users;
    Args->hResource = Texture;
    return S_OK;
  }
  Result = Good.pfnCreateResource2(Device, Args);
  if (SUCCEEDED(Result) && Plain && Users == 0) {
    Users = 1;
    Owner = Device;
    Texture = Args->hResource;
    Shape = *Args;
    Surface = *Args->pSurfList;
  }
  return Result;
}

static HRESULT APIENTRY DestroyOrRelease(HANDLE Device, HANDLE Resource) {
  if (Resource == Texture && Users != 0 && --Users != 0) return S_OK;
  return Good.pfnDestroyResource(Device, Resource);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {
  Table->pfnCreateResource2 = CreateOrShare;
  Table->pfnDestroyResource = DestroyOrRelease;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}
