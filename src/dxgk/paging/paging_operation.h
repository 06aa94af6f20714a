#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "abi/km/d3dkmddi.h"

namespace dxgk {

// What a driver is asked to write into a paging buffer. Plain values: handles are the driver's own, addresses are what
// the driver is told, and what a span or an MDL points to lives until the operation has been built.
namespace paging {

// One side of a copy: bytes in a segment, or pages of an MDL.
struct Place {
  uint32_t segment = 0;  // 0: `mdl`
  uint64_t address = 0;  // the segment's base included
  MDL* mdl = nullptr;
};

// `offset` is within the allocation and concerns the sides that lie in a segment, `mdl_page` the other one. A size of 0
// is the notice that the content is lost. No allocation: bytes as they are, neither swizzled nor tiled (RS-15).
struct Transfer {
  HANDLE allocation = nullptr;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  Place source;
  Place destination;
  uint32_t mdl_page = 0;
  DXGK_TRANSFERFLAGS flags{};  // AllocationIsIdle is the builder's to set
};

// Of a memory segment, never of an aperture.
struct Fill {
  HANDLE allocation = nullptr;
  uint64_t bytes = 0;
  uint32_t pattern = 0;
  uint32_t segment = 0;
  uint64_t address = 0;
};

struct Discard {
  HANDLE allocation = nullptr;
  uint32_t segment = 0;
  uint64_t address = 0;
};

struct MapAperture {
  HANDLE device = nullptr;
  HANDLE allocation = nullptr;  // null for a DMA buffer
  uint32_t segment = 0;
  uint64_t first_page = 0;
  uint64_t pages = 0;
  MDL* mdl = nullptr;
  uint32_t mdl_page = 0;
  bool cache_coherent = false;
};

struct UnmapAperture {
  HANDLE device = nullptr;
  HANDLE allocation = nullptr;
  uint32_t segment = 0;
  uint64_t first_page = 0;
  uint64_t pages = 0;
  uint64_t dummy_page = 0;  // physical address
};

struct InitContextResource {
  HANDLE allocation = nullptr;
  Place destination;
  void* cpu_address = nullptr;
  D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
};

// The two pointers and the count in `table` are filled from the spans; with Repeat there is one entry for `count`.
struct UpdatePageTable {
  DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE table{};
  std::span<const DXGK_PTE> entries;
  std::span<const DXGK_PTE> entries_64k;  // DualPteSupported only
  uint32_t count = 0;
};

struct CopyPageTableEntries {
  std::span<const DXGK_BUILDPAGINGBUFFER_COPY_RANGE> ranges;
};

struct UpdateContextAllocation {
  D3DGPU_VIRTUAL_ADDRESS address = 0;
  uint64_t bytes = 0;
  std::span<const uint8_t> private_data;
};

// These have no pointers: the driver's structure is the value.
using TransferVirtual = DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL;
using FillVirtual = DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL;
using FlushTlb = DXGK_BUILDPAGINGBUFFER_FLUSHTLB;
using NotifyResidency = DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY;
using SignalMonitoredFence = DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE;

}  // namespace paging

using PagingOperation =
    std::variant<paging::Transfer, paging::Fill, paging::Discard, paging::MapAperture, paging::UnmapAperture,
                 paging::InitContextResource, paging::UpdatePageTable, paging::CopyPageTableEntries,
                 paging::UpdateContextAllocation, paging::TransferVirtual, paging::FillVirtual, paging::FlushTlb,
                 paging::NotifyResidency, paging::SignalMonitoredFence>;

// --- What a driver sees of it ---

DXGK_BUILDPAGINGBUFFER_OPERATION kind_of(const PagingOperation& operation);
// "TRANSFER", "FILL", …, as in DXGK_OPERATION_*.
const char* name_of(const PagingOperation& operation);
// The operation's part of the argument. What it points to is the operation's own.
void describe(const PagingOperation& operation, DXGKARG_BUILDPAGINGBUFFER& args);
// Whether the driver may answer that the allocation is busy, and how it is told that the allocation is idle.
bool may_be_busy(const PagingOperation& operation);
void set_idle(DXGKARG_BUILDPAGINGBUFFER& args);
// The driver's allocation that it is about; null if none.
HANDLE allocation_of(const PagingOperation& operation);
// Pages, entries or ranges: no driver needs a buffer of its own for less than one.
uint64_t units_of(const PagingOperation& operation);

// --- Cutting ---

// A run of bytes in a segment.
struct PagingExtent {
  uint64_t address = 0;  // the segment's base included
  uint64_t bytes = 0;
};

// All of an allocation, from one place to another. A side with segment 0 is the MDL, from `mdl_page` on; the other ones
// are their extents in the order of the allocation's bytes, one when it lies in one piece.
struct WholeTransfer {
  struct Side {
    uint32_t segment = 0;
    std::vector<PagingExtent> extents;
    std::span<MDL* const> mdls;  // of system memory; each but the last of mdl_pages pages
    uint64_t mdl_pages = UINT64_MAX;
  };

  HANDLE allocation = nullptr;
  uint64_t bytes = 0;
  Side source;
  Side destination;
  uint32_t mdl_page = 0;       // of the first MDL
  DXGK_TRANSFERFLAGS flags{};  // Swizzle, Unswizzle
};

// The sub-transfers of it: pieces of at most `max_bytes`, which is a multiple of a page; the first one has
// TransferStart, the last TransferEnd. The caller hands over all of them before another transfer begins (RS-13). One
// piece of size 0 for a transfer of nothing.
//
// Where each side is in one piece, SegmentAddress stays the allocation's and TransferOffset counts, as documented. It
// has 32 bits: whole multiples of 4 GiB go into the address (ours). Where a side is in several pieces, there is no such
// address, so each piece has its own address, with TransferOffset 0 (ours).
std::vector<paging::Transfer> cut(const WholeTransfer& whole, uint64_t max_bytes);
// A fill has no offset: each piece is a fill of its own.
std::vector<paging::Fill> cut(const paging::Fill& whole, uint64_t max_bytes);

}  // namespace dxgk
