#pragma once

#include <span>
#include <vector>

#include "abi/km/d3dkmddi.h"

namespace dxgk {

// Whether it contains no pixel: it has no width, no height, or is the wrong way round.
bool is_empty(const RECT& rectangle);
// The smallest rectangle with all of the parts that are not empty; an empty one when all are.
RECT bounds_of(std::span<const RECT> parts);

// A client names parts of the source; a driver is shown parts of the destination, clipped to it: the driver clips
// nothing (documented). Where `from` is stretched to `to`, a pixel of the destination that is touched is in. Parts with
// nothing to draw are left out. Neither `from` nor `to` is empty. Pure.
std::vector<RECT> destination_parts(const RECT& from, const RECT& to, std::span<const RECT> parts);

}  // namespace dxgk
