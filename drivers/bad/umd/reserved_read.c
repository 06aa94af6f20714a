// Counts the levels of what has none.
// FIXED counts those of textures.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY CreateWithLevels(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  BOOL HasLevels = Args->Flags.Texture;
#ifndef FIXED
  HasLevels = TRUE;
#endif
  if (HasLevels && Args->MipLevels > Args->SurfCount) return E_INVALIDARG;
  return Good.pfnCreateResource2(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateWithLevels; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}
