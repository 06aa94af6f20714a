#pragma once

#include "host/render/picture.h"
#include "host/render/scene.h"

namespace host {

// What a frame of a scene must look like: the fixed-function formulae of Direct3D 9 in double precision, one pixel
// after the other. Slow and simple, and it shares nothing with any driver or hardware: their pictures are compared with
// it.
//
// Pixels have their centres at whole coordinates. One belongs to a triangle when its centre lies inside, or on a top or
// left edge. Depth is linear on the target; colours and texture coordinates are correct in perspective. Each value that
// is written is rounded to eight bits.
Picture reference_picture(const Scene& scene, const Frame& frame, uint32_t width, uint32_t height);

}  // namespace host
