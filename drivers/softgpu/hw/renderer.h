#pragma once

#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/hw/pixel_pipe.h"
#include "softgpu/hw/rasterizer.h"
#include "softgpu/hw/vertex_fetcher.h"
#include "softgpu/proto/softgpu_draw.h"

namespace softgpu {

// Runs DRAW packets. Its parts are mostly scratch memory, so that drawing allocates none. Owned by the command
// processor; keeps nothing from one packet to the next.
//
//   VertexFetcher ──► primitives ──► Rasterizer (Polygon::clip) ──► spans ──► PixelPipe (TextureSampler, blend)
class Renderer {
 public:
  explicit Renderer(Memory& memory) : fetcher_(memory), pipe_(memory), rasterizer_(pipe_) {}
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // The packet is well formed. One that turns out to be too much work is SOFTGPU_FAULT_COMMAND.
  [[nodiscard]] Outcome run(const SOFTGPU_DRAW& draw, const View& view);

 private:
  [[nodiscard]] Outcome assemble(const SOFTGPU_DRAW& draw);
  [[nodiscard]] Outcome points(const SOFTGPU_DRAW& draw);
  [[nodiscard]] Outcome lines(const SOFTGPU_DRAW& draw);
  [[nodiscard]] Outcome triangles(const SOFTGPU_DRAW& draw);
  [[nodiscard]] Outcome draw_triangle(const SOFTGPU_DRAW& draw, const Vertex& a, const Vertex& b, const Vertex& c);

  VertexFetcher fetcher_;
  PixelPipe pipe_;
  Rasterizer rasterizer_;
};

}  // namespace softgpu
