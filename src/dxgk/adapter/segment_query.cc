// The memory segments of a driver: asked for their number, then for their descriptions.
#include <fmt/format.h>

#include "base/planted.h"
#include "dxgk/adapter/adapter_start.h"
#include "dxgk/ddi/call_buffer.h"

namespace dxgk {
namespace {

template <typename Descriptor>
Segment common(const Descriptor& from, uint32_t id) {
  return {.id = id,
          .base = static_cast<uint64_t>(from.BaseAddress.QuadPart),
          .cpu_base = from.Flags.CpuVisible ? static_cast<uint64_t>(from.CpuTranslatedAddress.QuadPart) : 0,
          .size = from.Size,
          .commit_limit = from.CommitLimit,
          .aperture = from.Flags.Aperture != 0,
          .cpu_visible = from.Flags.CpuVisible != 0,
          .cache_coherent = from.Flags.CacheCoherent != 0,
          .flags = from.Flags};
}

// The three generations of the query.
struct First {
  static constexpr DXGK_QUERYADAPTERINFOTYPE kType = DXGKQAITYPE_QUERYSEGMENT;
  using In = DXGK_QUERYSEGMENTIN;
  using Out = DXGK_QUERYSEGMENTOUT;
  using Descriptor = DXGK_SEGMENTDESCRIPTOR;
};
struct Third {
  static constexpr DXGK_QUERYADAPTERINFOTYPE kType = DXGKQAITYPE_QUERYSEGMENT3;
  using In = DXGK_QUERYSEGMENTIN;
  using Out = DXGK_QUERYSEGMENTOUT3;
  using Descriptor = DXGK_SEGMENTDESCRIPTOR3;
};
struct Fourth {
  static constexpr DXGK_QUERYADAPTERINFOTYPE kType = DXGKQAITYPE_QUERYSEGMENT4;
  using In = DXGK_QUERYSEGMENTIN4;
  using Out = DXGK_QUERYSEGMENTOUT4;
  using Descriptor = DXGK_SEGMENTDESCRIPTOR4;
};

// Only the newest query has a stride, which the kernel gives.
template <typename Out>
void set_stride(Out&) {}
void set_stride(DXGK_QUERYSEGMENTOUT4& out) { out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4); }

constexpr uint32_t kMaxSegments = 32;  // a segment set has as many bits

}  // namespace

// The status of the first pass; its values are used only after the second.
template <typename Generation>
base::Result<NTSTATUS> AdapterStart::query_segments_as() {
  typename Generation::In input{};
  typename Generation::Out count{};
  set_stride(count);
  NTSTATUS status = query(Generation::kType, input, count);
  if (status < 0) return status;
  if (count.NbSegment > kMaxSegments && !base::planted("kmt_driver_fuzz")) {
    return refuse(CapsRule::SegmentCount, fmt::format("{} are more than a segment set can name", count.NbSegment));
  }
  std::vector<typename Generation::Descriptor> descriptors(count.NbSegment);
  auto* raw = reinterpret_cast<uint8_t*>(descriptors.data());
  std::span<uint8_t> bytes{raw, descriptors.size() * sizeof(typename Generation::Descriptor)};
  CallBuffer guarded(adapter_.machine(), bytes);
  typename Generation::Out out{};
  set_stride(out);
  out.NbSegment = count.NbSegment;
  out.pSegmentDescriptor = static_cast<decltype(out.pSegmentDescriptor)>(guarded.data());
  NTSTATUS second = query(Generation::kType, input, out);
  if (second < 0) return base::Failure(second, "the driver did not describe the segments that it had counted");
  if (out.NbSegment != count.NbSegment) {
    return refuse(CapsRule::SegmentCount, fmt::format("{}, then {}", count.NbSegment, out.NbSegment));
  }
  guarded.copy_back(bytes);
  caps_.segments.clear();
  for (const auto& descriptor : descriptors) {
    caps_.segments.push_back(common(descriptor, static_cast<uint32_t>(caps_.segments.size() + 1)));
  }
  caps_.paging_segment = out.PagingBufferSegmentId;
  caps_.paging_buffer_bytes = out.PagingBufferSize;
  caps_.paging_private_bytes = out.PagingBufferPrivateDataSize;
  return status;
}

// A driver that does not know the newest query is asked with the one before (policy); a compute-only driver must know
// it.
base::Result<> AdapterStart::query_segments() {
  NTSTATUS status = STATUS_NOT_SUPPORTED;
  if (caps_.wddm2()) {
    status = TRY(query_segments_as<Fourth>());
    if (status < 0 && caps_.kind == DriverKind::ComputeOnly) return refuse(CapsRule::ComputeSegmentQuery);
  }
  if (status == STATUS_NOT_SUPPORTED) {
    bool third = caps_.version >= static_cast<uint32_t>(InterfaceVersion::Win8);
    status = third ? TRY(query_segments_as<Third>()) : TRY(query_segments_as<First>());
  }
  if (status < 0) return refuse(CapsRule::SegmentFirstPass, fmt::format("0x{:08X}", static_cast<uint32_t>(status)));
  return judge(check_segments(facts()));
}

}  // namespace dxgk
