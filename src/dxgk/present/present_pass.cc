#include "dxgk/present/present_pass.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/present/present.h"

namespace dxgk {
namespace {

constexpr DmaPass::Function kPresent{"DxgkDdiPresent", "the driver refused to present (DxgkDdiPresent)"};

template <typename T>
std::span<const uint8_t> bytes_of(std::span<const T> elements) {
  return {reinterpret_cast<const uint8_t*>(elements.data()), elements.size_bytes()};
}

}  // namespace

base::Result<DmaPass::Outcome> PresentPass::make(UINT& multipass_offset) {
  describe(multipass_offset);
  DmaPass::Cursor before = DmaPass::cursor_of(args_);
  NTSTATUS status = call_driver();
  DmaPass pass(context_, contents_, kPresent);
  DmaPass::Outcome outcome = TRY(pass.judge(status, before, DmaPass::cursor_of(args_)));
  multipass_offset = args_.MultipassOffset;
  return outcome;
}

void PresentPass::describe(UINT multipass_offset) {
  DmaMemory& memory = contents_.memory();
  contents_.locate(context_.adapter().memory());
  args_.pDmaBuffer = memory.data();
  args_.DmaSize = memory.sizes().bytes;
  args_.pDmaBufferPrivateData = memory.private_data();
  args_.DmaBufferPrivateDataSize = memory.sizes().private_bytes;
  args_.pPatchLocationListOut = memory.patches();
  args_.PatchLocationListOutSize = memory.sizes().patches;
  args_.MultipassOffset = multipass_offset;
  args_.Color = call_.color;
  args_.DstRect = call_.to;
  args_.SrcRect = call_.from;
  args_.SubRectCnt = static_cast<UINT>(call_.parts.size());
  args_.Flags = call_.flags;
  args_.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(memory.physical());
  args_.DmaBufferGpuVirtualAddress = memory.gpu_address;
  args_.NumSrcAllocations = call_.listed[DXGK_PRESENT_SOURCE_INDEX].view ? 1 : 0;
  args_.NumDstAllocations = 1;
  args_.PrivateDriverDataSize = static_cast<UINT>(call_.private_data.size());
}

// With virtual addresses the list has another shape. No page says where its elements stand: where those of the
// documented list do (ours).
std::array<DXGK_PRESENTALLOCATIONINFO, 3> PresentPass::allocation_infos() const {
  std::array<DXGK_PRESENTALLOCATIONINFO, 3> infos{};
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!call_.listed[i].view) continue;
    const DXGK_ALLOCATIONLIST& located = contents_.list()[i];
    infos[i].hDeviceSpecificAllocation = located.hDeviceSpecificAllocation;
    infos[i].AllocationVirtualAddress = (*call_.listed[i].view)->present_address;
    infos[i].PhysicalAddress = located.PhysicalAddress;
    infos[i].SegmentId = static_cast<WORD>(located.SegmentId);
  }
  return infos;
}

NTSTATUS PresentPass::call_driver() {
  nt::Machine& machine = context_.device().machine();
  std::array<DXGK_PRESENTALLOCATIONINFO, 3> infos = allocation_infos();
  CallBuffer shown_infos(machine, bytes_of(std::span<const DXGK_PRESENTALLOCATIONINFO>(infos)));
  ConstCallBuffer parts(machine, bytes_of(call_.parts));
  CallBuffer private_data(machine, call_.private_data);
  if (context_.virtual_addressing()) {
    args_.pAllocationInfo = static_cast<DXGK_PRESENTALLOCATIONINFO*>(shown_infos.data());
  } else {
    args_.pAllocationList = contents_.list().data();
  }
  args_.pDstSubRects = static_cast<const RECT*>(parts.data());
  args_.pPrivateDriverData = call_.private_data.empty() ? nullptr : private_data.data();
  ThreadContext thread(&context_.device().process());
  NTSTATUS status = context_.adapter().miniport().call(Ddi::Present, &DRIVER_INITIALIZATION_DATA::DxgkDdiPresent,
                                                       &context_.scope(), context_.driver_context(), &args_);
  parts.check_unchanged("DxgkDdiPresent", "pDstSubRects");
  return status;
}

}  // namespace dxgk
