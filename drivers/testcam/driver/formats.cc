// Data ranges, their intersection with a client's, and the formats that come of it. A format is a client's: nothing in
// it is believed before it has been checked.
#include "formats.h"

namespace testcam {
namespace {

constexpr DWORD fourcc(char a, char b, char c, char d) {
  return static_cast<DWORD>(a) | static_cast<DWORD>(b) << 8 | static_cast<DWORD>(c) << 16 | static_cast<DWORD>(d) << 24;
}

// The subtype of a FOURCC, and those of RGB, which have none.
constexpr GUID subtype_of(DWORD code) {
  return {code, 0x0000, 0x0010, {0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71}};
}
constexpr GUID kRgb24 = {0xe436eb7d, 0x524f, 0x11ce, {0x9f, 0x53, 0x00, 0x20, 0xaf, 0x0b, 0xa7, 0x70}};
constexpr GUID kRgb32 = {0xe436eb7e, 0x524f, 0x11ce, {0x9f, 0x53, 0x00, 0x20, 0xaf, 0x0b, 0xa7, 0x70}};

constexpr LONG kDefaultWidth = 320;
constexpr LONG kDefaultHeight = 240;
constexpr LONGLONG kDefaultInterval = 333333;  // 30 pictures a second
constexpr ULONG kMaxBytes = TESTCAM_MAX_FRAME_BYTES;

constexpr WORD bits_of(ULONG pixels) {
  constexpr WORD bits[TESTCAM_FORMATS] = {16, 16, 12, 24, 32};
  return bits[pixels];
}

constexpr LONG bits_per_second(LONG width, LONG height, WORD bits, LONGLONG interval) {
  const LONGLONG rate = static_cast<LONGLONG>(width) * height * bits * kUnitsPerSecond / interval;
  return rate > MAXLONG ? MAXLONG : static_cast<LONG>(rate);
}

constexpr KS_VIDEO_STREAM_CONFIG_CAPS caps_of(WORD bits) {
  constexpr SIZE smallest = {TESTCAM_MIN_WIDTH, TESTCAM_MIN_HEIGHT};
  constexpr SIZE largest = {TESTCAM_MAX_WIDTH, TESTCAM_MAX_HEIGHT};
  KS_VIDEO_STREAM_CONFIG_CAPS caps = {};
  caps.guid = KSDATAFORMAT_SPECIFIER_VIDEOINFO;
  caps.InputSize = largest;
  caps.MinCroppingSize = caps.MaxCroppingSize = largest;  // there is no cropping
  caps.CropGranularityX = caps.CropGranularityY = 1;
  caps.CropAlignX = caps.CropAlignY = 1;
  caps.MinOutputSize = smallest;
  caps.MaxOutputSize = largest;
  caps.OutputGranularityX = TESTCAM_WIDTH_STEP;
  caps.OutputGranularityY = TESTCAM_HEIGHT_STEP;
  caps.MinFrameInterval = TESTCAM_MIN_INTERVAL;
  caps.MaxFrameInterval = TESTCAM_MAX_INTERVAL;
  caps.MinBitsPerSecond = bits_per_second(smallest.cx, smallest.cy, bits, TESTCAM_MAX_INTERVAL);
  caps.MaxBitsPerSecond = bits_per_second(largest.cx, largest.cy, bits, TESTCAM_MIN_INTERVAL);
  return caps;
}

constexpr DWORD image_bytes(LONG width, LONG height, WORD bits) {
  return static_cast<DWORD>(width * height * bits / 8);
}

constexpr KS_VIDEOINFOHEADER header_of(LONG width, LONG height, LONGLONG interval, DWORD compression, WORD bits) {
  KS_VIDEOINFOHEADER header = {};
  header.dwBitRate = static_cast<DWORD>(bits_per_second(width, height, bits, interval));
  header.AvgTimePerFrame = interval;
  header.bmiHeader.biSize = sizeof(KS_BITMAPINFOHEADER);
  header.bmiHeader.biWidth = width;
  header.bmiHeader.biHeight = height;
  header.bmiHeader.biPlanes = 1;
  header.bmiHeader.biBitCount = bits;
  header.bmiHeader.biCompression = compression;
  header.bmiHeader.biSizeImage = image_bytes(width, height, bits);
  return header;
}

constexpr KS_DATARANGE_VIDEO range_of(ULONG pixels, const GUID& subtype, DWORD compression) {
  const WORD bits = bits_of(pixels);
  return {
      {{sizeof(KS_DATARANGE_VIDEO), 0, image_bytes(kDefaultWidth, kDefaultHeight, bits), 0, KSDATAFORMAT_TYPE_VIDEO,
        subtype, KSDATAFORMAT_SPECIFIER_VIDEOINFO}},
      TRUE,   // pictures of a format have one size
      FALSE,  // none depends on another
      KS_VIDEOSTREAM_CAPTURE,
      0,
      caps_of(bits),
      header_of(kDefaultWidth, kDefaultHeight, kDefaultInterval, compression, bits),
  };
}

constexpr DWORD kYuy2Code = fourcc('Y', 'U', 'Y', '2'), kUyvyCode = fourcc('U', 'Y', 'V', 'Y'),
                kNv12Code = fourcc('N', 'V', '1', '2');

// By TESTCAM_FORMAT_….
constexpr KS_DATARANGE_VIDEO kRanges[TESTCAM_FORMATS] = {
    range_of(TESTCAM_FORMAT_YUY2, subtype_of(kYuy2Code), kYuy2Code),
    range_of(TESTCAM_FORMAT_UYVY, subtype_of(kUyvyCode), kUyvyCode),
    range_of(TESTCAM_FORMAT_NV12, subtype_of(kNv12Code), kNv12Code),
    range_of(TESTCAM_FORMAT_RGB24, kRgb24, KS_BI_RGB),
    range_of(TESTCAM_FORMAT_RGB32, kRgb32, KS_BI_RGB),
};

constexpr PKSDATARANGE listed(ULONG pixels) { return const_cast<PKSDATARANGE>(&kRanges[pixels].DataRange); }

}  // namespace

const PKSDATARANGE kVideoRanges[] = {listed(TESTCAM_FORMAT_YUY2), listed(TESTCAM_FORMAT_UYVY),
                                     listed(TESTCAM_FORMAT_NV12), listed(TESTCAM_FORMAT_RGB24),
                                     listed(TESTCAM_FORMAT_RGB32)};

#pragma code_seg("PAGE")

namespace {

const KS_DATARANGE_VIDEO& as_video(const KSDATARANGE& range) {
  return reinterpret_cast<const KS_DATARANGE_VIDEO&>(range);
}

ULONG pixels_of(const GUID& subtype) {
  ULONG pixels = 0;
  while (!IsEqualGUID(kRanges[pixels].DataRange.SubFormat, subtype)) ++pixels;
  return pixels;
}

bool overlap(LONG our_low, LONG our_high, LONG low, LONG high) { return low <= our_high && our_low <= high; }

// Whether any picture of ours would do for the client. The size it would like is in its header, see below.
bool meet(const KS_DATARANGE_VIDEO& ours, const KS_DATARANGE_VIDEO& theirs) {
  const KS_VIDEO_STREAM_CONFIG_CAPS &a = ours.ConfigCaps, &b = theirs.ConfigCaps;
  return ours.bFixedSizeSamples == theirs.bFixedSizeSamples &&
         ours.bTemporalCompression == theirs.bTemporalCompression &&
         overlap(a.MinOutputSize.cx, a.MaxOutputSize.cx, b.MinOutputSize.cx, b.MaxOutputSize.cx) &&
         overlap(a.MinOutputSize.cy, a.MaxOutputSize.cy, b.MinOutputSize.cy, b.MaxOutputSize.cy) &&
         b.MinFrameInterval <= a.MaxFrameInterval && a.MinFrameInterval <= b.MaxFrameInterval;
}

bool size_valid(const KS_BITMAPINFOHEADER& bitmap) {
  return bitmap.biWidth > 0 && bitmap.biHeight > 0 &&
         testcam_size_valid(static_cast<ULONG>(bitmap.biWidth), static_cast<ULONG>(bitmap.biHeight));
}

// The format that the client gets: the size and rate it names where we have them, else our own.
void choose(const KS_DATARANGE_VIDEO& ours, const KS_DATARANGE_VIDEO* theirs, KS_DATAFORMAT_VIDEOINFOHEADER& format) {
  const KS_BITMAPINFOHEADER& own = ours.VideoInfoHeader.bmiHeader;
  LONG width = own.biWidth, height = own.biHeight;
  LONGLONG interval = ours.VideoInfoHeader.AvgTimePerFrame;
  if (theirs != nullptr) {
    const KS_VIDEOINFOHEADER& wanted = theirs->VideoInfoHeader;
    if (size_valid(wanted.bmiHeader)) {
      width = wanted.bmiHeader.biWidth;
      height = wanted.bmiHeader.biHeight;
    }
    if (testcam_interval_valid(wanted.AvgTimePerFrame)) interval = wanted.AvgTimePerFrame;
  }
  format.DataFormat = ours.DataRange;
  format.DataFormat.FormatSize = sizeof(format);
  format.VideoInfoHeader = header_of(width, height, interval, own.biCompression, own.biBitCount);
  format.DataFormat.SampleSize = format.VideoInfoHeader.bmiHeader.biSizeImage;
}

// A rectangle is empty, which stands for the whole picture, or lies inside of it.
bool inside(const RECT& rectangle, const KS_BITMAPINFOHEADER& bitmap) {
  return rectangle.left >= 0 && rectangle.left <= rectangle.right && rectangle.right <= bitmap.biWidth &&
         rectangle.top >= 0 && rectangle.top <= rectangle.bottom && rectangle.bottom <= bitmap.biHeight;
}

bool matches(const KS_VIDEOINFOHEADER& header, const KS_DATARANGE_VIDEO& range) {
  const KS_BITMAPINFOHEADER& bitmap = header.bmiHeader;
  const KS_BITMAPINFOHEADER& own = range.VideoInfoHeader.bmiHeader;
  return bitmap.biSize == sizeof(KS_BITMAPINFOHEADER) && bitmap.biPlanes == own.biPlanes &&
         bitmap.biBitCount == own.biBitCount && bitmap.biCompression == own.biCompression && size_valid(bitmap) &&
         bitmap.biSizeImage == image_bytes(bitmap.biWidth, bitmap.biHeight, bitmap.biBitCount) &&
         testcam_interval_valid(header.AvgTimePerFrame) && inside(header.rcSource, bitmap) &&
         inside(header.rcTarget, bitmap);
}

}  // namespace

// AVStream has compared major type, subtype and specifier; a range that is no longer than that had wildcards in it.
NTSTATUS intersect_video(PVOID, PIRP, PKSP_PIN, PKSDATARANGE CallerDataRange, PKSDATARANGE DescriptorDataRange,
                         ULONG DataBufferSize, PVOID Data, PULONG DataSize) {
  PAGED_CODE();
  const KS_DATARANGE_VIDEO& ours = as_video(*DescriptorDataRange);
  const KS_DATARANGE_VIDEO* theirs = nullptr;
  if (CallerDataRange->FormatSize >= sizeof(KS_DATARANGE_VIDEO)) {
    theirs = &as_video(*CallerDataRange);
    if (!meet(ours, *theirs)) return STATUS_NO_MATCH;
  } else if (CallerDataRange->FormatSize != sizeof(KSDATARANGE)) {
    return STATUS_NO_MATCH;
  }
  *DataSize = sizeof(KS_DATAFORMAT_VIDEOINFOHEADER);
  if (DataBufferSize == 0) return STATUS_BUFFER_OVERFLOW;  // the client asks how large it is
  if (DataBufferSize < sizeof(KS_DATAFORMAT_VIDEOINFOHEADER)) return STATUS_BUFFER_TOO_SMALL;
  choose(ours, theirs, *static_cast<KS_DATAFORMAT_VIDEOINFOHEADER*>(Data));
  return STATUS_SUCCESS;
}

NTSTATUS read_format(const KSDATAFORMAT& format, const KSDATARANGE& range, VideoFormat& result) {
  PAGED_CODE();
  if (format.FormatSize < sizeof(KS_DATAFORMAT_VIDEOINFOHEADER)) return STATUS_NO_MATCH;
  const auto& video = reinterpret_cast<const KS_DATAFORMAT_VIDEOINFOHEADER&>(format);
  if (!matches(video.VideoInfoHeader, as_video(range))) return STATUS_NO_MATCH;
  result.pixels = pixels_of(range.SubFormat);
  result.width = static_cast<ULONG>(video.VideoInfoHeader.bmiHeader.biWidth);
  result.height = static_cast<ULONG>(video.VideoInfoHeader.bmiHeader.biHeight);
  result.interval = static_cast<ULONG>(video.VideoInfoHeader.AvgTimePerFrame);
  result.bytes = testcam_frame_bytes(result.pixels, result.width, result.height);
  NT_ASSERT(result.bytes <= kMaxBytes);
  return STATUS_SUCCESS;
}

VideoFormat read_agreed_format(const KSDATAFORMAT& format) {
  PAGED_CODE();
  VideoFormat result = {};
  NTSTATUS status = read_format(format, *kVideoRanges[pixels_of(format.SubFormat)], result);
  NT_ASSERT(NT_SUCCESS(status));
  UNREFERENCED_PARAMETER(status);
  return result;
}

}  // namespace testcam
