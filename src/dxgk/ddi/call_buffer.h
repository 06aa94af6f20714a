#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "nt/machine/machine.h"

namespace dxgk {

// Bytes that a driver gets for one call. When the machine checks, they are in a block of exactly their size: reading or
// writing beyond is found. Live machines pass the caller's own copy.
class CallBuffer {
 public:
  CallBuffer(nt::Machine& machine, std::span<const uint8_t> bytes);
  ~CallBuffer();
  CallBuffer(const CallBuffer&) = delete;
  CallBuffer& operator=(const CallBuffer&) = delete;

  void* data() const { return data_; }
  size_t size() const { return original_.size(); }
  bool changed() const { return guarded_ && std::memcmp(data_, original_.data(), original_.size()) != 0; }
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

// Bytes that the driver must leave as they are.
class ConstCallBuffer final : public CallBuffer {
 public:
  using CallBuffer::CallBuffer;
  // A finding if they were changed.
  void check_unchanged(const char* ddi, const char* what = "the private data of the resource") const;
};

// The private data of several allocations in one call: a block for each when the machine checks, the caller's own bytes
// otherwise.
class CallBuffers {
 public:
  explicit CallBuffers(nt::Machine& machine) : machine_(machine) {}

  void* add(std::span<uint8_t> bytes);
  // What the driver wrote, into the bytes that were added.
  void copy_back();
  // A finding if it wrote although it may only read.
  void check_unchanged(const char* ddi) const;

 private:
  nt::Machine& machine_;
  std::vector<std::pair<std::unique_ptr<CallBuffer>, std::span<uint8_t>>> guarded_;
};

}  // namespace dxgk
