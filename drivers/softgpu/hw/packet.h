#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "softgpu/proto/softgpu_cmd.h"

namespace softgpu {

// A packet as it was fetched: whole, or of a bad one only the header, or nothing. Owned by the engine that runs it.
class Packet {
 public:
  Packet() = default;
  explicit Packet(std::vector<uint64_t> qwords) : qwords_(std::move(qwords)) {}

  bool empty() const { return qwords_.empty(); }
  SOFTGPU_HEADER header() const { return as<SOFTGPU_HEADER>(); }
  uint64_t first_qword() const { return qwords_[0]; }
  uint64_t bytes() const { return qwords_.size() * 8; }
  bool has(uint8_t flag) const { return (header().flags & flag) != 0; }

  // Its fixed part; the packet is well formed, so it is long enough.
  template <typename T>
  T as() const {
    T fixed;
    std::memcpy(&fixed, qwords_.data(), sizeof(T));
    return fixed;
  }
  // What follows the fixed part.
  template <typename T>
  const uint64_t* after() const {
    return qwords_.data() + sizeof(T) / 8;
  }

  // It is whole. Known, as long as it says, nothing reserved in use, and no larger than what one packet may ask for.
  bool well_formed() const;
  bool needs_privilege() const;
  // How long the hardware takes.
  uint64_t cost_ns() const;

 private:
  bool length_is_right() const;
  bool operands_are_right() const;
  bool drawing_is_right() const;

  std::vector<uint64_t> qwords_;
};

}  // namespace softgpu
