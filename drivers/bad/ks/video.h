// The small minidriver with a capture pin for video: pictures of 32 by 32 pixels of 32 bits, of any size and rate that
// the client names.
#pragma once

#include "skeleton.h"

#define VIDEO_SIDE 32
#define VIDEO_BITS 32
#define VIDEO_INTERVAL 100000  // in units of 100 ns; as FRAME_PERIOD_MS

#define VIDEO_HEADER                                  \
  {                                                   \
    .AvgTimePerFrame = VIDEO_INTERVAL, .bmiHeader = { \
      .biSize = sizeof(KS_BITMAPINFOHEADER),          \
      .biWidth = VIDEO_SIDE,                          \
      .biHeight = VIDEO_SIDE,                         \
      .biPlanes = 1,                                  \
      .biBitCount = VIDEO_BITS,                       \
      .biCompression = KS_BI_RGB,                     \
      .biSizeImage = FRAME_BYTES                      \
    }                                                 \
  }

static const KS_DATARANGE_VIDEO VideoRange = {
    .DataRange = {.FormatSize = sizeof(KS_DATARANGE_VIDEO),
                  .SampleSize = FRAME_BYTES,
                  .MajorFormat = {STATICGUIDOF(KSDATAFORMAT_TYPE_VIDEO)},
                  .SubFormat = {0xe436eb7e, 0x524f, 0x11ce, {0x9f, 0x53, 0x00, 0x20, 0xaf, 0x0b, 0xa7, 0x70}},
                  .Specifier = {STATICGUIDOF(KSDATAFORMAT_SPECIFIER_VIDEOINFO)}},
    .bFixedSizeSamples = TRUE,
    .StreamDescriptionFlags = KS_VIDEOSTREAM_CAPTURE,
    .VideoInfoHeader = VIDEO_HEADER};
static const PKSDATARANGE VideoRanges[] = {(PKSDATARANGE)&VideoRange};

static inline NTSTATUS IntersectVideo(PVOID Context, PIRP Irp, PKSP_PIN Pin, PKSDATARANGE Theirs, PKSDATARANGE Ours,
                                      ULONG Room, PVOID Data, PULONG Bytes) {
  PKS_DATAFORMAT_VIDEOINFOHEADER Format = Data;

  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Pin);
  UNREFERENCED_PARAMETER(Theirs);
  *Bytes = sizeof(*Format);
  if (Room == 0) return STATUS_BUFFER_OVERFLOW;
  if (Room < sizeof(*Format)) return STATUS_BUFFER_TOO_SMALL;
  Format->DataFormat = *Ours;
  Format->DataFormat.FormatSize = sizeof(*Format);
  Format->VideoInfoHeader = ((PKS_DATARANGE_VIDEO)Ours)->VideoInfoHeader;
  return STATUS_SUCCESS;
}

// The format that the pin has; it is never smaller than this structure.
static inline const KS_VIDEOINFOHEADER* VideoOf(PKSPIN Pin) {
  return &((PKS_DATAFORMAT_VIDEOINFOHEADER)Pin->ConnectionFormat)->VideoInfoHeader;
}

static inline NTSTATUS SetVideoFormat(PKSPIN Pin, PKSDATAFORMAT OldFormat, PKSMULTIPLE_ITEM OldAttributes,
                                      const KSDATARANGE* OneRange, const KSATTRIBUTE_LIST* Attributes) {
  UNREFERENCED_PARAMETER(OldFormat);
  UNREFERENCED_PARAMETER(OldAttributes);
  UNREFERENCED_PARAMETER(OneRange);
  UNREFERENCED_PARAMETER(Attributes);
  return Pin->ConnectionFormat->FormatSize < sizeof(KS_DATAFORMAT_VIDEOINFOHEADER) ? STATUS_NO_MATCH : STATUS_SUCCESS;
}

static inline VOID UseVideo(VOID) {
  Capture.SetDataFormat = SetVideoFormat;
  Pins[0].PinDescriptor.DataRangesCount = SIZEOF_ARRAY(VideoRanges);
  Pins[0].PinDescriptor.DataRanges = VideoRanges;
  Pins[0].IntersectHandler = IntersectVideo;
}
