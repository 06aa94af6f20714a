#include "softgpu/hw/local_memory.h"

#include <sys/mman.h>
#include <unistd.h>

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
    const Page* page = pages_[index];
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
    Page*& page = pages_[index];
    if (!page) {
      page = new Page;
      page->fill(SOFTGPU_LOCAL_POISON);
    }
    std::memcpy(page->data() + in_page, in + done, size);
  });
}

LocalMemory::~LocalMemory() {
  for (const Page* page : pages_) {
    if (!lent(page)) delete page;
  }
  if (mapped_) munmap(mapped_, SOFTGPU_LOCAL_BYTES);
  if (file_ >= 0) close(file_);
}

bool LocalMemory::lent(const Page* page) const {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(page);
  return mapped_ && bytes >= mapped_ && bytes < mapped_ + SOFTGPU_LOCAL_BYTES;
}

void LocalMemory::poison() {
  for (Page*& page : pages_) {
    if (lent(page)) {
      page->fill(SOFTGPU_LOCAL_POISON);
    } else {
      delete page;
      page = nullptr;
    }
  }
}

bool LocalMemory::make_file() {
  if (mapped_) return true;
  file_ = memfd_create("softgpu local memory", MFD_CLOEXEC);
  if (file_ < 0) return false;
  if (ftruncate(file_, SOFTGPU_LOCAL_BYTES) == 0) {
    void* all = mmap(nullptr, SOFTGPU_LOCAL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
    if (all != MAP_FAILED) {
      mapped_ = static_cast<uint8_t*>(all);
      return true;
    }
  }
  close(file_);
  file_ = -1;
  return false;
}

int LocalMemory::lend(uint64_t offset, uint64_t count) {
  if (!make_file()) return -1;
  for (uint64_t index = offset / SOFTGPU_PAGE_BYTES; index < (offset + count) / SOFTGPU_PAGE_BYTES; ++index) {
    Page*& page = pages_[index];
    if (lent(page)) continue;
    Page* in_file = reinterpret_cast<Page*>(mapped_ + index * SOFTGPU_PAGE_BYTES);
    if (page) {
      *in_file = *page;
      delete page;
    } else {
      in_file->fill(SOFTGPU_LOCAL_POISON);
    }
    page = in_file;
  }
  return file_;
}

size_t LocalMemory::touched_pages() const {
  return static_cast<size_t>(std::count_if(pages_.begin(), pages_.end(), [](const Page* page) { return page; }));
}

}  // namespace softgpu
