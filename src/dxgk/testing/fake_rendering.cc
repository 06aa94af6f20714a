#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "dxgk/testing/fake_miniport.h"

namespace dxgk::testing {

struct FakeMiniport::RenderingDdis {
  static FakeMiniport& self() { return *static_cast<FakeMiniport*>(FakeMiniport::context()); }

  static NTSTATUS render(IN_CONST_HANDLE context, INOUT_PDXGKARG_RENDER args) {
    FakeMiniport& fake = self();
    if (auto status = fake.enter(Ddi::Render, std::to_string(args->CommandLength))) return *status;
    fake.find(context, "context", Ddi::Render);
    find_views(args->pAllocationList, args->AllocationListSize, Ddi::Render);
    return fake.render ? fake.render(*args) : copy_commands(*args);
  }

  static NTSTATUS patch(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PATCH args) {
    FakeMiniport& fake = self();
    if (auto status = fake.enter(Ddi::Patch, range(*args))) return *status;
    if (args->hContext) fake.find(args->hContext, "context", Ddi::Patch);
    find_views(args->pAllocationList, args->AllocationListSize, Ddi::Patch);
    return fake.patch ? fake.patch(*args) : STATUS_SUCCESS;
  }

  static NTSTATUS submit_command(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SUBMITCOMMAND args) {
    FakeMiniport& fake = self();
    if (auto status = fake.enter(Ddi::SubmitCommand, range(*args))) return *status;
    if (args->hContext) fake.find(args->hContext, "context", Ddi::SubmitCommand);
    return fake.submit ? fake.submit(*args) : STATUS_SUCCESS;
  }

  static NTSTATUS copy_commands(DXGKARG_RENDER& args) {
    if (args.CommandLength > args.DmaSize || args.PatchLocationListInSize > args.PatchLocationListOutSize) {
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    if (args.CommandLength) std::memcpy(args.pDmaBuffer, args.pCommand, args.CommandLength);
    std::copy_n(args.pPatchLocationListIn, args.PatchLocationListInSize, args.pPatchLocationListOut);
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + args.CommandLength;
    args.pPatchLocationListOut += args.PatchLocationListInSize;
    return STATUS_SUCCESS;
  }

  template <typename Args>
  static std::string range(const Args& args) {
    return fmt::format("{}-{}", args.DmaBufferSubmissionStartOffset, args.DmaBufferSubmissionEndOffset);
  }

  // NULL elements aside.
  static void find_views(const DXGK_ALLOCATIONLIST* list, UINT count, Ddi ddi) {
    for (UINT i = 0; i < count; ++i) {
      if (list[i].hDeviceSpecificAllocation) self().find(list[i].hDeviceSpecificAllocation, "view", ddi);
    }
  }
};

void FakeMiniport::fill_rendering() {
  table.DxgkDdiRender = &RenderingDdis::render;
  table.DxgkDdiPatch = &RenderingDdis::patch;
  table.DxgkDdiSubmitCommand = &RenderingDdis::submit_command;
}

}  // namespace dxgk::testing
