#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/scoped.h"

namespace base {

// A file with given bytes that has a path and leaves nothing behind.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("test", MFD_CLOEXEC)) {
    CHECK(::write(fd_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  ScopedFd fd_;
};

inline std::string read_whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  CHECK(in.good());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace base
