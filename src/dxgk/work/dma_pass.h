#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/work/dma_buffer.h"
#include "nt/machine/machine_observer.h"

namespace dxgk {

class Context;

// What one call of DxgkDdiRender or DxgkDdiPresent did to the DMA buffer that it was given, and whether it may have. On
// the stack of the thread that calls the driver, with the mutex held.
class DmaPass {
 public:
  enum class Outcome : uint8_t { Done, OutOfRoom };
  struct Function {
    const char* name;
    const char* refused;  // the reason when the driver refuses
  };
  // Where the driver was before and after the call.
  struct Cursor {
    const void* dma;
    const D3DDDI_PATCHLOCATIONLIST* patches;
    UINT multipass_offset;
  };
  template <typename Args>
  static Cursor cursor_of(const Args& args) {
    return {args.pDmaBuffer, args.pPatchLocationListOut, args.MultipassOffset};
  }

  DmaPass(Context& context, DmaContents& contents, const Function& function)
      : context_(context), contents_(contents), function_(function) {}

  // A failure is the driver's refusal, or comes after a finding; nothing of this call counts then. Otherwise the
  // contents are filled as far as the driver says.
  base::Result<Outcome> judge(NTSTATUS status, const Cursor& before, const Cursor& after);

 private:
  base::Result<> check_guards();
  base::Result<> check_pointers(const Cursor& before, const Cursor& after);
  base::Result<> check_list();
  base::Failure report_violation(nt::Violation what, const std::string& what_it_did, const char* why);

  Context& context_;
  DmaContents& contents_;
  const Function& function_;
};

using DmaBuffers = std::vector<base::Ref<DmaContents>>;

// A driver that is not done after so many calls never will be (ours).
inline constexpr size_t kMostPasses = 256;
// Reports a finding, and returns the failure of the call.
base::Failure no_end(Context& context, const char* ddi);

// As many DMA buffers as the driver needs. `begin()` makes an empty one; `fill(contents, multipass_offset)` calls the
// driver, which keeps its own place in the offset. Empty buffers are left out.
template <typename Begin, typename Fill>
base::Result<DmaBuffers> fill_dma_buffers(Context& context, const char* ddi, Begin begin, Fill fill) {
  DmaBuffers made;
  UINT multipass_offset = 0;
  for (size_t passes = 0; passes < kMostPasses; ++passes) {
    base::Ref<DmaContents> contents = TRY(begin());
    DmaPass::Outcome outcome = TRY(fill(*contents, multipass_offset));
    if (contents->bytes != 0) made.push_back(std::move(contents));
    if (outcome == DmaPass::Outcome::Done) return made;
  }
  return no_end(context, ddi);
}

}  // namespace dxgk
