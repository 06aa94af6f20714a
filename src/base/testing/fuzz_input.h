#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace base::testing {

// A fuzzer's bytes, read as choices. Each choice uses a few of them. When they are used up every choice is 0, so 0 must
// always mean the harmless choice. Owned by one run of a fuzzer.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : left_(data, size) {}

  bool empty() const { return left_.empty(); }

  template <typename T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    size_t bytes = left_.size() < sizeof(T) ? left_.size() : sizeof(T);
    if (bytes) std::memcpy(&value, left_.data(), bytes);
    left_ = left_.subspan(bytes);
    return value;
  }
  // 0 … count - 1.
  uint32_t below(uint32_t count) {
    if (count <= 1) return 0;
    return (count <= 256 ? take<uint8_t>() : take<uint32_t>()) % count;
  }
  // Once in `times`, if the bytes are evenly spread; never when they are used up.
  bool rarely(uint32_t times) { return take<uint8_t>() % times == times - 1; }

  // A number; more often than others one at which checks tend to fail.
  uint64_t odd_number() {
    switch (below(8)) {
      case 0:
        return below(8);
      case 1:
        return uint64_t{1} << below(64);
      case 2:
        return (uint64_t{1} << below(64)) - 1;
      case 3:
        return ~uint64_t{0} - below(8);
      case 4:
        return uint64_t{take<uint8_t>()} * 4096;
      case 5:
        return take<uint16_t>();
      case 6:
        return take<uint32_t>();
      default:
        return take<uint64_t>();
    }
  }
  // Overwrites some of the bytes of a structure, as words of 4 or 8 bytes at their natural places, or as single bits.
  void corrupt(void* structure, size_t bytes) {
    auto* at = static_cast<uint8_t*>(structure);
    for (uint32_t times = 1 + below(3); times && bytes; --times) {
      switch (below(3)) {
        case 0:
          if (bytes >= 8) {
            put(at + 8 * below(static_cast<uint32_t>(bytes / 8)), odd_number());
            break;
          }
          [[fallthrough]];
        case 1:
          if (bytes >= 4) {
            put(at + 4 * below(static_cast<uint32_t>(bytes / 4)), static_cast<uint32_t>(odd_number()));
            break;
          }
          [[fallthrough]];
        default:
          at[below(static_cast<uint32_t>(bytes))] ^= static_cast<uint8_t>(1u << below(8));
      }
    }
  }

 private:
  template <typename T>
  static void put(uint8_t* at, T value) {
    std::memcpy(at, &value, sizeof(value));
  }

  std::span<const uint8_t> left_;
};

}  // namespace base::testing
