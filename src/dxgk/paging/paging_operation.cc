#include "dxgk/paging/paging_operation.h"

#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "base/check.h"

namespace dxgk {
namespace {

constexpr uint64_t kOffsetLimit = uint64_t{1} << 32;  // TransferOffset has 32 bits

LARGE_INTEGER as_address(uint64_t value) {
  LARGE_INTEGER address;
  address.QuadPart = static_cast<LONGLONG>(value);
  return address;
}

template <typename Side>
void put(Side& side, const paging::Place& place) {
  side.SegmentId = place.segment;
  if (place.segment == 0) {
    side.pMdl = place.mdl;
  } else {
    side.SegmentAddress = as_address(place.address);
  }
}

// --- One of each for every operation ---

struct KindOf {
  using Kind = DXGK_BUILDPAGINGBUFFER_OPERATION;
  Kind operator()(const paging::Transfer&) const { return DXGK_OPERATION_TRANSFER; }
  Kind operator()(const paging::Fill&) const { return DXGK_OPERATION_FILL; }
  Kind operator()(const paging::Discard&) const { return DXGK_OPERATION_DISCARD_CONTENT; }
  Kind operator()(const paging::MapAperture&) const { return DXGK_OPERATION_MAP_APERTURE_SEGMENT; }
  Kind operator()(const paging::UnmapAperture&) const { return DXGK_OPERATION_UNMAP_APERTURE_SEGMENT; }
  Kind operator()(const paging::InitContextResource&) const { return DXGK_OPERATION_INIT_CONTEXT_RESOURCE; }
  Kind operator()(const paging::UpdatePageTable&) const { return DXGK_OPERATION_UPDATE_PAGE_TABLE; }
  Kind operator()(const paging::CopyPageTableEntries&) const { return DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES; }
  Kind operator()(const paging::UpdateContextAllocation&) const { return DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION; }
  Kind operator()(const paging::TransferVirtual&) const { return DXGK_OPERATION_VIRTUAL_TRANSFER; }
  Kind operator()(const paging::FillVirtual&) const { return DXGK_OPERATION_VIRTUAL_FILL; }
  Kind operator()(const paging::FlushTlb&) const { return DXGK_OPERATION_FLUSH_TLB; }
  Kind operator()(const paging::NotifyResidency&) const { return DXGK_OPERATION_NOTIFY_RESIDENCY; }
  Kind operator()(const paging::SignalMonitoredFence&) const { return DXGK_OPERATION_SIGNAL_MONITORED_FENCE; }
};

struct Describe {
  DXGKARG_BUILDPAGINGBUFFER& args;

  void operator()(const paging::Transfer& from) const {
    CHECK(from.offset < kOffsetLimit);
    auto& to = args.Transfer;
    to.hAllocation = from.allocation;
    to.TransferOffset = static_cast<UINT>(from.offset);
    to.TransferSize = from.bytes;
    put(to.Source, from.source);
    put(to.Destination, from.destination);
    to.Flags = from.flags;
    to.MdlOffset = from.mdl_page;
  }
  void operator()(const paging::Fill& from) const {
    auto& to = args.Fill;
    to.hAllocation = from.allocation;
    to.FillSize = from.bytes;
    to.FillPattern = from.pattern;
    to.Destination.SegmentId = from.segment;
    to.Destination.SegmentAddress = as_address(from.address);
  }
  void operator()(const paging::Discard& from) const {
    auto& to = args.DiscardContent;
    to.hAllocation = from.allocation;
    to.SegmentId = from.segment;
    to.SegmentAddress = as_address(from.address);
  }
  void operator()(const paging::MapAperture& from) const {
    auto& to = args.MapApertureSegment;
    to.hDevice = from.device;
    to.hAllocation = from.allocation;
    to.SegmentId = from.segment;
    to.OffsetInPages = from.first_page;
    to.NumberOfPages = from.pages;
    to.pMdl = from.mdl;
    to.Flags.CacheCoherent = from.cache_coherent;
    to.MdlOffset = from.mdl_page;
  }
  void operator()(const paging::UnmapAperture& from) const {
    auto& to = args.UnmapApertureSegment;
    to.hDevice = from.device;
    to.hAllocation = from.allocation;
    to.SegmentId = from.segment;
    to.OffsetInPages = from.first_page;
    to.NumberOfPages = from.pages;
    to.DummyPage = as_address(from.dummy_page);
  }
  void operator()(const paging::InitContextResource& from) const {
    auto& to = args.InitContextResource;
    to.hAllocation = from.allocation;
    put(to.Destination, from.destination);
    to.Destination.VirtualAddress = from.cpu_address;
    to.Destination.GpuVirtualAddress = from.gpu_address;
  }
  void operator()(const paging::UpdatePageTable& from) const {
    // With Repeat the one entry stands for all of them (dxgk_updatepagetableflags).
    CHECK(from.entries.size() == (from.table.Flags.Repeat ? 1 : from.count));
    CHECK(from.entries_64k.empty() || from.entries_64k.size() == from.entries.size());
    args.UpdatePageTable = from.table;
    args.UpdatePageTable.pPageTableEntries = const_cast<DXGK_PTE*>(from.entries.data());
    args.UpdatePageTable.pPageTableEntries64KB = const_cast<DXGK_PTE*>(from.entries_64k.data());
    args.UpdatePageTable.NumPageTableEntries = from.count;
  }
  void operator()(const paging::CopyPageTableEntries& from) const {
    auto& to = args.CopyPageTableEntries;
    to.NumRanges = static_cast<UINT>(from.ranges.size());
    to.pRanges = const_cast<DXGK_BUILDPAGINGBUFFER_COPY_RANGE*>(from.ranges.data());
  }
  void operator()(const paging::UpdateContextAllocation& from) const {
    auto& to = args.UpdateContextAllocation;
    to.ContextAllocation = from.address;
    to.ContextAllocationSize = from.bytes;
    to.pDriverPrivateData = const_cast<uint8_t*>(from.private_data.data());
    to.DriverPrivateDataSize = static_cast<UINT>(from.private_data.size());
  }
  void operator()(const paging::TransferVirtual& from) const { args.TransferVirtual = from; }
  void operator()(const paging::FillVirtual& from) const { args.FillVirtual = from; }
  void operator()(const paging::FlushTlb& from) const { args.FlushTlb = from; }
  void operator()(const paging::NotifyResidency& from) const { args.NotifyResidency = from; }
  void operator()(const paging::SignalMonitoredFence& from) const { args.SignalMonitoredFence = from; }
};

struct AllocationOf {
  HANDLE operator()(const paging::Transfer& from) const { return from.allocation; }
  HANDLE operator()(const paging::Discard& from) const { return from.allocation; }
  template <typename Other>
  HANDLE operator()(const Other&) const {
    return nullptr;
  }
};

struct UnitsOf {
  uint64_t operator()(const paging::Transfer& from) const { return base::page_count(from.bytes); }
  uint64_t operator()(const paging::Fill& from) const { return base::page_count(from.bytes); }
  uint64_t operator()(const paging::MapAperture& from) const { return from.pages; }
  uint64_t operator()(const paging::UnmapAperture& from) const { return from.pages; }
  uint64_t operator()(const paging::UpdatePageTable& from) const { return from.count; }
  uint64_t operator()(const paging::CopyPageTableEntries& from) const {
    uint64_t entries = 0;
    for (const auto& range : from.ranges) entries += range.NumPageTableEntries;
    return entries;
  }
  uint64_t operator()(const paging::UpdateContextAllocation& from) const { return base::page_count(from.bytes); }
  uint64_t operator()(const paging::TransferVirtual& from) const { return base::page_count(from.TransferSizeInBytes); }
  uint64_t operator()(const paging::FillVirtual& from) const { return base::page_count(from.FillSizeInBytes); }
  template <typename Other>
  uint64_t operator()(const Other&) const {
    return 1;
  }
};

}  // namespace

DXGK_BUILDPAGINGBUFFER_OPERATION kind_of(const PagingOperation& operation) { return std::visit(KindOf{}, operation); }

const char* name_of(const PagingOperation& operation) {
  switch (kind_of(operation)) {
#define NAME(operation_name)            \
  case DXGK_OPERATION_##operation_name: \
    return #operation_name;
    NAME(TRANSFER)
    NAME(FILL)
    NAME(DISCARD_CONTENT)
    NAME(MAP_APERTURE_SEGMENT)
    NAME(UNMAP_APERTURE_SEGMENT)
    NAME(INIT_CONTEXT_RESOURCE)
    NAME(UPDATE_PAGE_TABLE)
    NAME(COPY_PAGE_TABLE_ENTRIES)
    NAME(UPDATE_CONTEXT_ALLOCATION)
    NAME(VIRTUAL_TRANSFER)
    NAME(VIRTUAL_FILL)
    NAME(FLUSH_TLB)
    NAME(NOTIFY_RESIDENCY)
    NAME(SIGNAL_MONITORED_FENCE)
#undef NAME
    default:
      return "";
  }
}

void describe(const PagingOperation& operation, DXGKARG_BUILDPAGINGBUFFER& args) {
  args.Operation = kind_of(operation);
  std::visit(Describe{args}, operation);
}

bool may_be_busy(const PagingOperation& operation) {
  return std::holds_alternative<paging::Transfer>(operation) || std::holds_alternative<paging::Discard>(operation);
}

void set_idle(DXGKARG_BUILDPAGINGBUFFER& args) {
  if (args.Operation == DXGK_OPERATION_TRANSFER) {
    args.Transfer.Flags.AllocationIsIdle = 1;
  } else {
    CHECK(args.Operation == DXGK_OPERATION_DISCARD_CONTENT);
    args.DiscardContent.Flags.AllocationIsIdle = 1;
  }
}

HANDLE allocation_of(const PagingOperation& operation) { return std::visit(AllocationOf{}, operation); }

uint64_t units_of(const PagingOperation& operation) { return std::visit(UnitsOf{}, operation); }

// --- Cutting ---

namespace {

// One side of a transfer while it is cut.
class Walk {
 public:
  Walk(const WholeTransfer::Side& side, uint64_t bytes) : side_(side) {
    if (side.segment == 0) {
      CHECK(side.extents.empty() && (!side.mdls.empty() || bytes == 0));
      return;
    }
    uint64_t sum = 0;
    for (const PagingExtent& extent : side.extents) sum += extent.bytes;
    CHECK(sum == bytes || bytes == 0);
  }

  bool in_one_piece() const { return side_.extents.size() <= 1; }
  // How many bytes from here on are contiguous, at most `most`.
  uint64_t together(uint64_t most) const {
    if (!side_.extents.empty()) return std::min(most, side_.extents[extent_].bytes - within_);
    return side_.mdls.size() <= 1 ? most : std::min(most, (side_.mdl_pages - mdl_page()) * base::kPageBytes);
  }
  // Of the MDL that is named here.
  uint64_t mdl_page() const {
    if (!side_.extents.empty()) return 0;
    return side_.mdls.size() <= 1 ? within_ / base::kPageBytes : within_ / base::kPageBytes % side_.mdl_pages;
  }
  void advance(uint64_t bytes) {
    within_ += bytes;
    if (side_.extents.empty() || within_ < side_.extents[extent_].bytes) return;
    ++extent_;
    within_ = 0;
  }
  // `skipped` bytes of a side in one piece are counted elsewhere.
  paging::Place here(uint64_t skipped) const {
    if (side_.extents.empty()) return {side_.segment, 0, mdl()};
    return {side_.segment, side_.extents[extent_].address + within_ - skipped, nullptr};
  }

 private:
  MDL* mdl() const {
    if (side_.mdls.size() <= 1) return side_.mdls.empty() ? nullptr : side_.mdls[0];
    return side_.mdls[within_ / base::kPageBytes / side_.mdl_pages];
  }

  const WholeTransfer::Side& side_;
  size_t extent_ = 0;
  uint64_t within_ = 0;
};

}  // namespace

std::vector<paging::Transfer> cut(const WholeTransfer& whole, uint64_t max_bytes) {
  CHECK(max_bytes != 0 && max_bytes % base::kPageBytes == 0);
  Walk source(whole.source, whole.bytes);
  Walk destination(whole.destination, whole.bytes);
  bool counts = source.in_one_piece() && destination.in_one_piece();
  std::vector<paging::Transfer> pieces;
  uint64_t done = 0;
  do {
    uint64_t bytes = destination.together(source.together(std::min(max_bytes, whole.bytes - done)));
    CHECK(bytes % base::kPageBytes == 0 || done + bytes == whole.bytes);  // an MDL is told in pages
    paging::Transfer piece;
    piece.allocation = whole.allocation;
    piece.offset = counts ? done % kOffsetLimit : 0;
    piece.bytes = bytes;
    piece.source = source.here(piece.offset);
    piece.destination = destination.here(piece.offset);
    const Walk& system = whole.source.segment == 0 ? source : destination;  // if one side is system memory
    piece.mdl_page = whole.mdl_page + static_cast<uint32_t>(system.mdl_page());
    piece.flags = whole.flags;
    pieces.push_back(piece);
    source.advance(bytes);
    destination.advance(bytes);
    done += bytes;
  } while (done < whole.bytes);
  pieces.front().flags.TransferStart = 1;
  pieces.back().flags.TransferEnd = 1;
  return pieces;
}

std::vector<paging::Fill> cut(const paging::Fill& whole, uint64_t max_bytes) {
  CHECK(max_bytes != 0 && max_bytes % base::kPageBytes == 0);
  std::vector<paging::Fill> pieces;
  for (uint64_t done = 0; done < whole.bytes; done += max_bytes) {
    paging::Fill piece = whole;
    piece.bytes = std::min(max_bytes, whole.bytes - done);
    piece.address = whole.address + done;
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace dxgk
