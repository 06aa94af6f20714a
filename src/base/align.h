#pragma once

#include <cstddef>
#include <cstdint>

namespace base {

inline constexpr size_t kPageBytes = 4096;  // of the processor's memory

// `to` is a power of two. What does not fit into 64 bits wraps around.
constexpr uint64_t round_down(uint64_t value, uint64_t to) { return value & ~(to - 1); }
constexpr uint64_t round_up(uint64_t value, uint64_t to) { return round_down(value + to - 1, to); }

// How many pages hold that many bytes, from the beginning of a page.
constexpr uint64_t page_count(uint64_t bytes) { return round_up(bytes, kPageBytes) / kPageBytes; }

}  // namespace base
