// Data ranges, one for each size, their intersection with a client's, and the formats that come of it. A format is a
// client's: nothing in it is believed before it has been checked.
#include "formats.h"

namespace kssg {
namespace {

constexpr DWORD kYuy2Code = 0x32595559;  // the FOURCC, which begins the subtype too
constexpr GUID kYuy2 = {kYuy2Code, 0x0000, 0x0010, {0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71}};
constexpr WORD kBits = KSSG_BYTES_PER_PIXEL * 8;

constexpr LONGLONG kMinInterval = 166667, kDefaultInterval = 333333, kMaxInterval = 1000000;

constexpr DWORD picture_bytes(LONG width, LONG height) {
  return static_cast<DWORD>(width * height) * KSSG_BYTES_PER_PIXEL;
}

constexpr LONG bits_per_second(LONG width, LONG height, LONGLONG interval) {
  return static_cast<LONG>(picture_bytes(width, height) * 8 * kUnitsPerSecond / interval);
}

constexpr KS_VIDEO_STREAM_CONFIG_CAPS caps_of(SIZE size) {
  KS_VIDEO_STREAM_CONFIG_CAPS caps = {};
  caps.guid = KSDATAFORMAT_SPECIFIER_VIDEOINFO;
  caps.InputSize = size;
  caps.MinCroppingSize = caps.MaxCroppingSize = size;  // there is no cropping
  caps.CropGranularityX = caps.CropGranularityY = 1;
  caps.CropAlignX = caps.CropAlignY = 1;
  caps.MinOutputSize = caps.MaxOutputSize = size;
  caps.OutputGranularityX = caps.OutputGranularityY = 1;
  caps.MinFrameInterval = kMinInterval;
  caps.MaxFrameInterval = kMaxInterval;
  caps.MinBitsPerSecond = bits_per_second(size.cx, size.cy, kMaxInterval);
  caps.MaxBitsPerSecond = bits_per_second(size.cx, size.cy, kMinInterval);
  return caps;
}

constexpr KS_VIDEOINFOHEADER header_of(SIZE size, LONGLONG interval) {
  KS_VIDEOINFOHEADER header = {};
  header.dwBitRate = static_cast<DWORD>(bits_per_second(size.cx, size.cy, interval));
  header.AvgTimePerFrame = interval;
  header.bmiHeader.biSize = sizeof(KS_BITMAPINFOHEADER);
  header.bmiHeader.biWidth = size.cx;
  header.bmiHeader.biHeight = size.cy;
  header.bmiHeader.biPlanes = 1;
  header.bmiHeader.biBitCount = kBits;
  header.bmiHeader.biCompression = kYuy2Code;
  header.bmiHeader.biSizeImage = picture_bytes(size.cx, size.cy);
  return header;
}

constexpr KS_DATARANGE_VIDEO range_of(SIZE size) {
  return {
      {{sizeof(KS_DATARANGE_VIDEO), 0, picture_bytes(size.cx, size.cy), 0, KSDATAFORMAT_TYPE_VIDEO, kYuy2,
        KSDATAFORMAT_SPECIFIER_VIDEOINFO}},
      TRUE,   // pictures of a format have one size
      FALSE,  // none depends on another
      KS_VIDEOSTREAM_CAPTURE,
      0,
      caps_of(size),
      header_of(size, kDefaultInterval),
  };
}

constexpr KS_DATARANGE_VIDEO kRanges[kSizes] = {range_of({320, 240}), range_of({640, 480})};
C_ASSERT(kRanges[1].DataRange.SampleSize == kMaxPictureBytes);

constexpr PKSDATARANGE listed(ULONG index) { return const_cast<PKSDATARANGE>(&kRanges[index].DataRange); }

}  // namespace

const PKSDATARANGE kVideoRanges[kSizes] = {listed(0), listed(1)};

#pragma code_seg("PAGE")

namespace {

const KS_DATARANGE_VIDEO& as_video(const KSDATARANGE& range) {
  return reinterpret_cast<const KS_DATARANGE_VIDEO&>(range);
}

bool interval_valid(LONGLONG interval) { return interval >= kMinInterval && interval <= kMaxInterval; }

// Whether the range's pictures would do for the client: those of the size its header names, if it names one.
bool takes(const KS_DATARANGE_VIDEO& theirs, const KS_DATARANGE_VIDEO& ours) {
  const KS_VIDEO_STREAM_CONFIG_CAPS& caps = theirs.ConfigCaps;
  const SIZE size = ours.ConfigCaps.InputSize;
  const KS_BITMAPINFOHEADER& wanted = theirs.VideoInfoHeader.bmiHeader;
  const bool named = wanted.biWidth != 0 || wanted.biHeight != 0;
  return caps.MinOutputSize.cx <= size.cx && size.cx <= caps.MaxOutputSize.cx && caps.MinOutputSize.cy <= size.cy &&
         size.cy <= caps.MaxOutputSize.cy && caps.MinFrameInterval <= kMaxInterval &&
         kMinInterval <= caps.MaxFrameInterval && (!named || (wanted.biWidth == size.cx && wanted.biHeight == size.cy));
}

// A rectangle is empty, which stands for the whole picture, or lies inside of it.
bool inside(const RECT& rectangle, const KS_BITMAPINFOHEADER& bitmap) {
  return rectangle.left >= 0 && rectangle.left <= rectangle.right && rectangle.right <= bitmap.biWidth &&
         rectangle.top >= 0 && rectangle.top <= rectangle.bottom && rectangle.bottom <= bitmap.biHeight;
}

bool matches(const KS_VIDEOINFOHEADER& header, const KS_VIDEOINFOHEADER& own) {
  const KS_BITMAPINFOHEADER &bitmap = header.bmiHeader, &our = own.bmiHeader;
  return bitmap.biSize == our.biSize && bitmap.biWidth == our.biWidth && bitmap.biHeight == our.biHeight &&
         bitmap.biPlanes == our.biPlanes && bitmap.biBitCount == our.biBitCount &&
         bitmap.biCompression == our.biCompression && bitmap.biSizeImage == our.biSizeImage &&
         interval_valid(header.AvgTimePerFrame) && inside(header.rcSource, bitmap) && inside(header.rcTarget, bitmap);
}

}  // namespace

// AVStream has compared major type, subtype and specifier; a range that is no longer than that has nothing more to say.
NTSTATUS intersect(PVOID, PIRP, PKSP_PIN, PKSDATARANGE CallerDataRange, PKSDATARANGE DescriptorDataRange,
                   ULONG DataBufferSize, PVOID Data, PULONG DataSize) {
  PAGED_CODE();
  const KS_DATARANGE_VIDEO& ours = as_video(*DescriptorDataRange);
  LONGLONG interval = kDefaultInterval;
  if (CallerDataRange->FormatSize >= sizeof(KS_DATARANGE_VIDEO)) {
    const KS_DATARANGE_VIDEO& theirs = as_video(*CallerDataRange);
    if (!takes(theirs, ours)) return STATUS_NO_MATCH;
    if (interval_valid(theirs.VideoInfoHeader.AvgTimePerFrame)) interval = theirs.VideoInfoHeader.AvgTimePerFrame;
  } else if (CallerDataRange->FormatSize != sizeof(KSDATARANGE)) {
    return STATUS_NO_MATCH;
  }
  *DataSize = sizeof(KS_DATAFORMAT_VIDEOINFOHEADER);
  if (DataBufferSize == 0) return STATUS_BUFFER_OVERFLOW;  // the client asks how large it is
  if (DataBufferSize < sizeof(KS_DATAFORMAT_VIDEOINFOHEADER)) return STATUS_BUFFER_TOO_SMALL;
  auto& format = *static_cast<KS_DATAFORMAT_VIDEOINFOHEADER*>(Data);
  format.DataFormat = ours.DataRange;
  format.DataFormat.FormatSize = sizeof(format);
  format.VideoInfoHeader = header_of(ours.ConfigCaps.InputSize, interval);
  return STATUS_SUCCESS;
}

NTSTATUS judge_format(const KSDATAFORMAT& format, const KSDATARANGE& range) {
  PAGED_CODE();
  if (format.FormatSize < sizeof(KS_DATAFORMAT_VIDEOINFOHEADER)) return STATUS_NO_MATCH;
  const auto& video = reinterpret_cast<const KS_DATAFORMAT_VIDEOINFOHEADER&>(format);
  return matches(video.VideoInfoHeader, as_video(range).VideoInfoHeader) ? STATUS_SUCCESS : STATUS_NO_MATCH;
}

VideoFormat read_format(const KSDATAFORMAT& format) {
  PAGED_CODE();
  const KS_VIDEOINFOHEADER& header = reinterpret_cast<const KS_DATAFORMAT_VIDEOINFOHEADER&>(format).VideoInfoHeader;
  return {static_cast<ULONG>(header.bmiHeader.biWidth), static_cast<ULONG>(header.bmiHeader.biHeight),
          static_cast<ULONG>(header.AvgTimePerFrame), header.bmiHeader.biSizeImage};
}

}  // namespace kssg
