#include "tools/stream_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tools {

std::string StreamOutput::choose(const std::string& name, uint32_t frames) {
  name_ = name;
  if (name.empty()) return {};
  if (name.ends_with(".wav")) {
    kind_ = Kind::Sound;
  } else if (name.ends_with(".raw")) {
    kind_ = Kind::Bytes;
  } else {
    kind_ = Kind::Pictures;
    return pictures_.choose(name, frames);
  }
  return {};
}

std::string StreamOutput::add(const KSDATAFORMAT& format, std::span<const uint8_t> bytes) {
  switch (kind_) {
    case Kind::None:
      return {};
    case Kind::Sound:
      return add_sound(format, bytes);
    case Kind::Bytes:
      return add_bytes(bytes);
    case Kind::Pictures:
      break;
  }
  if (const KS_VIDEOINFOHEADER* video = host::video_of(format)) pictures_.set_rate(host::frames_per_second(*video));
  auto picture = host::to_picture(format, bytes);
  if (picture) return pictures_.add(*picture);
  return host::video_of(format)
             ? fmt::format("{}: {} bytes are no picture of {}", name_, bytes.size(), host::describe_format(format))
             : fmt::format("{}: {} is nothing to look at; -o out.wav or out.raw takes it", name_,
                           host::describe_format(format));
}

std::string StreamOutput::add_sound(const KSDATAFORMAT& format, std::span<const uint8_t> bytes) {
  const WAVEFORMATEX* sound = host::sound_of(format);
  if (!sound) return fmt::format("{}: {} is no sound", name_, host::describe_format(format));
  if (!std::exchange(sound_open_, true)) {
    if (std::string wrong = sound_.open(name_, *sound); !wrong.empty()) return wrong;
  }
  return sound_.add(bytes);
}

std::string StreamOutput::add_bytes(std::span<const uint8_t> bytes) {
  if (!bytes_) bytes_ = fopen(name_.c_str(), "wb");
  if (bytes_ && fwrite(bytes.data(), 1, bytes.size(), bytes_) == bytes.size()) return {};
  return fmt::format("{}: {}", name_, strerror(errno));
}

std::string StreamOutput::close() {
  if (kind_ == Kind::Pictures) return pictures_.close();
  if (kind_ == Kind::Sound) return sound_.close();
  if (bytes_ && fclose(std::exchange(bytes_, nullptr)) != 0) return fmt::format("{}: {}", name_, strerror(errno));
  return {};
}

}  // namespace tools
