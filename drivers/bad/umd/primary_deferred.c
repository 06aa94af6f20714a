// Keeps the memory of a primary until the next Flush.
// FIXED deallocates it before DestroyResource returns.
#include "put_off.h"

static VOID APIENTRY CreateAndWatch(D3D10DDI_HDEVICE Device, const D3D11DDIARG_CREATERESOURCE* Args,
                                    D3D10DDI_HRESOURCE Resource, D3D10DDI_HRTRESOURCE Handle) {
  Good.pfnCreateResource(Device, Args, Resource, Handle);
  if (Args->pPrimaryDesc != NULL && PutOff.hResource == NULL) Watched = Handle.handle;
}

static VOID APIENTRY Flush(D3D10DDI_HDEVICE Device) {
  Good.pfnFlush(Device);
  DeallocatePutOff();
}

static VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE Device) {
  DeallocatePutOff();
  Good.pfnDestroyDevice(Device);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
  Table->pfnCreateResource = CreateAndWatch;
  Table->pfnFlush = Flush;
  Table->pfnDestroyDevice = DestroyDevice;
}
