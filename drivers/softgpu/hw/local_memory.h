#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {

// The memory on the card. A page takes room when it is first written; until then it reads as poison, so that nobody
// relies on what was there before.
class LocalMemory {
 public:
  LocalMemory() : pages_(SOFTGPU_LOCAL_BYTES / SOFTGPU_PAGE_BYTES) {}

  static bool contains(uint64_t offset, uint64_t count) {
    return offset <= SOFTGPU_LOCAL_BYTES && count <= SOFTGPU_LOCAL_BYTES - offset;
  }

  // The range is contained.
  void read(uint64_t offset, void* bytes, size_t count) const;
  void write(uint64_t offset, const void* bytes, size_t count);

  // Everything is lost.
  void poison();

  size_t touched_pages() const;

 private:
  using Page = std::array<uint8_t, SOFTGPU_PAGE_BYTES>;

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace softgpu
