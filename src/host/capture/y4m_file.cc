#include "host/capture/y4m_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace host {
namespace {

uint8_t rounded(double value) { return static_cast<uint8_t>(std::lround(value)); }

}  // namespace

Y4mFile::~Y4mFile() { static_cast<void>(close()); }

std::string Y4mFile::failure() const { return fmt::format("{}: {}", path_, strerror(errno)); }

std::string Y4mFile::open(const std::string& path, uint32_t width, uint32_t height, uint32_t frames_per_second) {
  path_ = path == "-" ? "standard output" : path;
  width_ = width;
  height_ = height;
  if (width == 0 || height == 0) return fmt::format("{}: a film without pixels cannot be written", path_);
  file_ = path == "-" ? stdout : fopen(path.c_str(), "wb");
  if (!file_) return failure();
  std::string header = fmt::format("YUV4MPEG2 W{} H{} F{}:1 Ip A1:1 C444\n", width, height, frames_per_second);
  return fwrite(header.data(), 1, header.size(), file_) == header.size() ? std::string() : failure();
}

std::string Y4mFile::add(const Picture& picture) {
  CHECK(file_);
  if (picture.width != width_ || picture.height != height_) {
    return fmt::format("{}: a picture of {}x{} in a film of {}x{}", path_, picture.width, picture.height, width_,
                       height_);
  }
  constexpr char kMark[] = "FRAME\n";
  const size_t mark = sizeof(kMark) - 1, plane = picture.pixels.size();
  std::vector<uint8_t> bytes(mark + 3 * plane);
  memcpy(bytes.data(), kMark, mark);
  uint8_t* y = bytes.data() + mark;
  for (size_t i = 0; i < plane; ++i) {
    double red = picture.pixels[i].red / 255.0, green = picture.pixels[i].green / 255.0;
    double blue = picture.pixels[i].blue / 255.0;
    double luma = 0.299 * red + 0.587 * green + 0.114 * blue;
    y[i] = rounded(16 + 219 * luma);
    y[plane + i] = rounded(128 + 224 * (blue - luma) / 1.772);
    y[2 * plane + i] = rounded(128 + 224 * (red - luma) / 1.402);
  }
  return fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size() ? std::string() : failure();
}

std::string Y4mFile::close() {
  FILE* file = std::exchange(file_, nullptr);
  if (!file) return {};
  bool written = (file == stdout ? fflush(file) : fclose(file)) == 0;
  return written ? std::string() : failure();
}

}  // namespace host
