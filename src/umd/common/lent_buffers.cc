#include "umd/common/lent_buffers.h"

#include <algorithm>
#include <cstring>

namespace umd {

uint8_t* LentBuffers::lend(uint8_t* kernel, size_t bytes) {
  kernel_ = kernel;
  std::vector<uint8_t>& buffer = buffers_[lent_];
  if (buffer.size() != bytes) buffer.assign(bytes, 0);
  return buffer.data();
}

void LentBuffers::submit(size_t offset, size_t length) {
  const std::vector<uint8_t>& buffer = buffers_[lent_];
  if (offset > buffer.size() || length > buffer.size() - offset) return;
  std::memcpy(kernel_ + offset, buffer.data() + offset, length);
  used_ = offset + length;
}

uint8_t* LentBuffers::turn(uint8_t* kernel, size_t bytes) {
  std::vector<uint8_t>& old = buffers_[lent_];
  watched_ = std::min(used_ + kBeyond, old.size());
  std::memset(old.data(), kFill, watched_);
  used_ = 0;
  lent_ ^= 1;
  return lend(kernel, bytes);
}

std::optional<size_t> LentBuffers::written() {
  std::vector<uint8_t>& idle = buffers_[lent_ ^ 1];
  auto end = idle.begin() + static_cast<ptrdiff_t>(watched_);
  auto found = std::find_if(idle.begin(), end, [](uint8_t byte) { return byte != kFill; });
  if (found == end) return std::nullopt;
  std::fill(idle.begin(), end, kFill);
  return static_cast<size_t>(found - idle.begin());
}

}  // namespace umd
