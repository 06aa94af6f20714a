// The video formats: what the pin offers, and what a connection has agreed on.
#pragma once

#include "common.h"

namespace kssg {

// A connection's format, every number of which has been checked.
struct VideoFormat {
  ULONG width;
  ULONG height;
  ULONG interval;  // units of 100 ns
  ULONG bytes;     // of a picture
};

inline bool same(const VideoFormat& a, const VideoFormat& b) {
  return a.width == b.width && a.height == b.height && a.interval == b.interval;
}

inline constexpr ULONG kSizes = 2;
extern const PKSDATARANGE kVideoRanges[kSizes];

// AVStrMiniIntersectHandlerEx.
NTSTATUS intersect(PVOID Context, PIRP Irp, PKSP_PIN Pin, PKSDATARANGE CallerDataRange,
                   PKSDATARANGE DescriptorDataRange, ULONG DataBufferSize, PVOID Data, PULONG DataSize);

// STATUS_NO_MATCH when `format` is not of our `range`, or does not make sense.
NTSTATUS judge_format(const KSDATAFORMAT& format, const KSDATARANGE& range);
// What a format says that has been judged.
VideoFormat read_format(const KSDATAFORMAT& format);

}  // namespace kssg
