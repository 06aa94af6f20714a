#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "nt/machine.h"

namespace dxgk {

// Bytes that a driver is shown during one call, in a block of exactly their size when the machine checks: reading or
// writing beyond is found. Live machines show the caller's own copy.
class CallBuffer {
 public:
  CallBuffer(nt::Machine& machine, std::span<const uint8_t> bytes);
  ~CallBuffer();
  CallBuffer(const CallBuffer&) = delete;
  CallBuffer& operator=(const CallBuffer&) = delete;

  void* data() const { return data_; }
  size_t size() const { return original_.size(); }
  // Into what the caller gave, which is then writable.
  void copy_back(std::span<uint8_t> to) const {
    if (guarded_ && !to.empty()) std::memcpy(to.data(), data_, to.size());
  }

 protected:
  nt::Machine& machine_;
  std::span<const uint8_t> original_;
  void* data_ = nullptr;
  bool guarded_ = false;
};

// … which the driver must leave as they are.
class ConstCallBuffer final : public CallBuffer {
 public:
  using CallBuffer::CallBuffer;
  // A finding if they were changed.
  void check_unchanged(const char* ddi) const;
};

}  // namespace dxgk
