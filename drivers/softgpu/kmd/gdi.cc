// DxgkDdiRenderKm: GDI's commands. Copies and fills are all that the hardware can do; the rest GDI does by itself.
#include "blt.h"
#include "driver.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

// False if the list has no such allocation.
bool find_surface(const DXGKARG_RENDER& args, UINT index, Surface& surface) {
  if (index >= args.AllocationListSize) return false;
  const DXGK_ALLOCATIONLIST& listed = args.pAllocationList[index];
  const auto* view = static_cast<const View*>(listed.hDeviceSpecificAllocation);
  if (view == nullptr) return false;
  UINT64 physical = static_cast<UINT64>(listed.PhysicalAddress.QuadPart);
  surface = {view->allocation, listed.SegmentId != 0 ? softgpu_segment_address(listed.SegmentId, physical) : 0, index};
  return true;
}

NTSTATUS bit_blt(const DXGKARG_RENDER& args, const DXGK_GDIARG_BITBLT& command, Blt& blt) {
  Surface source, destination;
  if (command.Rop != DXGK_GDIROP_SRCCOPY) return STATUS_INVALID_PARAMETER;
  if (!find_surface(args, command.SrcAllocationIndex, source)) return STATUS_INVALID_HANDLE;
  if (!find_surface(args, command.DstAllocationIndex, destination)) return STATUS_INVALID_HANDLE;
  NTSTATUS status = STATUS_SUCCESS;
  for (UINT i = 0; i < command.NumSubRects && NT_SUCCESS(status); ++i) {
    status = blt.copy(source, command.SrcRect, destination, command.DstRect, command.pSubRects[i]);
  }
  return status;
}

NTSTATUS color_fill(const DXGKARG_RENDER& args, const DXGK_GDIARG_COLORFILL& command, Blt& blt) {
  Surface destination;
  if (command.Rop != DXGK_GDIROPCF_PATCOPY) return STATUS_INVALID_PARAMETER;
  if (!find_surface(args, command.DstAllocationIndex, destination)) return STATUS_INVALID_HANDLE;
  NTSTATUS status = STATUS_SUCCESS;
  for (UINT i = 0; i < command.NumSubRects && NT_SUCCESS(status); ++i) {
    status = blt.fill(destination, command.pSubRects[i], command.Color);
  }
  return status;
}

NTSTATUS draw_one(const DXGKARG_RENDER& args, const DXGK_RENDERKM_COMMAND& command, Blt& blt) {
  constexpr UINT kHead = FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command);
  switch (command.OpCode) {
    case DXGK_GDIOP_BITBLT:
      if (command.CommandSize < kHead + sizeof(DXGK_GDIARG_BITBLT)) return STATUS_INVALID_PARAMETER;
      return bit_blt(args, command.Command.BitBlt, blt);
    case DXGK_GDIOP_COLORFILL:
      if (command.CommandSize < kHead + sizeof(DXGK_GDIARG_COLORFILL)) return STATUS_INVALID_PARAMETER;
      return color_fill(args, command.Command.ColorFill, blt);
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

NTSTATUS draw(const DXGKARG_RENDER& args, Blt& blt) {
  const UCHAR* commands = static_cast<const UCHAR*>(args.pCommand);
  for (UINT at = 0; at < args.CommandLength;) {
    UINT room = args.CommandLength - at;
    if (room < FIELD_OFFSET(DXGK_RENDERKM_COMMAND, Command)) return STATUS_INVALID_PARAMETER;
    const auto& command = *reinterpret_cast<const DXGK_RENDERKM_COMMAND*>(commands + at);
    if (command.CommandSize > room) return STATUS_INVALID_PARAMETER;
    NTSTATUS status = draw_one(args, command, blt);
    if (!NT_SUCCESS(status)) return status;
    at += command.CommandSize;
  }
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS render_km(IN_CONST_HANDLE, INOUT_PDXGKARG_RENDER pRenderKmArgs) {
  PAGED_CODE();
  DXGKARG_RENDER& args = *pRenderKmArgs;
  Blt blt(args.pDmaBuffer, args.DmaSize, args.pPatchLocationListOut, args.PatchLocationListOutSize,
          args.MultipassOffset);
  NTSTATUS status = draw(args, blt);
  args.pDmaBuffer = blt.dma();
  args.pPatchLocationListOut = blt.patches();
  args.MultipassOffset = blt.rows();
  return status;
}

}  // namespace softgpu
