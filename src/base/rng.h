#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "base/check.h"

namespace base {

// Random numbers from a seed alone: xoshiro256** with its state filled by SplitMix64 (both by Blackman and Vigna,
// public domain). A value type; each copy has its own stream, and one thread uses it.
class Rng {
 public:
  explicit constexpr Rng(uint64_t seed) : seed_(seed) {
    for (uint64_t& word : state_) word = splitmix(seed);
  }

  constexpr uint64_t next() {
    uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, n), without the bias of a remainder (Lemire: the high half of a product, low halves that would be
  // counted once too often are drawn again). One multiplication in nearly every case.
  constexpr uint64_t below(uint64_t n) {
    CHECK(n != 0);
    Wide product = Wide{next()} * n;
    if (static_cast<uint64_t>(product) < n) {
      uint64_t surplus = (0 - n) % n;
      while (static_cast<uint64_t>(product) < surplus) product = Wide{next()} * n;
    }
    return static_cast<uint64_t>(product >> 64);
  }

  // True in `numerator` of `denominator` cases.
  constexpr bool chance(uint64_t numerator, uint64_t denominator) { return below(denominator) < numerator; }

  // A stream of its own for one purpose. It depends on this stream's seed, the label and the ordinal, and not on what
  // was drawn before: a new user of random numbers does not change what the others draw.
  constexpr Rng split(std::string_view label, uint64_t ordinal = 0) const {
    uint64_t key = seed_;
    uint64_t mixed = splitmix(key) ^ ordinal;
    for (char c : label) {
      mixed ^= static_cast<unsigned char>(c);
      mixed = splitmix(mixed);
    }
    mixed ^= label.size();
    return Rng(splitmix(mixed));
  }

  constexpr uint64_t seed() const { return seed_; }

 private:
  __extension__ using Wide = unsigned __int128;

  // Advances `counter` and returns a well mixed number made of it.
  static constexpr uint64_t splitmix(uint64_t& counter) {
    counter += 0x9e3779b97f4a7c15;
    uint64_t z = counter;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t seed_;
  uint64_t state_[4] = {};
};

}  // namespace base
