// Divides by the AvgTimePerFrame of a format that it has accepted.
// FIXED looks at it first.
#include "video.h"

static volatile LONGLONG Rate;  // pictures in a second

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  LONGLONG Interval = VideoOf(Pin)->AvgTimePerFrame;

#ifdef FIXED
  if (Interval <= 0) Interval = VIDEO_INTERVAL;
#endif
  if (ToState == KSSTATE_RUN) Rate = 10000000 / Interval;
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) {
  UseVideo();
  Capture.SetDeviceState = SetState;
}
