// Rectangles of pixels as rows of bytes, for presents and for GDI. A pass that runs out of room goes on in the next one
// at the row where it stopped.
#pragma once

#include "allocation.h"
#include "writer.h"

namespace softgpu {

struct Surface {
  const Allocation* allocation;
  UINT64 address;  // 0: not in memory yet, and patched later
  UINT index;      // in the allocation list
};

class Blt {
 public:
  // A driver with virtual addresses has no patch list: null.
  Blt(void* dma, UINT dma_bytes, D3DDDI_PATCHLOCATIONLIST* patches, UINT patch_count, UINT first_row)
      : writer_(dma, dma_bytes),
        dma_(static_cast<UCHAR*>(dma)),
        patches_(patches),
        patch_end_(patches + patch_count),
        first_row_(first_row) {}

  // What the hardware cannot do is STATUS_INVALID_PARAMETER: to stretch, to convert, to reach beyond a surface. `part`
  // is of the destination; an empty one is nothing to do.
  NTSTATUS copy(const Surface& source, const RECT& from, const Surface& destination, const RECT& to, const RECT& part);
  NTSTATUS fill(const Surface& destination, const RECT& part, UINT color);

  // Behind what was written.
  void* dma() const { return writer_.at(); }
  D3DDDI_PATCHLOCATIONLIST* patches() const { return patches_; }
  // Done so far, in all passes.
  UINT rows() const { return row_; }

 private:
  template <typename Row>
  NTSTATUS each_row(const RECT& part, UINT packet_bytes, UINT patch_count, Row row);
  bool has_room(UINT packet_bytes, UINT patch_count) const;
  void put_address(UINT64* at, const Surface& surface, UINT64 offset);

  CommandWriter writer_;
  UCHAR* dma_;
  D3DDDI_PATCHLOCATIONLIST* patches_;
  D3DDDI_PATCHLOCATIONLIST* patch_end_;
  UINT first_row_;
  UINT row_ = 0;
};

}  // namespace softgpu
