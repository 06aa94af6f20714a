// For the drivers that deallocate a resource before the commands that use it have been submitted: those are dropped,
// and the GPU only gets to see their fence. Replace puts DestroyNow into the table, ReplaceCallbacks
// SubmitUnlessDropping.
#pragma once

#include "on_softgpu_d3d9.h"
#include "softgpu_cmd.h"

static BOOL Dropping;
static HANDLE RuntimeDevice;
static D3DDDICB_SUBMITCOMMAND Dropped;

static HRESULT APIENTRY SubmitUnlessDropping(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  if (!Dropping) return Runtime.pfnSubmitCommandCb(Device, Args);
  RuntimeDevice = Device;
  Dropped = *Args;
  return S_OK;
}

static VOID SubmitFence(VOID) {
  if (Dropped.CommandLength == 0) return;
  Dropped.Commands += Dropped.CommandLength - sizeof(SOFTGPU_SIGNAL);
  Dropped.CommandLength = sizeof(SOFTGPU_SIGNAL);
  Runtime.pfnSubmitCommandCb(RuntimeDevice, &Dropped);
  Dropped.CommandLength = 0;
}

static HRESULT APIENTRY DestroyNow(HANDLE Device, HANDLE Resource) {
  HRESULT Result = Good.pfnDestroyResource(Device, Resource);
#ifndef FIXED
  Dropping = TRUE;
  Good.pfnFlush(Device);
  Dropping = FALSE;
#endif
  SubmitFence();
  return Result;
}
