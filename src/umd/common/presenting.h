#pragma once

#include "umd/common/device.h"

namespace umd {

// While one lives, the program presents, and pfnPresentCb can be served: the callback names the allocations, this
// object the rectangles. On the stack of the thread that calls the driver's Present; one per device at a time, as both
// DDIs promise.
class Presenting {
 public:
  // From one rectangle to the other; where the driver names no source, the destination is filled.
  Presenting(Device& device, const RECT& source, const RECT& destination, UINT color = 0)
      : device_(device), source_(source) {
    what_.SrcRect = source;
    what_.DstRect = destination;
    what_.Color = color;
    what_.Flags.DstRectValid = 1;
    what_.SubRectCnt = 1;
    what_.pSrcSubRects = &source_;
    RuntimeGuard guard(device.runtime.lock);
    CHECK(!device.contexts().presenting);
    device.contexts().presenting = &what_;
  }
  ~Presenting() {
    RuntimeGuard guard(device_.runtime.lock);
    device_.contexts().presenting = nullptr;
  }
  Presenting(const Presenting&) = delete;
  Presenting& operator=(const Presenting&) = delete;

 private:
  Device& device_;
  const RECT source_;
  D3DKMT_PRESENT what_{};
};

}  // namespace umd
