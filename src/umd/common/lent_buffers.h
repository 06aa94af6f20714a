#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace umd {

// The command buffers that the runtime lends a driver, two in turn: the kernel has one for each context and takes it
// back as soon as a submission returns. What is submitted is copied there; the buffer that it was written in is filled,
// and stays the runtime's until its next turn. Owned by its context; used by the thread that submits to it.
class LentBuffers {
 public:
  // The kernel's buffer, and one to write in that is as large.
  uint8_t* lend(uint8_t* kernel, size_t bytes);
  // The commands of a submission go where the kernel looks for them. What does not fit is the kernel's to refuse.
  void submit(size_t offset, size_t length);
  // The submission has been taken: `kernel` is where the next one goes. The buffer for it.
  uint8_t* turn(uint8_t* kernel, size_t bytes);
  // Where the driver wrote into the buffer that is not lent; empty if it did not. The call repairs the buffer.
  std::optional<size_t> written();

 private:
  static constexpr uint8_t kFill = 0xDB;
  static constexpr size_t kBeyond = 256;  // watched behind the commands

  std::vector<uint8_t> buffers_[2];
  uint8_t* kernel_ = nullptr;
  uint32_t lent_ = 0;
  size_t used_ = 0;     // of the one that is lent
  size_t watched_ = 0;  // of the other one
};

}  // namespace umd
