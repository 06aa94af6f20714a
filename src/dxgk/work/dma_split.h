#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/km/d3dkmddi.h"

namespace dxgk {

// A part of a DMA buffer that is submitted by itself, and the patch locations in it.
struct DmaPart {
  uint32_t from = 0, to = 0;
  uint32_t first_patch = 0, patch_count = 0;

  friend bool operator==(const DmaPart&, const DmaPart&) = default;
};

// Whether what one part needs fits into video memory together.
class PartRoom {
 public:
  virtual void clear() = 0;
  // One more; the same may come again. False: it does not fit beside the others.
  virtual bool add(uint32_t allocation_index) = 0;
  // A NULL element of the list: whatever its slot held is not needed any more.
  virtual bool is_null(uint32_t allocation_index) const = 0;

 protected:
  ~PartRoom() = default;
};

// Cuts a DMA buffer of `bytes` into as few parts as can run one after another, each in the whole of video memory
// ("Splitting a DMA Buffer"). `patches` is a list in which check_patches (render_check.h) finds no fault.
//
//   SplitOffset     0     0     64    64    128
//   allocation      A     B     C     A     D
//                   '-------- A B C -----'  '- D       with room for three
//
// A cut is made only where no slot keeps an allocation over it: what the GPU was told of in one part it may still use
// in the next, and nothing keeps that in its place between the two (ours; Windows keeps a table of the slots). Where
// there is no place to cut, a part is larger than the room for it; the caller finds that out when it runs the part.
std::vector<DmaPart> split(std::span<const D3DDDI_PATCHLOCATIONLIST> patches, uint32_t bytes, PartRoom& room);

}  // namespace dxgk
