#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "abi/ks/mmreg.h"

namespace host {

// Sound as a RIFF file of the WAVE form, which everything plays. Its lengths are written at the end. Owned and used by
// one thread; what it returns is empty, or one sentence about what went wrong.
class WavFile {
 public:
  WavFile() = default;
  ~WavFile();
  WavFile(const WavFile&) = delete;
  WavFile& operator=(const WavFile&) = delete;

  std::string open(const std::string& path, const WAVEFORMATEX& format);
  std::string add(std::span<const uint8_t> samples);
  std::string close();

 private:
  std::string failure() const;
  bool write_head();

  std::string path_;
  FILE* file_ = nullptr;
  WAVEFORMATEX format_{};
  uint32_t bytes_ = 0;
};

}  // namespace host
