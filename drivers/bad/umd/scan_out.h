// The good driver shows no primary; this one lets the runtime have its primaries scanned out. Its wrong children say
// whether their memory is MARKED as a primary's, and LISTED with the commands that write to it.
#pragma once

#include "on_softgpu_d3d11.h"

static BOOL Displaying;           // what is being created
static HANDLE Displayed;          // by the runtime's handle, while it lives
static D3DKMT_HANDLE Allocation;  // that it has

static VOID APIENTRY CreateForDisplay(D3D10DDI_HDEVICE Device, const D3D11DDIARG_CREATERESOURCE* Args,
                                      D3D10DDI_HRESOURCE Resource, D3D10DDI_HRTRESOURCE Handle) {
  Displaying = Args->pPrimaryDesc != NULL;
  Good.pfnCreateResource(Device, Args, Resource, Handle);
  if (Displaying) Args->pPrimaryDesc->DriverFlags &= ~DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
  Displaying = FALSE;
}

static HRESULT APIENTRY AllocateForDisplay(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HRESULT Result;
  if (Displaying) Args->pAllocationInfo[0].Flags.Primary = MARKED;
  Result = Runtime.pfnAllocateCb(Device, Args);
  if (SUCCEEDED(Result) && Displaying) {
    Displayed = Args->hResource;
    Allocation = Args->pAllocationInfo[0].hAllocation;
  }
  return Result;
}

static HRESULT APIENTRY DeallocateDisplayed(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  if (Args->hResource == Displayed) Displayed = NULL;
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static HRESULT APIENTRY SubmitForDisplay(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  D3DDDICB_SUBMITCOMMAND Listing = *Args;
  if (Displayed != NULL && LISTED) Listing.WrittenPrimaries[Listing.NumPrimaries++] = Allocation;
  return Runtime.pfnSubmitCommandCb(Device, &Listing);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnCreateResource = CreateForDisplay; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {
  Table->pfnAllocateCb = AllocateForDisplay;
  Table->pfnDeallocate2Cb = DeallocateDisplayed;
  Table->pfnSubmitCommandCb = SubmitForDisplay;
}
