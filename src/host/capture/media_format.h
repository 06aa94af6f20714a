#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "abi/ks/ksmedia.h"
#include "host/render/picture.h"

namespace host {

// What a person calls a subtype: "YUY2", "RGB24", "PCM"; the GUID where it has no shorter name.
std::string subtype_name(const GUID& subtype);
std::optional<GUID> parse_subtype(const std::string& name);
// A range or a format in one line: "video YUY2 160x120 to 1280x720, 5 to 60 a second", "audio PCM 16 bit 44100 Hz 2".
std::string describe_range(const KSDATARANGE& range);
std::string describe_format(const KSDATAFORMAT& format);

// What was asked for on a command line: YUY2:320x240, RGB24:640x480@15, PCM:44100x2.
struct FormatRequest {
  static std::optional<FormatRequest> parse(const std::string& text);

  GUID subtype;
  uint32_t width = 0;              // of sound: samples in a second
  uint32_t height = 0;             // of sound: channels
  uint32_t frames_per_second = 0;  // 0: the driver chooses
};

// A range that asks the driver for exactly the requested format: one of its own ranges, narrowed. Empty when the
// request does not fit into it. A driver that compares its ranges by their bytes does not recognise this one.
std::vector<uint8_t> narrow(const KSDATARANGE& range, const FormatRequest& request);

// Makes a format that the driver gave for one of its ranges the one that was asked for: sizes, and what follows from
// them. What has no such sizes stays as it is.
void apply_request(const FormatRequest& request, std::vector<uint8_t>& format);

// The header of a video format; null for anything else, or for one whose numbers do not fit its size.
const KS_VIDEOINFOHEADER* video_of(const KSDATAFORMAT& format);
const WAVEFORMATEX* sound_of(const KSDATAFORMAT& format);
uint32_t frames_per_second(const KS_VIDEOINFOHEADER& video);

// A frame as a person sees it: YUY2, UYVY, NV12, RGB24 and RGB32, either way up. Nothing when the bytes do not suffice
// or the subtype is another.
std::optional<Picture> to_picture(const KSDATAFORMAT& format, std::span<const uint8_t> bytes);

}  // namespace host
