// The two formats of both pins: a byte stream and a small picture. Each has one size, so that a range is a format.
#pragma once

#include "common.h"

namespace ksalloc {

inline constexpr ULONG kFormats = 2;
extern const PKSDATARANGE kRanges[kFormats];

// AVStrMiniIntersectHandlerEx of both pins.
NTSTATUS intersect(PVOID Context, PIRP Irp, PKSP_PIN Pin, PKSDATARANGE CallerDataRange,
                   PKSDATARANGE DescriptorDataRange, ULONG DataBufferSize, PVOID Data, PULONG DataSize);

// STATUS_NO_MATCH when `format` is not the one of our `range`.
NTSTATUS judge_format(const KSDATAFORMAT& format, const KSDATARANGE& range);

// Of a frame in a format that has been judged.
ULONG frame_bytes(const KSDATAFORMAT& format);

}  // namespace ksalloc
