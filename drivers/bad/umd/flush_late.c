// Says of its commands that they write memory that it has just deallocated; when that fails, that they do not.
// FIXED deallocates the memory when the commands have been submitted.
#include "on_softgpu_d3d9.h"
#include "softgpu_user.h"

#define SCRATCH_BYTES 4096

static HRESULT Allocate(HANDLE Device, D3DKMT_HANDLE* Scratch) {
  SOFTGPU_ALLOCATION Memory = softgpu_buffer(SCRATCH_BYTES, 0, 0);
  D3DDDI_ALLOCATIONINFO Info = {.pPrivateDriverData = &Memory, .PrivateDriverDataSize = sizeof(Memory)};
  D3DDDICB_ALLOCATE Args = {.NumAllocations = 1, .pAllocationInfo = &Info};
  HRESULT Result = Runtime.pfnAllocateCb(Device, &Args);
  *Scratch = Info.hAllocation;
  return Result;
}

static HRESULT Deallocate(HANDLE Device, D3DKMT_HANDLE Scratch) {
  D3DDDICB_DEALLOCATE2 Args = {.NumAllocations = 1, .HandleList = &Scratch};
  return Runtime.pfnDeallocate2Cb(Device, &Args);
}

static HRESULT APIENTRY SubmitWithScratch(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  D3DDDICB_SUBMITCOMMAND Writing = *Args;
  D3DKMT_HANDLE Scratch;
  HRESULT Result = Allocate(Device, &Scratch);
  if (FAILED(Result)) return Result;
  Writing.WrittenPrimaries[Writing.NumPrimaries++] = Scratch;
#ifdef FIXED
  Result = Runtime.pfnSubmitCommandCb(Device, &Writing);
  Deallocate(Device, Scratch);
#else
  Deallocate(Device, Scratch);
  Result = Runtime.pfnSubmitCommandCb(Device, &Writing);
  if (FAILED(Result)) Result = Runtime.pfnSubmitCommandCb(Device, Args);
#endif
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnSubmitCommandCb = SubmitWithScratch; }
