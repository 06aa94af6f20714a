#include "context_image.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

constexpr UINT kImageQuadwords = sizeof(SOFTGPU_CONTEXT_IMAGE) / 8;
constexpr UINT kLocalSet = 1u << (SOFTGPU_SEGMENT_LOCAL - 1);
constexpr UINT kApertureSet = 1u << (SOFTGPU_SEGMENT_APERTURE - 1);

// The three drivers keep it in three ways. With physical addresses it is wherever the memory manager puts it, and we
// follow it around. With virtual ones its address stays the same. The driver that only computes has it in system memory
// where the CPU sees it: for that it has to be protected and in aperture segments only.
void describe_image(DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  args.Size = SOFTGPU_PAGE_BYTES;
  args.Alignment = SOFTGPU_PAGE_BYTES;
  args.ContextAllocationFlags.MapGpuVirtualAddress = kGpuMmu;
  if constexpr (kComputeOnly) {
    args.SupportedSegmentSet = kApertureSet;
    args.PreferredSegment.SegmentId0 = SOFTGPU_SEGMENT_APERTURE;
    args.Flags.CpuVisible = 1;
    args.Flags.Protected = 1;
  } else {
    args.SupportedSegmentSet = kLocalSet | kApertureSet;
    args.PreferredSegment.SegmentId0 = SOFTGPU_SEGMENT_LOCAL;
    args.PreferredSegment.SegmentId1 = SOFTGPU_SEGMENT_APERTURE;
  }
}

// Null if the operation is about something else.
ContextImage* image_of(HANDLE allocation) {
  if (allocation == nullptr || *static_cast<AllocationKind*>(allocation) != AllocationKind::ContextImage)
    return nullptr;
  return static_cast<ContextImage*>(allocation);
}

UINT64 physical_address(UINT segment, LARGE_INTEGER address) {
  return softgpu_segment_address(segment, static_cast<UINT64>(address.QuadPart));
}

// Of one page, so that its pieces lie together in system memory too.
template <typename Place>
UINT64 address_of(const Place& place) {
  if (place.SegmentId != SOFTGPU_SEGMENT_SYSTEM) return physical_address(place.SegmentId, place.SegmentAddress);
  return softgpu_address(SOFTGPU_SPACE_SYSTEM, MmGetMdlPfnArray(place.pMdl)[0] * UINT64{SOFTGPU_PAGE_BYTES});
}

// Any quadwords can be written as entries are.
NTSTATUS write(CommandWriter& writer, UINT64 address, const void* content, UINT quadwords) {
  auto* packet = writer.add<SOFTGPU_WRITE_PTES>(SOFTGPU_CMD_WRITE_PTES, 0, quadwords, quadwords);
  if (packet == nullptr) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  packet->address = address;
  RtlCopyMemory(CommandWriter::behind(packet), content, quadwords * 8);
  return STATUS_SUCCESS;
}

void follow_transfer(const DXGKARG_BUILDPAGINGBUFFER& args) {
  ContextImage* image = image_of(args.Transfer.hAllocation);
  if (image == nullptr) return;
  const auto& to = args.Transfer.Destination;
  bool gone = to.SegmentId == SOFTGPU_SEGMENT_SYSTEM || args.Transfer.TransferSize == 0;
  image->address = gone ? 0 : physical_address(to.SegmentId, to.SegmentAddress);
}

// It may have gone elsewhere already.
void leave(HANDLE allocation, UINT64 address, UINT64 bytes) {
  ContextImage* image = image_of(allocation);
  if (image != nullptr && image->address >= address && image->address - address < bytes) image->address = 0;
}

}  // namespace

NTSTATUS create_image(Context& context, HANDLE dxgk_context) {
  const Adapter& adapter = *context.device->adapter;
  ContextImage* image = allocate<ContextImage>(POOL_FLAG_NON_PAGED);
  if (image == nullptr) return STATUS_NO_MEMORY;
  image->kind = AllocationKind::ContextImage;
  DXGKARGCB_CREATECONTEXTALLOCATION args = {};
  args.hAdapter = adapter.dxgk.DeviceHandle;
  args.hDevice = context.device->dxgk_device;
  args.hContext = dxgk_context;
  args.hDriverAllocation = image;
  describe_image(args);
  NTSTATUS status = adapter.dxgk.DxgkCbCreateContextAllocation(&args);
  if (NT_SUCCESS(status)) {
    image->dxgk_allocation = args.hAllocation;
    context.image = image;
    return STATUS_SUCCESS;
  }
  release(image);
  if (status == STATUS_NOT_SUPPORTED) return STATUS_SUCCESS;  // a host without context allocations: nothing is kept
  return STATUS_NO_MEMORY;
}

void destroy_image(Context& context) {
  const Adapter& adapter = *context.device->adapter;
  if (context.image == nullptr) return;
  adapter.dxgk.DxgkCbDestroyContextAllocation(adapter.dxgk.DeviceHandle, context.image->dxgk_allocation);
  release(context.image);
  context.image = nullptr;
}

NTSTATUS set_registers(const Context& context, UINT64 value) {
  if (!kGpuMmu || context.image == nullptr) return STATUS_NOT_SUPPORTED;
  SOFTGPU_CONTEXT_IMAGE content = {SOFTGPU_CONTEXT_MAGIC, {}};
  for (UINT64& one : content.registers) one = value;
  DXGKARGCB_UPDATECONTEXTALLOCATION args = {};
  args.hAllocation = context.image->dxgk_allocation;
  args.pPrivateDriverData = &content;
  args.PrivateDriverDataSize = sizeof(content);
  const DXGKRNL_INTERFACE& dxgk = context.device->adapter->dxgk;
  return dxgk.DxgkCbUpdateContextAllocation(dxgk.DeviceHandle, &args);
}

NTSTATUS init_image(const DXGKARG_BUILDPAGINGBUFFER& args, CommandWriter& writer) {
  const auto& init = args.InitContextResource;
  ContextImage* image = image_of(init.hAllocation);
  if (image == nullptr) return STATUS_SUCCESS;
  bool in_segment = init.Destination.SegmentId != SOFTGPU_SEGMENT_SYSTEM;
  UINT64 physical = in_segment ? address_of(init.Destination) : 0;
  image->address = kGpuMmu ? init.Destination.GpuVirtualAddress : physical;
  SOFTGPU_CONTEXT_IMAGE content = {SOFTGPU_CONTEXT_MAGIC, {}};
  if (init.Destination.VirtualAddress != nullptr) {
    RtlCopyMemory(init.Destination.VirtualAddress, &content, sizeof(content));
    return STATUS_SUCCESS;
  }
  return write(writer, address_of(init.Destination), &content, kImageQuadwords);
}

NTSTATUS update_image(const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION& update, CommandWriter& writer) {
  if (update.DriverPrivateDataSize != sizeof(SOFTGPU_CONTEXT_IMAGE))
    return STATUS_SUCCESS;  // not what set_registers() said
  return write(writer, update.ContextAllocation, update.pDriverPrivateData, kImageQuadwords);
}

// A virtual address follows by itself.
void follow_image(const DXGKARG_BUILDPAGINGBUFFER& args) {
  if constexpr (kGpuMmu) return;
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER:
      return follow_transfer(args);
    case DXGK_OPERATION_DISCARD_CONTENT: {
      const auto& discard = args.DiscardContent;
      return leave(discard.hAllocation, physical_address(discard.SegmentId, discard.SegmentAddress),
                   SOFTGPU_PAGE_BYTES);
    }
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT: {
      const auto& map = args.MapApertureSegment;
      ContextImage* image = image_of(map.hAllocation);
      if (image != nullptr) {
        image->address = softgpu_segment_address(map.SegmentId, map.OffsetInPages * UINT64{SOFTGPU_PAGE_BYTES});
      }
      return;
    }
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: {
      const auto& unmap = args.UnmapApertureSegment;
      return leave(unmap.hAllocation,
                   softgpu_segment_address(unmap.SegmentId, unmap.OffsetInPages * UINT64{SOFTGPU_PAGE_BYTES}),
                   unmap.NumberOfPages * UINT64{SOFTGPU_PAGE_BYTES});
    }
    default:
      return;
  }
}

}  // namespace softgpu
