#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "base/align.h"
#include "base/check.h"
#include "base/testing/fuzz_input.h"

namespace ks::testing {

// Four pages for the arguments of a fuzzer's requests. The page after them is read-only, the next has no access rights.
class ArgumentPages {
 public:
  static constexpr size_t kRoom = 4 * base::kPageBytes;
  ArgumentPages() {
    void* at = mmap(nullptr, kRoom + 2 * base::kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    base_ = static_cast<uint8_t*>(at);
    CHECK(mprotect(base_ + kRoom, base::kPageBytes, PROT_READ) == 0);
    CHECK(mprotect(base_ + kRoom + base::kPageBytes, base::kPageBytes, PROT_NONE) == 0);
  }
  ~ArgumentPages() { munmap(base_, kRoom + 2 * base::kPageBytes); }
  ArgumentPages(const ArgumentPages&) = delete;
  ArgumentPages& operator=(const ArgumentPages&) = delete;

  uint8_t* room(uint32_t which) { return base_ + which * base::kPageBytes; }
  // Half of `bytes` can be reached, or none.
  void* bad(base::testing::FuzzInput& input, size_t bytes) {
    switch (input.below(4)) {
      case 0:
        return nullptr;
      case 1:
        return base_ + kRoom - bytes / 2;
      case 2:
        return base_ + kRoom + base::kPageBytes - bytes / 2;
      default:
        return reinterpret_cast<void*>(0xFFFF'8000'0000'0000 + 4096ull * input.take<uint8_t>());
    }
  }

 private:
  uint8_t* base_;
};

}  // namespace ks::testing
