// Ranges, their intersection with a client's, and what is a format of theirs. A format is a client's: nothing in it is
// believed before it has been checked.
#include "formats.h"

namespace ksalloc {
namespace {

constexpr DWORD kYuy2Code = 0x32595559;  // the FOURCC, which begins the subtype too
constexpr GUID kYuy2 = {kYuy2Code, 0x0000, 0x0010, {0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71}};
constexpr WORD kYuy2Bits = 16;
constexpr SIZE kSize = {KSALLOC_WIDTH, KSALLOC_HEIGHT};
constexpr DWORD kBitsPerSecond = KSALLOC_PICTURE_BYTES * 8 * (10000000 / KSALLOC_INTERVAL);

constexpr KSDATARANGE kCounterRange = {{sizeof(KSDATARANGE), 0, KSALLOC_COUNTER_BYTES, 0, KSDATAFORMAT_TYPE_STREAM,
                                        KSALLOC_SUBTYPE_COUNTER, KSDATAFORMAT_SPECIFIER_NONE}};

constexpr KS_VIDEO_STREAM_CONFIG_CAPS caps() {
  KS_VIDEO_STREAM_CONFIG_CAPS caps = {};
  caps.guid = KSDATAFORMAT_SPECIFIER_VIDEOINFO;
  caps.InputSize = kSize;
  caps.MinCroppingSize = caps.MaxCroppingSize = kSize;  // there is no cropping
  caps.CropGranularityX = caps.CropGranularityY = 1;
  caps.CropAlignX = caps.CropAlignY = 1;
  caps.MinOutputSize = caps.MaxOutputSize = kSize;
  caps.OutputGranularityX = caps.OutputGranularityY = 1;
  caps.MinFrameInterval = caps.MaxFrameInterval = KSALLOC_INTERVAL;
  caps.MinBitsPerSecond = caps.MaxBitsPerSecond = kBitsPerSecond;
  return caps;
}

constexpr KS_VIDEOINFOHEADER header() {
  KS_VIDEOINFOHEADER header = {};
  header.dwBitRate = kBitsPerSecond;
  header.AvgTimePerFrame = KSALLOC_INTERVAL;
  header.bmiHeader.biSize = sizeof(KS_BITMAPINFOHEADER);
  header.bmiHeader.biWidth = kSize.cx;
  header.bmiHeader.biHeight = kSize.cy;
  header.bmiHeader.biPlanes = 1;
  header.bmiHeader.biBitCount = kYuy2Bits;
  header.bmiHeader.biCompression = kYuy2Code;
  header.bmiHeader.biSizeImage = KSALLOC_PICTURE_BYTES;
  return header;
}

constexpr KS_DATARANGE_VIDEO kPictureRange = {
    {{sizeof(KS_DATARANGE_VIDEO), 0, KSALLOC_PICTURE_BYTES, 0, KSDATAFORMAT_TYPE_VIDEO, kYuy2,
      KSDATAFORMAT_SPECIFIER_VIDEOINFO}},
    TRUE,   // pictures have one size
    FALSE,  // none depends on another
    KS_VIDEOSTREAM_CAPTURE,
    0,
    caps(),
    header(),
};

}  // namespace

const PKSDATARANGE kRanges[kFormats] = {const_cast<PKSDATARANGE>(&kCounterRange),
                                        const_cast<PKSDATARANGE>(&kPictureRange.DataRange)};

#pragma code_seg("PAGE")

namespace {

bool is_picture(const KSDATARANGE& range) { return IsEqualGUID(range.SubFormat, kYuy2); }

bool within(const SIZE& low, const SIZE& size, const SIZE& high) {
  return low.cx <= size.cx && size.cx <= high.cx && low.cy <= size.cy && size.cy <= high.cy;
}

// Whether the one picture we have would do for the client.
bool takes_our_picture(const KS_DATARANGE_VIDEO& theirs) {
  const KS_VIDEO_STREAM_CONFIG_CAPS& caps = theirs.ConfigCaps;
  return within(caps.MinOutputSize, kSize, caps.MaxOutputSize) && caps.MinFrameInterval <= KSALLOC_INTERVAL &&
         KSALLOC_INTERVAL <= caps.MaxFrameInterval;
}

void write_format(const KSDATARANGE& range, PVOID data) {
  if (!is_picture(range)) {
    *static_cast<PKSDATAFORMAT>(data) = range;
    return;
  }
  auto& format = *static_cast<KS_DATAFORMAT_VIDEOINFOHEADER*>(data);
  format.DataFormat = range;
  format.DataFormat.FormatSize = sizeof(format);
  format.VideoInfoHeader = kPictureRange.VideoInfoHeader;
}

bool is_our_picture(const KS_VIDEOINFOHEADER& header) {
  const KS_BITMAPINFOHEADER &bitmap = header.bmiHeader, &own = kPictureRange.VideoInfoHeader.bmiHeader;
  return bitmap.biSize == own.biSize && bitmap.biWidth == own.biWidth && bitmap.biHeight == own.biHeight &&
         bitmap.biPlanes == own.biPlanes && bitmap.biBitCount == own.biBitCount &&
         bitmap.biCompression == own.biCompression && bitmap.biSizeImage == own.biSizeImage &&
         header.AvgTimePerFrame == KSALLOC_INTERVAL;
}

}  // namespace

// AVStream has compared major type, subtype and specifier; a range that is no longer than that has nothing more to say.
NTSTATUS intersect(PVOID, PIRP, PKSP_PIN, PKSDATARANGE CallerDataRange, PKSDATARANGE DescriptorDataRange,
                   ULONG DataBufferSize, PVOID Data, PULONG DataSize) {
  PAGED_CODE();
  const bool picture = is_picture(*DescriptorDataRange);
  if (picture && CallerDataRange->FormatSize >= sizeof(KS_DATARANGE_VIDEO)) {
    if (!takes_our_picture(reinterpret_cast<const KS_DATARANGE_VIDEO&>(*CallerDataRange))) return STATUS_NO_MATCH;
  } else if (CallerDataRange->FormatSize != sizeof(KSDATARANGE)) {
    return STATUS_NO_MATCH;
  }
  *DataSize = picture ? sizeof(KS_DATAFORMAT_VIDEOINFOHEADER) : sizeof(KSDATAFORMAT);
  if (DataBufferSize == 0) return STATUS_BUFFER_OVERFLOW;  // the client asks how large it is
  if (DataBufferSize < *DataSize) return STATUS_BUFFER_TOO_SMALL;
  write_format(*DescriptorDataRange, Data);
  return STATUS_SUCCESS;
}

NTSTATUS judge_format(const KSDATAFORMAT& format, const KSDATARANGE& range) {
  PAGED_CODE();
  if (!is_picture(range)) return format.FormatSize == sizeof(KSDATAFORMAT) ? STATUS_SUCCESS : STATUS_NO_MATCH;
  if (format.FormatSize < sizeof(KS_DATAFORMAT_VIDEOINFOHEADER)) return STATUS_NO_MATCH;
  const auto& video = reinterpret_cast<const KS_DATAFORMAT_VIDEOINFOHEADER&>(format);
  return is_our_picture(video.VideoInfoHeader) ? STATUS_SUCCESS : STATUS_NO_MATCH;
}

ULONG frame_bytes(const KSDATAFORMAT& format) {
  PAGED_CODE();
  return is_picture(format) ? KSALLOC_PICTURE_BYTES : KSALLOC_COUNTER_BYTES;
}

}  // namespace ksalloc
