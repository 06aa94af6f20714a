/* Destroys an allocation and renders with it.
 * FIXED renders first. */
#include <stddef.h>

#include "client.h"
#include "drivers/softgpu/proto/softgpu_build.h"

/* Fills the allocation; its address is patched. */
static void render(const D3DKMT_CREATECONTEXT* context, D3DKMT_HANDLE allocation) {
  SOFTGPU_BUILDER builder = softgpu_builder(context->pCommandBuffer, context->CommandBufferSize);
  D3DKMT_RENDER args = {.hContext = context->hContext, .AllocationCount = 1, .PatchLocationCount = 1};
  D3DDDI_ALLOCATIONLIST listed = {.hAllocation = allocation, .WriteOperation = 1};
  D3DDDI_PATCHLOCATIONLIST patch = {.PatchOffset = offsetof(SOFTGPU_FILL, destination)};
  softgpu_add_fill(&builder, 0, BYTES, 0);
  args.CommandLength = builder.used;
  context->pAllocationList[0] = listed;
  context->pPatchLocationList[0] = patch;
  D3DKMTRender(&args);
}

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, ALONE, 1);
  D3DKMT_CREATECONTEXT context = {.hDevice = device, .EngineAffinity = 1};
  D3DKMT_DESTROYCONTEXT end = {0};
  MUST(D3DKMTCreateContext(&context));
#ifdef FIXED
  render(&context, group.allocations[0]);
#endif
  destroy_list(device, group.allocations, 1);
#ifndef FIXED
  render(&context, group.allocations[0]);
#endif
  end.hContext = context.hContext;
  MUST(D3DKMTDestroyContext(&end));
}
