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

  static NTSTATUS present(IN_CONST_HANDLE context, INOUT_PDXGKARG_PRESENT args) {
    FakeMiniport& fake = self();
    if (auto status = fake.enter(Ddi::Present, std::to_string(args->SubRectCnt))) return *status;
    fake.find(context, "context", Ddi::Present);
    for (UINT i = 0; i <= DXGK_PRESENT_DESTINATION_INDEX; ++i) {
      HANDLE view = has_addresses() ? args->pAllocationInfo[i].hDeviceSpecificAllocation
                                    : args->pAllocationList[i].hDeviceSpecificAllocation;
      if (view) fake.find(view, "view", Ddi::Present);
    }
    return fake.present ? fake.present(*args) : write_parts(*args);
  }

  // A packet has the address of the source at 8 and that of the destination at 16.
  static NTSTATUS write_parts(DXGKARG_PRESENT& args) {
    const uint8_t* first = static_cast<uint8_t*>(args.pDmaBuffer);
    for (UINT i = 0; i < args.SubRectCnt; ++i) {
      auto* packet = static_cast<uint8_t*>(args.pDmaBuffer);
      std::memset(packet, 1, 32);
      for (UINT index : {DXGK_PRESENT_SOURCE_INDEX, DXGK_PRESENT_DESTINATION_INDEX}) {
        if (has_addresses() || !args.pAllocationList[index].hDeviceSpecificAllocation) continue;
        *args.pPatchLocationListOut = {};
        args.pPatchLocationListOut->AllocationIndex = index;
        args.pPatchLocationListOut->PatchOffset = static_cast<UINT>(packet - first) + 8 * index;
        ++args.pPatchLocationListOut;
      }
      args.pDmaBuffer = packet + 32;
    }
    return STATUS_SUCCESS;
  }
  static bool has_addresses() { return self().caps.MemoryManagementCaps.GpuMmuSupported; }

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

void FakeMiniport::fill_presenting() { table.DxgkDdiPresent = &RenderingDdis::present; }

}  // namespace dxgk::testing
