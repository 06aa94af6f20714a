#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {

// The memory on the card. A page takes room when it is first written; until then it reads as poison, so that no driver
// relies on what was there before. What is lent lies in a file from then on, where others can map it.
class LocalMemory {
 public:
  LocalMemory() : pages_(SOFTGPU_LOCAL_BYTES / SOFTGPU_PAGE_BYTES) {}
  ~LocalMemory();
  LocalMemory(const LocalMemory&) = delete;
  LocalMemory& operator=(const LocalMemory&) = delete;

  static bool contains(uint64_t offset, uint64_t count) {
    return offset <= SOFTGPU_LOCAL_BYTES && count <= SOFTGPU_LOCAL_BYTES - offset;
  }

  // The range is contained.
  void read(uint64_t offset, void* bytes, size_t count) const;
  void write(uint64_t offset, const void* bytes, size_t count);

  // Everything is lost. What is lent stays so.
  void poison();

  // Whole pages, contained: they lie in the file at the same offset. The file's descriptor, or -1 when there is none.
  int lend(uint64_t offset, uint64_t count);

  size_t touched_pages() const;

 private:
  using Page = std::array<uint8_t, SOFTGPU_PAGE_BYTES>;

  bool lent(const Page* page) const;
  bool make_file();

  std::vector<Page*> pages_;   // null: poison. Ours alone, or a part of the file
  uint8_t* mapped_ = nullptr;  // all of the file, once there is one
  int file_ = -1;
};

}  // namespace softgpu
