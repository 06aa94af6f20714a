#pragma once

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/work/dma_pass.h"

namespace dxgk {

class Context;
struct RenderCall;

// One call of DxgkDdiRender. On the stack of render(), with the mutex held.
class RenderPass {
 public:
  RenderPass(Context& context, const RenderCall& call, DmaContents& contents)
      : context_(context), call_(call), contents_(contents) {}

  // As DmaPass::judge. `multipass_offset` is the driver's from the second call on.
  base::Result<DmaPass::Outcome> make(UINT& multipass_offset);

 private:
  void describe(UINT multipass_offset);
  NTSTATUS call_driver();

  Context& context_;
  const RenderCall& call_;
  DmaContents& contents_;
  DXGKARG_RENDER args_{};
};

}  // namespace dxgk
