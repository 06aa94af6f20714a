// Whether what is being created will be shared, for drivers that treat it in another way. Replace puts CreateAndKnow
// into the table.
#pragma once

#include "on_softgpu_d3d9.h"

static BOOL Sharing;

static HRESULT APIENTRY CreateAndKnow(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  HRESULT Result;
  Sharing = Args->Flags.SharedResource;
  Result = Good.pfnCreateResource2(Device, Args);
  Sharing = FALSE;
  return Result;
}
