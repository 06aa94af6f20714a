#include "softgpu/hw/local_memory.h"

#include <algorithm>
#include <cstring>

namespace softgpu {
namespace {

// Calls piece(page, offset in page, offset in range, bytes) for each page that the range touches.
template <typename Piece>
void for_each_page(uint64_t offset, size_t count, Piece piece) {
  for (size_t done = 0; done < count;) {
    size_t in_page = (offset + done) % SOFTGPU_PAGE_BYTES;
    size_t bytes = std::min<size_t>(count - done, SOFTGPU_PAGE_BYTES - in_page);
    piece((offset + done) / SOFTGPU_PAGE_BYTES, in_page, done, bytes);
    done += bytes;
  }
}

}  // namespace

void LocalMemory::read(uint64_t offset, void* bytes, size_t count) const {
  uint8_t* out = static_cast<uint8_t*>(bytes);
  for_each_page(offset, count, [&](uint64_t index, size_t in_page, size_t done, size_t size) {
    const std::unique_ptr<Page>& page = pages_[index];
    if (page) {
      std::memcpy(out + done, page->data() + in_page, size);
    } else {
      std::memset(out + done, SOFTGPU_LOCAL_POISON, size);
    }
  });
}

void LocalMemory::write(uint64_t offset, const void* bytes, size_t count) {
  const uint8_t* in = static_cast<const uint8_t*>(bytes);
  for_each_page(offset, count, [&](uint64_t index, size_t in_page, size_t done, size_t size) {
    std::unique_ptr<Page>& page = pages_[index];
    if (!page) {
      page = std::make_unique<Page>();
      page->fill(SOFTGPU_LOCAL_POISON);
    }
    std::memcpy(page->data() + in_page, in + done, size);
  });
}

void LocalMemory::poison() {
  for (std::unique_ptr<Page>& page : pages_) page.reset();
}

size_t LocalMemory::touched_pages() const {
  return std::count_if(pages_.begin(), pages_.end(), [](const auto& page) { return page != nullptr; });
}

}  // namespace softgpu
