#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "base/result.h"

namespace kmt {

// The most that one call may make the kernel copy. Not documented; far beyond what a driver's private data needs.
inline constexpr size_t kMaxScratchBytes = size_t{64} << 20;

// Room for a client's list or private data while one call lasts: the usual sizes lie on the stack and cost nothing. Not
// zeroed; the caller fills it.
template <typename T, size_t N>
class Scratch {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Once. STATUS_NO_MEMORY.
  base::Result<> make(size_t count) {
    if (count > N) {
      if (count <= kMaxScratchBytes / sizeof(T)) heap_.reset(new (std::nothrow) T[count]);
      if (!heap_) return base::Failure(STATUS_NO_MEMORY, "the client wants more copied than the kernel has room for");
    }
    count_ = count;
    return {};
  }

  T* data() { return heap_ ? heap_.get() : reinterpret_cast<T*>(inline_); }
  size_t size() const { return count_; }
  std::span<T> span() { return {data(), count_}; }
  T& operator[](size_t i) { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + count_; }

 private:
  size_t count_ = 0;
  std::unique_ptr<T[]> heap_;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

using ByteScratch = Scratch<uint8_t, 256>;
using HandleScratch = Scratch<uint32_t, 32>;

}  // namespace kmt
