#include "host/capture/media_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "base/number.h"

namespace host {
namespace {

// The GUID of a FOURCC code, as documented: its four characters, and this.
constexpr GUID fourcc_guid(uint32_t code) { return {code, 0x0000, 0x0010, {0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71}}; }
constexpr GUID kRgb24 = {0xe436eb7d, 0x524f, 0x11ce, {0x9f, 0x53, 0x00, 0x20, 0xaf, 0x0b, 0xa7, 0x70}};
constexpr GUID kRgb32 = {0xe436eb7e, 0x524f, 0x11ce, {0x9f, 0x53, 0x00, 0x20, 0xaf, 0x0b, 0xa7, 0x70}};
constexpr GUID kPcm = {0x00000001, 0x0000, 0x0010, {0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71}};

bool is_fourcc(const GUID& guid) { return guid == fourcc_guid(guid.Data1); }

uint32_t fourcc(const std::string& text) {
  uint32_t code = 0;
  memcpy(&code, text.data(), 4);
  return code;
}

std::string hertz(REFERENCE_TIME interval) {
  return interval > 0 ? fmt::format("{:.4g}", 1e7 / static_cast<double>(interval)) : "0";
}

std::string describe_video(const KS_DATARANGE_VIDEO& range) {
  const KS_VIDEO_STREAM_CONFIG_CAPS& caps = range.ConfigCaps;
  return fmt::format("video {} {}x{} to {}x{}, {} to {} frames a second", subtype_name(range.DataRange.SubFormat),
                     caps.MinOutputSize.cx, caps.MinOutputSize.cy, caps.MaxOutputSize.cx, caps.MaxOutputSize.cy,
                     hertz(caps.MaxFrameInterval), hertz(caps.MinFrameInterval));
}

std::string describe_sound(const KSDATARANGE_AUDIO& range) {
  return fmt::format("audio {} up to {} channels, {} to {} bit, {} to {} Hz", subtype_name(range.DataRange.SubFormat),
                     range.MaximumChannels, range.MinimumBitsPerSample, range.MaximumBitsPerSample,
                     range.MinimumSampleFrequency, range.MaximumSampleFrequency);
}

uint8_t clamp(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

// ITU-R BT.601, black 16 and white 235, in units of 1/65536.
Pixel from_yuv(int y, int u, int v) {
  int luma = (y - 16) * 76309, red = 104597 * (v - 128), blue = 132201 * (u - 128);
  int green = -53279 * (v - 128) - 25675 * (u - 128);
  return {clamp((luma + red + 32768) >> 16), clamp((luma + green + 32768) >> 16), clamp((luma + blue + 32768) >> 16),
          255};
}

struct Shape {
  uint32_t width, height;
  bool bottom_up;
};

Picture from_packed(const Shape& shape, const uint8_t* bytes, int luma, int u, int v) {
  Picture picture(shape.width, shape.height);
  for (uint32_t y = 0; y < shape.height; ++y) {
    const uint8_t* row = bytes + size_t{y} * shape.width * 2;
    for (uint32_t x = 0; x < shape.width; ++x) {
      const uint8_t* pair = row + (x & ~1u) * 2;
      picture.at(x, y) = from_yuv(row[x * 2 + static_cast<uint32_t>(luma)], pair[u], pair[v]);
    }
  }
  return picture;
}

Picture from_nv12(const Shape& shape, const uint8_t* bytes) {
  Picture picture(shape.width, shape.height);
  const uint8_t* colours = bytes + size_t{shape.width} * shape.height;
  for (uint32_t y = 0; y < shape.height; ++y) {
    for (uint32_t x = 0; x < shape.width; ++x) {
      const uint8_t* pair = colours + size_t{y / 2} * shape.width + (x & ~1u);
      picture.at(x, y) = from_yuv(bytes[size_t{y} * shape.width + x], pair[0], pair[1]);
    }
  }
  return picture;
}

Picture from_rgb(const Shape& shape, const uint8_t* bytes, uint32_t pixel_bytes) {
  Picture picture(shape.width, shape.height);
  size_t stride = (size_t{shape.width} * pixel_bytes + 3) & ~size_t{3};
  for (uint32_t y = 0; y < shape.height; ++y) {
    const uint8_t* row = bytes + stride * (shape.bottom_up ? shape.height - 1 - y : y);
    for (uint32_t x = 0; x < shape.width; ++x, row += pixel_bytes) picture.at(x, y) = {row[2], row[1], row[0], 255};
  }
  return picture;
}

}  // namespace

std::string subtype_name(const GUID& subtype) {
  if (subtype == GUID{}) return "any";
  if (subtype == kRgb24) return "RGB24";
  if (subtype == kRgb32) return "RGB32";
  if (subtype == kPcm) return "PCM";
  if (is_fourcc(subtype)) {
    std::string text(4, ' ');
    memcpy(text.data(), &subtype.Data1, 4);
    if (std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; })) return text;
  }
  return fmt::format("{{{:08X}-{:04X}-{:04X}-…}}", subtype.Data1, subtype.Data2, subtype.Data3);
}

std::optional<GUID> parse_subtype(const std::string& name) {
  if (name == "RGB24") return kRgb24;
  if (name == "RGB32") return kRgb32;
  if (name == "PCM") return kPcm;
  if (name.size() != 4) return std::nullopt;
  return fourcc_guid(fourcc(name));
}

std::string describe_range(const KSDATARANGE& range) {
  if (range.Specifier == KSDATAFORMAT_SPECIFIER_VIDEOINFO && range.FormatSize >= sizeof(KS_DATARANGE_VIDEO)) {
    return describe_video(reinterpret_cast<const KS_DATARANGE_VIDEO&>(range));
  }
  if (range.MajorFormat == KSDATAFORMAT_TYPE_AUDIO && range.FormatSize >= sizeof(KSDATARANGE_AUDIO)) {
    return describe_sound(reinterpret_cast<const KSDATARANGE_AUDIO&>(range));
  }
  return fmt::format("{} {}, {} bytes a sample", subtype_name(range.MajorFormat), subtype_name(range.SubFormat),
                     range.SampleSize);
}

std::string describe_format(const KSDATAFORMAT& format) {
  if (const KS_VIDEOINFOHEADER* video = video_of(format)) {
    return fmt::format("video {} {}x{}, {} frames a second", subtype_name(format.SubFormat), video->bmiHeader.biWidth,
                       std::abs(video->bmiHeader.biHeight), hertz(video->AvgTimePerFrame));
  }
  if (const WAVEFORMATEX* sound = sound_of(format)) {
    return fmt::format("audio {} {} bit {} Hz, {} channel{}", subtype_name(format.SubFormat), sound->wBitsPerSample,
                       sound->nSamplesPerSec, sound->nChannels, sound->nChannels == 1 ? "" : "s");
  }
  return fmt::format("{} {}, {} bytes a sample", subtype_name(format.MajorFormat), subtype_name(format.SubFormat),
                     format.SampleSize);
}

namespace {

// A number of a requested format. Not 0, which means that the driver chooses.
bool parse_number(std::string_view text, uint32_t largest, uint32_t& out) {
  out = base::parse_number<uint32_t>(text).value_or(0);
  return out >= 1 && out <= largest;
}

}  // namespace

std::optional<FormatRequest> FormatRequest::parse(const std::string& text) {
  // NAME[:WIDTHxHEIGHT][@RATE], taken off from its end.
  std::string_view left = text;
  FormatRequest request;
  if (size_t at = left.find('@'); at != std::string_view::npos) {
    if (!parse_number(left.substr(at + 1), 9999, request.frames_per_second)) return std::nullopt;
    left = left.substr(0, at);
  }
  if (size_t colon = left.find(':'); colon != std::string_view::npos) {
    std::string_view size = left.substr(colon + 1);
    size_t cross = size.find('x');
    if (cross == std::string_view::npos || !parse_number(size.substr(0, cross), 999'999, request.width) ||
        !parse_number(size.substr(cross + 1), 99'999, request.height)) {
      return std::nullopt;
    }
    left = left.substr(0, colon);
  }
  std::string name(left);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) return std::nullopt;
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  auto subtype = parse_subtype(name);
  if (!subtype) return std::nullopt;
  request.subtype = *subtype;
  return request;
}

std::vector<uint8_t> narrow(const KSDATARANGE& range, const FormatRequest& request) {
  if (range.SubFormat != request.subtype) return {};
  const auto* first = reinterpret_cast<const uint8_t*>(&range);
  std::vector<uint8_t> bytes(first, first + range.FormatSize);
  if (!request.width) return bytes;
  if (range.Specifier == KSDATAFORMAT_SPECIFIER_VIDEOINFO && range.FormatSize >= sizeof(KS_DATARANGE_VIDEO)) {
    auto& video = *reinterpret_cast<KS_DATARANGE_VIDEO*>(bytes.data());
    auto width = static_cast<LONG>(request.width), height = static_cast<LONG>(request.height);
    KS_VIDEO_STREAM_CONFIG_CAPS& caps = video.ConfigCaps;
    if (width < caps.MinOutputSize.cx || width > caps.MaxOutputSize.cx || height < caps.MinOutputSize.cy ||
        height > caps.MaxOutputSize.cy) {
      return {};
    }
    KS_BITMAPINFOHEADER& picture = video.VideoInfoHeader.bmiHeader;
    picture.biHeight = picture.biHeight < 0 ? -height : height;
    picture.biWidth = width;
    picture.biSizeImage = static_cast<DWORD>(size_t{request.width} * request.height * picture.biBitCount / 8);
    if (request.frames_per_second) video.VideoInfoHeader.AvgTimePerFrame = 10'000'000 / request.frames_per_second;
    caps.MinOutputSize = caps.MaxOutputSize = caps.InputSize = {width, height};
    return bytes;
  }
  if (range.MajorFormat == KSDATAFORMAT_TYPE_AUDIO && range.FormatSize >= sizeof(KSDATARANGE_AUDIO)) {
    auto& sound = *reinterpret_cast<KSDATARANGE_AUDIO*>(bytes.data());
    if (request.width < sound.MinimumSampleFrequency || request.width > sound.MaximumSampleFrequency ||
        request.height > sound.MaximumChannels) {
      return {};
    }
    sound.MinimumSampleFrequency = sound.MaximumSampleFrequency = request.width;
    sound.MaximumChannels = request.height;
  }
  return bytes;
}

namespace {

// Rows of RGB begin at multiples of four bytes; formats with a name of four letters have none of that.
DWORD image_bytes(const KS_BITMAPINFOHEADER& picture) {
  size_t bits = size_t{static_cast<uint32_t>(picture.biWidth)} * picture.biBitCount;
  size_t row = picture.biCompression == KS_BI_RGB ? (bits + 31) / 32 * 4 : 0;
  size_t height = static_cast<uint32_t>(std::abs(picture.biHeight));
  return static_cast<DWORD>(row ? row * height : bits * height / 8);
}

void apply_video(const FormatRequest& request, KSDATAFORMAT& format, KS_VIDEOINFOHEADER& video) {
  KS_BITMAPINFOHEADER& picture = video.bmiHeader;
  auto width = static_cast<LONG>(request.width), height = static_cast<LONG>(request.height);
  bool sized = format.SampleSize == picture.biSizeImage;
  auto whole = [&](const RECT& rect) {
    return rect.right == picture.biWidth && rect.bottom == std::abs(picture.biHeight);
  };
  for (RECT* rect : {&video.rcSource, &video.rcTarget}) {
    if (whole(*rect)) *rect = {0, 0, width, height};
  }
  picture.biWidth = width;
  picture.biHeight = picture.biHeight < 0 ? -height : height;
  picture.biSizeImage = image_bytes(picture);
  if (sized) format.SampleSize = picture.biSizeImage;
  if (request.frames_per_second) video.AvgTimePerFrame = 10'000'000 / request.frames_per_second;
  if (video.dwBitRate && video.AvgTimePerFrame > 0) {
    video.dwBitRate = static_cast<DWORD>(uint64_t{picture.biSizeImage} * 8 * 10'000'000 /
                                         static_cast<uint64_t>(video.AvgTimePerFrame));
  }
}

void apply_sound(const FormatRequest& request, WAVEFORMATEX& sound) {
  sound.nSamplesPerSec = request.width;
  sound.nChannels = static_cast<WORD>(request.height);
  sound.nBlockAlign = static_cast<WORD>(sound.nChannels * sound.wBitsPerSample / 8);
  sound.nAvgBytesPerSec = sound.nSamplesPerSec * sound.nBlockAlign;
}

}  // namespace

void apply_request(const FormatRequest& request, std::vector<uint8_t>& bytes) {
  if (!request.width || bytes.size() < sizeof(KSDATAFORMAT)) return;
  auto& format = *reinterpret_cast<KSDATAFORMAT*>(bytes.data());
  if (format.FormatSize > bytes.size()) return;
  if (video_of(format)) {
    auto& video = reinterpret_cast<KS_DATAFORMAT_VIDEOINFOHEADER&>(format).VideoInfoHeader;
    bool same = video.bmiHeader.biWidth == static_cast<LONG>(request.width) &&
                std::abs(video.bmiHeader.biHeight) == static_cast<LONG>(request.height) && !request.frames_per_second;
    if (!same) apply_video(request, format, video);
  } else if (sound_of(format)) {
    apply_sound(request, reinterpret_cast<KSDATAFORMAT_WAVEFORMATEX&>(format).WaveFormatEx);
  }
}

const KS_VIDEOINFOHEADER* video_of(const KSDATAFORMAT& format) {
  if (format.Specifier != KSDATAFORMAT_SPECIFIER_VIDEOINFO ||
      format.FormatSize < sizeof(KS_DATAFORMAT_VIDEOINFOHEADER)) {
    return nullptr;
  }
  const auto& video = reinterpret_cast<const KS_DATAFORMAT_VIDEOINFOHEADER&>(format).VideoInfoHeader;
  bool sane = video.bmiHeader.biWidth > 0 && video.bmiHeader.biWidth <= 16384 && video.bmiHeader.biHeight != 0 &&
              video.bmiHeader.biHeight >= -16384 && video.bmiHeader.biHeight <= 16384;
  return sane ? &video : nullptr;
}

const WAVEFORMATEX* sound_of(const KSDATAFORMAT& format) {
  if (format.Specifier != KSDATAFORMAT_SPECIFIER_WAVEFORMATEX ||
      format.FormatSize < sizeof(KSDATAFORMAT_WAVEFORMATEX)) {
    return nullptr;
  }
  return &reinterpret_cast<const KSDATAFORMAT_WAVEFORMATEX&>(format).WaveFormatEx;
}

uint32_t frames_per_second(const KS_VIDEOINFOHEADER& video) {
  return video.AvgTimePerFrame > 0
             ? std::max<uint32_t>(
                   1, static_cast<uint32_t>((10'000'000 + video.AvgTimePerFrame / 2) / video.AvgTimePerFrame))
             : 30;
}

std::optional<Picture> to_picture(const KSDATAFORMAT& format, std::span<const uint8_t> bytes) {
  const KS_VIDEOINFOHEADER* video = video_of(format);
  if (!video) return std::nullopt;
  LONG height = video->bmiHeader.biHeight;
  Shape shape{static_cast<uint32_t>(video->bmiHeader.biWidth), static_cast<uint32_t>(std::abs(height)), height > 0};
  size_t pixels = size_t{shape.width} * shape.height;
  const GUID& subtype = format.SubFormat;
  if (subtype == fourcc_guid(fourcc("YUY2")) && bytes.size() >= pixels * 2)
    return from_packed(shape, bytes.data(), 0, 1, 3);
  if (subtype == fourcc_guid(fourcc("UYVY")) && bytes.size() >= pixels * 2)
    return from_packed(shape, bytes.data(), 1, 0, 2);
  if (subtype == fourcc_guid(fourcc("NV12")) && bytes.size() >= pixels * 3 / 2) return from_nv12(shape, bytes.data());
  size_t row24 = (size_t{shape.width} * 3 + 3) & ~size_t{3};
  if (subtype == kRgb24 && bytes.size() >= row24 * shape.height) return from_rgb(shape, bytes.data(), 3);
  if (subtype == kRgb32 && bytes.size() >= pixels * 4) return from_rgb(shape, bytes.data(), 4);
  return std::nullopt;
}

}  // namespace host
