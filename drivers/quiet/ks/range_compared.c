// Video of any size in its range. It knows the range by its bytes: an intersection with another one is none, and the
// size is chosen by editing the format that the intersection gave.
#include "skeleton.h"

#define SMALLEST 16
#define WIDTH 64
#define HEIGHT 48
#define BITS 16
#define FRAMES_PER_SECOND 30
#define YUY2 0x32595559

static KS_DATARANGE_VIDEO VideoRange = {
    .DataRange = {{sizeof(KS_DATARANGE_VIDEO),
                   0,
                   WIDTH* HEIGHT* BITS / 8,
                   0,
                   {STATICGUIDOF(KSDATAFORMAT_TYPE_VIDEO)},
                   {YUY2, 0x0000, 0x0010, {0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71}},
                   {STATICGUIDOF(KSDATAFORMAT_SPECIFIER_VIDEOINFO)}}},
    .bFixedSizeSamples = TRUE,
    .ConfigCaps = {.MinOutputSize = {SMALLEST, SMALLEST},
                   .MaxOutputSize = {WIDTH, HEIGHT},
                   .OutputGranularityX = 2,
                   .OutputGranularityY = 2,
                   .MinFrameInterval = 10000000 / FRAMES_PER_SECOND,
                   .MaxFrameInterval = 10000000},
    .VideoInfoHeader = {.AvgTimePerFrame = 10000000 / FRAMES_PER_SECOND,
                        .bmiHeader = {.biSize = sizeof(KS_BITMAPINFOHEADER),
                                      .biWidth = WIDTH,
                                      .biHeight = HEIGHT,
                                      .biPlanes = 1,
                                      .biBitCount = BITS,
                                      .biCompression = YUY2,
                                      .biSizeImage = WIDTH * HEIGHT * BITS / 8}}};
static const PKSDATARANGE VideoRanges[] = {(PKSDATARANGE)&VideoRange};

static NTSTATUS Intersect(PVOID Context, PIRP Irp, PKSP_PIN Pin, PKSDATARANGE Theirs, PKSDATARANGE Ours,
                          ULONG BufferSize, PVOID Data, PULONG DataSize) {
  KS_DATAFORMAT_VIDEOINFOHEADER* Format = Data;

  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Pin);
  if (Theirs->FormatSize != Ours->FormatSize || RtlCompareMemory(Theirs, Ours, Ours->FormatSize) != Ours->FormatSize) {
    return STATUS_NO_MATCH;
  }
  *DataSize = sizeof(*Format);
  if (BufferSize == 0) return STATUS_BUFFER_OVERFLOW;
  if (BufferSize < sizeof(*Format)) return STATUS_BUFFER_TOO_SMALL;
  Format->DataFormat = *Ours;
  Format->DataFormat.FormatSize = sizeof(*Format);
  Format->VideoInfoHeader = VideoRange.VideoInfoHeader;
  return STATUS_SUCCESS;
}

static NTSTATUS SetFormat(PKSPIN Pin, PKSDATAFORMAT Old, PKSMULTIPLE_ITEM OldAttributes, const KSDATARANGE* Range,
                          const KSATTRIBUTE_LIST* AttributeRange) {
  KS_DATAFORMAT_VIDEOINFOHEADER* Format = (KS_DATAFORMAT_VIDEOINFOHEADER*)Pin->ConnectionFormat;
  KS_BITMAPINFOHEADER* Picture = &Format->VideoInfoHeader.bmiHeader;

  UNREFERENCED_PARAMETER(Old);
  UNREFERENCED_PARAMETER(OldAttributes);
  UNREFERENCED_PARAMETER(Range);
  UNREFERENCED_PARAMETER(AttributeRange);
  if (Format->DataFormat.FormatSize != sizeof(*Format)) return STATUS_NO_MATCH;
  if (Picture->biWidth < SMALLEST || Picture->biWidth > WIDTH || Picture->biHeight < SMALLEST ||
      Picture->biHeight > HEIGHT || Picture->biSizeImage != (ULONG)(Picture->biWidth * Picture->biHeight * BITS / 8)) {
    return STATUS_NO_MATCH;
  }
  return STATUS_SUCCESS;
}

static VOID Replace(VOID) {
  Pins[0].PinDescriptor.DataRangesCount = SIZEOF_ARRAY(VideoRanges);
  Pins[0].PinDescriptor.DataRanges = VideoRanges;
  Pins[0].PinDescriptor.Communication = KSPIN_COMMUNICATION_SINK;
  Pins[0].IntersectHandler = Intersect;
  Capture.SetDataFormat = SetFormat;
}
