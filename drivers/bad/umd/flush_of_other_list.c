// Deallocates a resource at once, and drops the draws that use it: a second context
// submits something else, with an empty list of allocations.
// FIXED submits the draws, and the other thing after them.
#include "on_softgpu_d3d9.h"
#include "softgpu_cmd.h"
#include "softgpu_regs.h"

// Of the device that was created last.
static HANDLE Owner;
static D3DDDICB_CREATECONTEXT First, Second;  // with the buffers that are lent
static BOOL Destroying;

static HRESULT APIENTRY CreateContexts(HANDLE Device, D3DDDICB_CREATECONTEXT* Args) {
  D3DDDICB_CREATECONTEXT Other = {.NodeOrdinal = SOFTGPU_ENGINE_RENDER, .EngineAffinity = 1};
  HRESULT Result = Runtime.pfnCreateContextCb(Device, &Other);
  if (SUCCEEDED(Result)) Result = Runtime.pfnCreateContextCb(Device, Args);
  if (FAILED(Result)) return Result;
  Owner = Device;
  First = *Args;
  Second = Other;
  return Result;
}

static HRESULT Render(D3DDDICB_CREATECONTEXT* Context, D3DDDICB_RENDER* Args) {
  HRESULT Result = Runtime.pfnRenderCb(Owner, Args);
  if (FAILED(Result)) return Result;
  Context->pCommandBuffer = Args->pNewCommandBuffer;
  Context->CommandBufferSize = Args->NewCommandBufferSize;
  Context->pAllocationList = Args->pNewAllocationList;
  Context->AllocationListSize = Args->NewAllocationListSize;
  Context->pPatchLocationList = Args->pNewPatchLocationList;
  Context->PatchLocationListSize = Args->NewPatchLocationListSize;
  return Result;
}

static HRESULT RenderNothing(VOID) {
  D3DDDICB_RENDER Args = {.CommandLength = sizeof(SOFTGPU_HEADER),
                          .NewCommandBufferSize = Second.CommandBufferSize,
                          .NewAllocationListSize = Second.AllocationListSize,
                          .NewPatchLocationListSize = Second.PatchLocationListSize,
                          .hContext = Second.hContext};
  *(SOFTGPU_HEADER*)Second.pCommandBuffer = softgpu_header(SOFTGPU_CMD_NOP, 0, sizeof(SOFTGPU_HEADER), 0);
  return Render(&Second, &Args);
}

static HRESULT APIENTRY RenderOther(HANDLE Device, D3DDDICB_RENDER* Args) {
  HRESULT Result;
  if (Device != Owner) return Runtime.pfnRenderCb(Device, Args);
  if (!Destroying) return Render(&First, Args);
#ifdef FIXED
  Result = Render(&First, Args);
  if (SUCCEEDED(Result)) Result = RenderNothing();
#else
  Result = RenderNothing();
  Args->pNewCommandBuffer = First.pCommandBuffer;
  Args->NewCommandBufferSize = First.CommandBufferSize;
  Args->pNewAllocationList = First.pAllocationList;
  Args->NewAllocationListSize = First.AllocationListSize;
  Args->pNewPatchLocationList = First.pPatchLocationList;
  Args->NewPatchLocationListSize = First.PatchLocationListSize;
#endif
  return Result;
}

static HRESULT APIENTRY DestroyNow(HANDLE Device, HANDLE Resource) {
  HRESULT Result = Good.pfnDestroyResource(Device, Resource);
  Destroying = TRUE;
  Good.pfnFlush(Device);
  Destroying = FALSE;
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnDestroyResource = DestroyNow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnCreateContextCb = CreateContexts;
  Table->pfnRenderCb = RenderOther;
}
