// The null renderer: filter 1 and its pin. It takes frames as they come, and counts what it sees in them.
#pragma once

#include "common.h"

namespace ksalloc {

extern const KSFILTER_DESCRIPTOR kRendererFilter;

// The pin's stream: KSPIN.Context, from the pin's Create to its Close. A client may ask for the counts while frames are
// taken.
class Renderer {
 public:
  void initialize(PKSPIN pin);

  void start_over();   // AVStrMiniPinSetDeviceState, from STOP to ACQUIRE
  NTSTATUS process();  // AVStrMiniPinProcess
  KSALLOC_COUNTS counts();

 private:
  void take(const KSSTREAM_POINTER& frame);
  void follow(ULONG64 number);

  PKSPIN pin_;
  KSPIN_LOCK lock_;
  KSALLOC_COUNTS counts_;  // guarded by lock_
  ULONG64 next_number_;    // that should come; guarded by lock_
};

}  // namespace ksalloc
