// Keeps the memory of a shared resource until the end of the device.
// FIXED deallocates it in the Flush after its destruction.
#include "put_off.h"

static VOID APIENTRY CreateAndWatch(D3D10DDI_HDEVICE Device, const D3D11DDIARG_CREATERESOURCE* Args,
                                    D3D10DDI_HRESOURCE Resource, D3D10DDI_HRTRESOURCE Handle) {
  Good.pfnCreateResource(Device, Args, Resource, Handle);
  if ((Args->MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED) && PutOff.hResource == NULL) Watched = Handle.handle;
}

static VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE Device) {
  DeallocatePutOff();
  Good.pfnDestroyDevice(Device);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
  Table->pfnCreateResource = CreateAndWatch;
  Table->pfnDestroyDevice = DestroyDevice;
}
