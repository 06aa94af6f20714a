#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi/km/wdm.h"

namespace dxgk {

// What each page of an aperture segment shows, as the driver was told. Owned by the builder of paging buffers, on its
// thread.
class ApertureShadow {
 public:
  struct Page {
    enum class Shows : uint8_t { Nothing, Memory, Dummy };  // Nothing: the driver was never told
    Shows shows = Shows::Nothing;
    uint64_t physical = 0;
  };

  explicit ApertureShadow(uint64_t pages);

  uint64_t pages() const { return pages_; }
  uint64_t mapped() const { return mapped_; }  // pages that show memory

  // `pages` page numbers of the MDL. None of them may show memory yet: VidMm never maps over something.
  void map(uint64_t first, uint64_t pages, const MDL& mdl, uint32_t mdl_page);
  // Of any pages: a range that was never mapped may be given to the dummy page too.
  void unmap(uint64_t first, uint64_t pages, uint64_t dummy_page);

  Page at(uint64_t page) const;

 private:
  static constexpr uint64_t kChunk = 512;
  using Chunk = std::array<Page, kChunk>;

  Page& slot(uint64_t page);

  uint64_t pages_;
  uint64_t mapped_ = 0;
  std::vector<std::unique_ptr<Chunk>> chunks_;  // apertures are large and mostly empty
};

}  // namespace dxgk
