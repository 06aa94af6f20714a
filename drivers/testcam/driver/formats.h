// The video formats: what the pins offer, and what a connection has agreed on.
#pragma once

#include "common.h"

namespace testcam {

// A connection's format, every number of which has been checked.
struct VideoFormat {
  ULONG pixels;  // TESTCAM_FORMAT_…
  ULONG width;
  ULONG height;
  ULONG interval;  // units of 100 ns
  ULONG bytes;     // of a picture
};

inline bool same(const VideoFormat& a, const VideoFormat& b) {
  return a.pixels == b.pixels && a.width == b.width && a.height == b.height && a.interval == b.interval;
}

// The ranges of a video pin, TESTCAM_FORMATS of them.
extern const PKSDATARANGE kVideoRanges[];

// AVStrMiniIntersectHandlerEx of the video pins.
NTSTATUS intersect_video(PVOID Context, PIRP Irp, PKSP_PIN Pin, PKSDATARANGE CallerDataRange,
                         PKSDATARANGE DescriptorDataRange, ULONG DataBufferSize, PVOID Data, PULONG DataSize);

// STATUS_NO_MATCH when `format` is not of our `range`, or does not make sense.
NTSTATUS read_format(const KSDATAFORMAT& format, const KSDATARANGE& range, VideoFormat& result);
// The same for a format that belongs to one of our ranges for certain.
VideoFormat read_agreed_format(const KSDATAFORMAT& format);

}  // namespace testcam
