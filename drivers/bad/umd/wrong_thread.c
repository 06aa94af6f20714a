// Has one queue for all devices of what is to be deallocated, and works it off in the next Flush of whichever comes.
// FIXED has no such queue.
#include "on_softgpu_d3d9.h"

#define QUEUED 16

static struct {
  HANDLE By, Device;  // the same device to driver and runtime
  D3DDDICB_DEALLOCATE2 Args;
} Queue[QUEUED];
static UINT Queued;
static HANDLE Destroying;  // the device that is in DestroyResource

// By NULL: of all devices.
static VOID WorkOff(HANDLE By) {
  UINT Kept = 0;
  for (UINT i = 0; i < Queued; ++i) {
    if (By == NULL || Queue[i].By == By) {
      Runtime.pfnDeallocate2Cb(Queue[i].Device, &Queue[i].Args);
    } else {
      Queue[Kept++] = Queue[i];
    }
  }
  Queued = Kept;
}

static HRESULT APIENTRY DeallocateOrQueue(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
#ifndef FIXED
  if (Destroying != NULL && Queued < QUEUED && Args->hResource != NULL) {
    Queue[Queued].By = Destroying;
    Queue[Queued].Device = Device;
    Queue[Queued++].Args = *Args;
    return S_OK;
  }
#endif
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static HRESULT APIENTRY DestroyResource(HANDLE Device, HANDLE Resource) {
  HRESULT Result;
  Destroying = Device;
  Result = Good.pfnDestroyResource(Device, Resource);
  Destroying = NULL;
  return Result;
}

static HRESULT APIENTRY FlushAndWorkOff(HANDLE Device) {
  HRESULT Result = Good.pfnFlush(Device);
  WorkOff(NULL);
  return Result;
}

static HRESULT APIENTRY DestroyDevice(HANDLE Device) {
  WorkOff(Device);
  return Good.pfnDestroyDevice(Device);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {
  Table->pfnDestroyResource = DestroyResource;
  Table->pfnFlush = FlushAndWorkOff;
  Table->pfnDestroyDevice = DestroyDevice;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDeallocate2Cb = DeallocateOrQueue; }
