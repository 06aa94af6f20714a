#pragma once

#include <cstdio>
#include <string>

#include "host/render/picture.h"

namespace host {

// A film as YUV4MPEG2, which players and encoders read from a file or a pipe. Every pixel has its own colour (C444).
// Colours are those of ITU-R BT.601 in the range that readers assume (black 16, white 235):
//   Y  =  16 + 219 * luma            luma = 0.299 R + 0.587 G + 0.114 B    (R, G, B from 0 to 1)
//   Cb = 128 + 224 * (B - luma) / 1.772
//   Cr = 128 + 224 * (R - luma) / 1.402
// Alpha is left out. Owned and used by one thread; what it returns is empty, or one sentence about what went wrong.
class Y4mFile {
 public:
  Y4mFile() = default;
  ~Y4mFile();
  Y4mFile(const Y4mFile&) = delete;
  Y4mFile& operator=(const Y4mFile&) = delete;

  // "-" is standard output.
  std::string open(const std::string& path, uint32_t width, uint32_t height, uint32_t frames_per_second);
  std::string add(const Picture& picture);
  std::string close();

 private:
  std::string failure() const;

  std::string path_;
  FILE* file_ = nullptr;
  uint32_t width_ = 0;
  uint32_t height_ = 0;
};

}  // namespace host
