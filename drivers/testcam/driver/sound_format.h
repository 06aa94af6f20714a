// The sound formats: 16-bit PCM with one or two channels, 44100 or 48000 samples a second.
#pragma once

#include "common.h"

namespace testcam {

// A connection's format, every number of which has been checked.
struct SoundFormat {
  ULONG rate;
  ULONG channels;
  ULONG frame_bytes() const { return channels * sizeof(SHORT); }  // one sample for each channel
};

inline bool same(const SoundFormat& a, const SoundFormat& b) { return a.rate == b.rate && a.channels == b.channels; }

inline constexpr ULONG kSoundRangeCount = 2;
extern const PKSDATARANGE kSoundRanges[kSoundRangeCount];

// AVStrMiniIntersectHandlerEx of the microphone's pin.
NTSTATUS intersect_sound(PVOID Context, PIRP Irp, PKSP_PIN Pin, PKSDATARANGE CallerDataRange,
                         PKSDATARANGE DescriptorDataRange, ULONG DataBufferSize, PVOID Data, PULONG DataSize);

// STATUS_NO_MATCH when `format` is not of our `range`, or does not make sense.
NTSTATUS read_format(const KSDATAFORMAT& format, const KSDATARANGE& range, SoundFormat& result);
// The same for a format that belongs to one of our ranges for certain.
SoundFormat read_agreed_sound(const KSDATAFORMAT& format);

}  // namespace testcam
