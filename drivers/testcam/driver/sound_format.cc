#include "sound_format.h"

namespace testcam {
namespace {

constexpr ULONG kChannels = 2;
constexpr WORD kBits = 16;

// A range for each rate: one range could not say that there is nothing between them.
constexpr KSDATARANGE_AUDIO range_of(ULONG rate) {
  return {{{sizeof(KSDATARANGE_AUDIO), 0, 0, 0, KSDATAFORMAT_TYPE_AUDIO, KSDATAFORMAT_SUBTYPE_PCM,
            KSDATAFORMAT_SPECIFIER_WAVEFORMATEX}},
          kChannels,
          kBits,
          kBits,
          rate,
          rate};
}

constexpr KSDATARANGE_AUDIO kRanges[kSoundRangeCount] = {range_of(48000), range_of(44100)};

}  // namespace

const PKSDATARANGE kSoundRanges[kSoundRangeCount] = {const_cast<PKSDATARANGE>(&kRanges[0].DataRange),
                                                     const_cast<PKSDATARANGE>(&kRanges[1].DataRange)};

#pragma code_seg("PAGE")

namespace {

const KSDATARANGE_AUDIO& as_audio(const KSDATARANGE& range) {
  return reinterpret_cast<const KSDATARANGE_AUDIO&>(range);
}

bool meet(const KSDATARANGE_AUDIO& ours, const KSDATARANGE_AUDIO& theirs) {
  return theirs.MaximumChannels >= 1 && theirs.MinimumBitsPerSample <= kBits && theirs.MaximumBitsPerSample >= kBits &&
         theirs.MinimumSampleFrequency <= ours.MaximumSampleFrequency &&
         theirs.MaximumSampleFrequency >= ours.MinimumSampleFrequency;
}

WAVEFORMATEX wave_of(ULONG rate, ULONG channels) {
  WAVEFORMATEX wave = {};
  wave.wFormatTag = WAVE_FORMAT_PCM;
  wave.nChannels = static_cast<WORD>(channels);
  wave.nSamplesPerSec = rate;
  wave.wBitsPerSample = kBits;
  wave.nBlockAlign = static_cast<WORD>(channels * sizeof(SHORT));
  wave.nAvgBytesPerSec = rate * wave.nBlockAlign;
  return wave;
}

}  // namespace

NTSTATUS intersect_sound(PVOID, PIRP, PKSP_PIN, PKSDATARANGE CallerDataRange, PKSDATARANGE DescriptorDataRange,
                         ULONG DataBufferSize, PVOID Data, PULONG DataSize) {
  PAGED_CODE();
  const KSDATARANGE_AUDIO& ours = as_audio(*DescriptorDataRange);
  ULONG channels = kChannels;
  if (CallerDataRange->FormatSize >= sizeof(KSDATARANGE_AUDIO)) {
    const KSDATARANGE_AUDIO& theirs = as_audio(*CallerDataRange);
    if (!meet(ours, theirs)) return STATUS_NO_MATCH;
    if (theirs.MaximumChannels < channels) channels = theirs.MaximumChannels;
  } else if (CallerDataRange->FormatSize != sizeof(KSDATARANGE)) {
    return STATUS_NO_MATCH;
  }
  *DataSize = sizeof(KSDATAFORMAT_WAVEFORMATEX);
  if (DataBufferSize == 0) return STATUS_BUFFER_OVERFLOW;  // the client asks how large it is
  if (DataBufferSize < sizeof(KSDATAFORMAT_WAVEFORMATEX)) return STATUS_BUFFER_TOO_SMALL;
  auto& format = *static_cast<KSDATAFORMAT_WAVEFORMATEX*>(Data);
  format.DataFormat = ours.DataRange;
  format.DataFormat.FormatSize = sizeof(format);
  format.WaveFormatEx = wave_of(ours.MaximumSampleFrequency, channels);
  format.DataFormat.SampleSize = format.WaveFormatEx.nBlockAlign;
  return STATUS_SUCCESS;
}

NTSTATUS read_format(const KSDATAFORMAT& format, const KSDATARANGE& range, SoundFormat& result) {
  PAGED_CODE();
  if (format.FormatSize < sizeof(KSDATAFORMAT_WAVEFORMATEX)) return STATUS_NO_MATCH;
  const WAVEFORMATEX& wave = reinterpret_cast<const KSDATAFORMAT_WAVEFORMATEX&>(format).WaveFormatEx;
  if (wave.nChannels < 1 || wave.nChannels > kChannels) return STATUS_NO_MATCH;
  if (wave.nSamplesPerSec != as_audio(range).MaximumSampleFrequency) return STATUS_NO_MATCH;
  const WAVEFORMATEX right = wave_of(wave.nSamplesPerSec, wave.nChannels);
  if (wave.wFormatTag != right.wFormatTag || wave.wBitsPerSample != right.wBitsPerSample ||
      wave.nBlockAlign != right.nBlockAlign || wave.nAvgBytesPerSec != right.nAvgBytesPerSec) {
    return STATUS_NO_MATCH;
  }
  result = {wave.nSamplesPerSec, wave.nChannels};
  return STATUS_SUCCESS;
}

SoundFormat read_agreed_sound(const KSDATAFORMAT& format) {
  PAGED_CODE();
  SoundFormat result = {};
  for (PKSDATARANGE range : kSoundRanges) {
    if (NT_SUCCESS(read_format(format, *range, result))) break;
  }
  NT_ASSERT(result.rate != 0);
  return result;
}

}  // namespace testcam
