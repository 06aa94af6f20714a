#pragma once

#include <cstdint>
#include <cstdlib>

namespace base {

// The seed of a randomised test: DRYDOCK_SEED, to replay a failure, or else `standard`. A test prints the one it used.
inline uint64_t seed_for_test(uint64_t standard) {
  const char* given = std::getenv("DRYDOCK_SEED");
  return given ? std::strtoull(given, nullptr, 0) : standard;
}

}  // namespace base
