#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/work/dma_buffer.h"

namespace dxgk {

class Context;

// What D3DKMTPresent asks for where there is no display: pixels from one allocation to another, or one colour.
struct PresentCall {
  // As the driver is shown them: the source at DXGK_PRESENT_SOURCE_INDEX, unless it is a fill, and the destination at
  // DXGK_PRESENT_DESTINATION_INDEX. All of the context's device.
  std::array<ListedAllocation, 3> listed;
  DXGK_PRESENTFLAGS flags{};
  uint32_t color = 0;
  RECT from{};
  RECT to{};
  std::span<const RECT> parts;  // of the destination, inside of `to`
  std::span<const uint8_t> private_data;
};

// Lets the driver write the commands (DxgkDdiPresent), into as many DMA buffers as it needs, judges what it wrote, and
// queues that like what DxgkDdiRender makes. All of it is queued, or nothing is. With the mutex held.
//
//                                                ┌─ patched ──► split() ──► DxgkDdiPatch, DxgkDdiSubmitCommand
//   present ── DxgkDdiPresent ──► DmaContents… ──┤
//                                                └─ virtual ──► DxgkDdiSubmitCommandVirtual, at the kernel's addresses
base::Result<> present(Context& context, const PresentCall& call);

}  // namespace dxgk
