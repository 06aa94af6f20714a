#pragma once

// A bug that we plant and a fuzzer must find. `base::planted("kmt_thunks_fuzz")` is true where a check is to be left
// out. It is so only in the files that the fuzz tree compiles with DRYDOCK_PLANTED (the keyword PLANTED of
// drydock_layer), and only while the variable DRYDOCK_PLANTED names that fuzzer. Elsewhere it is a constant.
// scripts/fuzz --planted tries each.
#ifdef DRYDOCK_PLANTED
#include <cstdlib>
#include <cstring>
#endif

namespace base {

#ifdef DRYDOCK_PLANTED
static inline bool planted(const char* fuzzer) {
  static const char* const wanted = std::getenv("DRYDOCK_PLANTED");
  return wanted && std::strcmp(wanted, fuzzer) == 0;
}
#else
static constexpr bool planted(const char*) { return false; }
#endif

}  // namespace base
