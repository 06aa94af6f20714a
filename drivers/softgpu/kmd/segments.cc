// The memory segments, in the order of their numbers: local memory, all of it visible to the CPU; and the aperture.
// Both may be smaller than the hardware's (settings.h). Both begin at 0 for the GPU, since an address always comes with
// its segment. Paging buffers (segment 0) are contiguous system memory.
#include "caps.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

constexpr UINT kSegments = 2;

template <typename Descriptor>
void describe_local(const Adapter& adapter, Descriptor& descriptor) {
  descriptor = {};
  descriptor.Flags.CpuVisible = 1;
  descriptor.CpuTranslatedAddress = adapter.local_base;
  descriptor.Size = static_cast<SIZE_T>(adapter.local_bytes);
  descriptor.CommitLimit = descriptor.Size;
}

template <typename Descriptor>
void describe_aperture(const Adapter& adapter, Descriptor& descriptor) {
  descriptor = {};
  descriptor.Flags.Aperture = 1;
  descriptor.Flags.CacheCoherent = 1;
  descriptor.Size = static_cast<SIZE_T>(adapter.aperture_bytes);
  descriptor.CommitLimit = descriptor.Size;
}

template <typename Out>
void fill_counts(Out& out) {
  out.NbSegment = kSegments;
  out.PagingBufferSegmentId = SOFTGPU_SEGMENT_SYSTEM;
  out.PagingBufferSize = kPagingBufferBytes;
  out.PagingBufferPrivateDataSize = 0;
}

}  // namespace

NTSTATUS query_segments(const Adapter& adapter, DXGK_QUERYSEGMENTOUT3& out) {
  if (out.pSegmentDescriptor == nullptr) {
    fill_counts(out);
    return STATUS_SUCCESS;
  }
  if (out.NbSegment < kSegments) return STATUS_INVALID_PARAMETER;
  fill_counts(out);
  describe_local(adapter, out.pSegmentDescriptor[SOFTGPU_SEGMENT_LOCAL - 1]);
  describe_aperture(adapter, out.pSegmentDescriptor[SOFTGPU_SEGMENT_APERTURE - 1]);
  return STATUS_SUCCESS;
}

// The first time nothing but NbSegment is to be touched. The caller's descriptors may be longer than those that this
// driver knows.
NTSTATUS query_segments(const Adapter& adapter, DXGK_QUERYSEGMENTOUT4& out) {
  if (out.NbSegment == 0) {
    out.NbSegment = kSegments;
    return STATUS_SUCCESS;
  }
  if (out.NbSegment < kSegments || out.SegmentDescriptorStride < sizeof(DXGK_SEGMENTDESCRIPTOR4)) {
    return STATUS_INVALID_PARAMETER;
  }
  fill_counts(out);
  BYTE* at = out.pSegmentDescriptor;
  auto& local = *reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(at);
  auto& aperture = *reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(at + out.SegmentDescriptorStride);
  describe_local(adapter, local);
  local.Flags.ApplicationTarget = 1;
  local.Flags.LocalBudgetGroup = 1;
  describe_aperture(adapter, aperture);
  aperture.Flags.NonLocalBudgetGroup = 1;
  return STATUS_SUCCESS;
}

}  // namespace softgpu
