// The source: filter 0 and its pin. A timer makes a frame due every 10 ms, and AVStream's next call to process fills
// one.
#pragma once

#include "common.h"

namespace ksalloc {

extern const KSFILTER_DESCRIPTOR kSourceFilter;

// The pin's stream: KSPIN.Context, from the pin's Create to its Close. The timer's DPC touches due_ alone; everything
// else is touched by one call of AVStream's at a time, as nothing is processed while the state changes or the queue is
// flushed.
class Source {
 public:
  void initialize(PKSPIN pin, ULONG frame_bytes);

  bool acquired() const { return acquired_; }
  ULONG frame_bytes() const { return frame_bytes_; }
  void set_frame_bytes(ULONG bytes) { frame_bytes_ = bytes; }  // while it is not acquired

  // PASSIVE_LEVEL. Each undoes what its counterpart did, and does nothing twice.
  void acquire();  // the clock; numbers begin at 0
  void release();
  void run();  // the timer
  void pause();

  NTSTATUS process();         // AVStrMiniPinProcess
  void frames_are_flushed();  // AVStrMiniPinReset

 private:
  static KDEFERRED_ROUTINE frame_is_due;

  NTSTATUS fill(KSSTREAM_POINTER& frame);
  void describe(KSSTREAM_HEADER& header);
  void stamp(KSSTREAM_HEADER& header);

  PKSPIN pin_;
  KTIMER timer_;
  KDPC dpc_;
  volatile LONG due_;         // 1: a frame is due
  PIKSREFERENCECLOCK clock_;  // null: the graph has none
  ULONG frame_bytes_;
  ULONG64 number_;      // of the next frame
  LONGLONG last_time_;  // the latest presentation time
  bool acquired_;
  bool running_;
  bool discontinuity_;  // the queue was flushed since the last frame
};

}  // namespace ksalloc
