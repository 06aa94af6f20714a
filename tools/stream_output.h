#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "host/capture/media_format.h"
#include "host/capture/wav_file.h"
#include "tools/frame_output.h"

namespace tools {

// Where captured frames go: pictures or a film (FrameOutput), sound (.wav), or their bytes as they are (.raw). What it
// returns is empty, or one sentence about what is wrong.
class StreamOutput {
 public:
  std::string choose(const std::string& name, uint32_t frames);
  std::string add(const KSDATAFORMAT& format, std::span<const uint8_t> bytes);
  std::string close();
  bool is_standard_output() const { return kind_ == Kind::Pictures && pictures_.is_standard_output(); }

 private:
  enum class Kind : uint8_t { None, Pictures, Sound, Bytes };

  std::string add_sound(const KSDATAFORMAT& format, std::span<const uint8_t> bytes);
  std::string add_bytes(std::span<const uint8_t> bytes);

  std::string name_;
  Kind kind_ = Kind::None;
  FrameOutput pictures_;
  host::WavFile sound_;
  bool sound_open_ = false;
  FILE* bytes_ = nullptr;
};

}  // namespace tools
