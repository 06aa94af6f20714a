// Offers a texture while commands that use it wait to be flushed, and takes it back.
// FIXED leaves it alone.
#include "on_softgpu_d3d9.h"

static HANDLE Target, RuntimeTarget;  // one handle of the driver, one of the runtime
static BOOL Filled;

static HRESULT APIENTRY CreateTarget(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  HANDLE Handle = Args->hResource;
  HRESULT Result = Good.pfnCreateResource2(Device, Args);
  if (SUCCEEDED(Result) && Args->Flags.RenderTarget) Target = Args->hResource, RuntimeTarget = Handle;
  return Result;
}

static HRESULT APIENTRY DestroyTarget(HANDLE Device, HANDLE Resource) {
  if (Resource == Target) Target = NULL;
  return Good.pfnDestroyResource(Device, Resource);
}

static HRESULT APIENTRY Fill(HANDLE Device, const D3DDDIARG_COLORFILL* Args) {
  Filled = Args->hResource == Target;
  return Good.pfnColorFill(Device, Args);
}

static HRESULT APIENTRY OfferAndFlush(HANDLE Device) {
#ifndef FIXED
  if (Target != NULL && Filled) {
    D3DDDICB_OFFERALLOCATIONS Offer = {.pResources = &RuntimeTarget, .NumAllocations = 1};
    D3DDDICB_RECLAIMALLOCATIONS Reclaim = {.pResources = &RuntimeTarget, .NumAllocations = 1};
    Offer.Priority = D3DDDI_OFFER_PRIORITY_LOW;
    Runtime.pfnOfferAllocationsCb(LastDevice, &Offer);
    Runtime.pfnReclaimAllocationsCb(LastDevice, &Reclaim);
  }
#endif
  Filled = FALSE;
  return Good.pfnFlush(Device);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {
  Table->pfnCreateResource2 = CreateTarget;
  Table->pfnDestroyResource = DestroyTarget;
  Table->pfnColorFill = Fill;
  Table->pfnFlush = OfferAndFlush;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}
