#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/work/dma_buffer.h"

namespace dxgk {

class Context;

// What D3DKMTRender asks for. The commands and the patch locations lie in the context's CommandBuffers, where the
// client can still change them; what is here are copies.
struct RenderCall {
  // The commands are the bytes from the offset up to the length, which counts from the buffer's first byte
  // (documented).
  uint32_t command_offset = 0;
  uint32_t command_length = 0;
  // No more than the lists of the context hold.
  std::span<const ListedAllocation> listed;
  std::span<const D3DDDI_PATCHLOCATIONLIST> patches;
  bool null_rendering = false;
};

// A client's allocation list: handles of the context's device, or 0. STATUS_INVALID_HANDLE for any other (US-01).
// With the mutex held.
base::Result<std::vector<ListedAllocation>> look_up(Context& context, std::span<const D3DDDI_ALLOCATIONLIST> list);

// A locked allocation can be used from where the CPU sees it: an aperture (US-03).
// STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION. With the mutex held.
base::Result<> judge_locks(Context& context, std::span<const ListedAllocation> listed);

// Lets the driver translate the commands (DxgkDdiRender), into as many DMA buffers as it needs, judges what it wrote,
// and queues that. All of it is queued, or nothing is. With the mutex held.
//
//   client's commands ── DxgkDdiRender ──► DmaContents… ── split() ──► a packet for each part ──► scheduler
base::Result<> render(Context& context, const RenderCall& call);

}  // namespace dxgk
