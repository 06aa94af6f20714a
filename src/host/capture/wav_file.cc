#include "host/capture/wav_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace host {

WavFile::~WavFile() {
  if (file_) fclose(file_);
}

std::string WavFile::failure() const { return fmt::format("{}: {}", path_, strerror(errno)); }

bool WavFile::write_head() {
  struct [[gnu::packed]] {
    char riff[4] = {'R', 'I', 'F', 'F'};
    uint32_t riff_bytes;
    char wave[8] = {'W', 'A', 'V', 'E', 'f', 'm', 't', ' '};
    uint32_t format_bytes = 16;
    uint16_t tag, channels;
    uint32_t frequency, bytes_a_second;
    uint16_t block, bits;
    char data[4] = {'d', 'a', 't', 'a'};
    uint32_t data_bytes;
  } head;
  static_assert(sizeof(head) == 44);
  head.riff_bytes = 36 + bytes_;
  head.tag = format_.wFormatTag;
  head.channels = format_.nChannels;
  head.frequency = format_.nSamplesPerSec;
  head.bytes_a_second = format_.nAvgBytesPerSec;
  head.block = format_.nBlockAlign;
  head.bits = format_.wBitsPerSample;
  head.data_bytes = bytes_;
  return fwrite(&head, sizeof(head), 1, file_) == 1;
}

std::string WavFile::open(const std::string& path, const WAVEFORMATEX& format) {
  path_ = path;
  format_ = format;
  file_ = fopen(path.c_str(), "wb");
  return file_ && write_head() ? "" : failure();
}

std::string WavFile::add(std::span<const uint8_t> samples) {
  if (samples.size() > UINT32_MAX - 36 - bytes_) return fmt::format("{}: a WAVE file ends at 4 GiB", path_);
  if (fwrite(samples.data(), 1, samples.size(), file_) != samples.size()) return failure();
  bytes_ += static_cast<uint32_t>(samples.size());
  return {};
}

std::string WavFile::close() {
  if (!file_) return {};
  std::string wrong;
  if (fseek(file_, 0, SEEK_SET) != 0 || !write_head()) wrong = failure();
  if (fclose(std::exchange(file_, nullptr)) != 0 && wrong.empty()) wrong = failure();
  return wrong;
}

}  // namespace host
