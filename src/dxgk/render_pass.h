#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/dma_buffer.h"
#include "nt/probe.h"

namespace dxgk {

class Context;
struct RenderCall;

// One call of DxgkDdiRender, and what the driver may and may not have done in it. On the stack of render(), inside of
// the gate.
class RenderPass {
 public:
  enum class Outcome : uint8_t { Done, OutOfRoom };

  RenderPass(Context& context, const RenderCall& call, DmaContents& contents)
      : context_(context), call_(call), contents_(contents) {}

  // A failure is the driver's refusal, or comes after a finding; nothing of this call counts then. Otherwise the
  // contents are filled as far as the driver says. `multipass_offset` is the driver's from the second call on.
  base::Result<Outcome> make(UINT& multipass_offset);

 private:
  void describe(UINT multipass_offset);
  NTSTATUS call_driver();
  base::Result<> check_pointers();
  base::Result<> check_guards();
  base::Result<> check_list();
  base::Result<Outcome> judge(NTSTATUS status);
  base::Failure broke(nt::Broke what, const std::string& what_it_did, const char* why);

  Context& context_;
  const RenderCall& call_;
  DmaContents& contents_;
  DXGKARG_RENDER args_{};
  DXGKARG_RENDER given_{};  // … before the call
};

}  // namespace dxgk
