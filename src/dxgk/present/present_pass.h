#pragma once

#include <array>

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/work/dma_pass.h"

namespace dxgk {

class Context;
struct PresentCall;

// One call of DxgkDdiPresent. On the stack of present(), with the mutex held.
class PresentPass {
 public:
  PresentPass(Context& context, const PresentCall& call, DmaContents& contents)
      : context_(context), call_(call), contents_(contents) {}

  // As DmaPass::judge. `multipass_offset` is the driver's from the second call on.
  base::Result<DmaPass::Outcome> make(UINT& multipass_offset);

 private:
  void describe(UINT multipass_offset);
  std::array<DXGK_PRESENTALLOCATIONINFO, 3> allocation_infos() const;
  NTSTATUS call_driver();

  Context& context_;
  const PresentCall& call_;
  DmaContents& contents_;
  DXGKARG_PRESENT args_{};
};

}  // namespace dxgk
