#include "vidmm/backing/cpu_view.h"

#include <sys/mman.h>

#include <utility>

#include "base/check.h"

namespace vidmm {
namespace {

// Bytes of `now` where it differs from `before`, else of `otherwise`.
uint64_t merged(uint64_t now, uint64_t before, uint64_t otherwise) {
  uint64_t mask = 0;
  for (uint64_t byte = 0xFF; byte != 0; byte <<= 8) {
    if ((now ^ before) & byte) mask |= byte;
  }
  return (now & mask) | (otherwise & ~mask);
}

// The words may be changed by others meanwhile.
std::vector<uint64_t> copy_of(std::span<const uint64_t> words) {
  std::vector<uint64_t> copy(words.size());
  for (size_t i = 0; i < words.size(); ++i) copy[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
  return copy;
}

}  // namespace

// --- Addresses ---

base::Result<std::unique_ptr<CpuView>> CpuView::reserve(uint64_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return base::Failure(STATUS_NO_MEMORY, "the process has no more addresses");
  return std::unique_ptr<CpuView>(new CpuView(address, bytes));
}

CpuView::~CpuView() { munmap(address_, bytes_); }

base::Result<> CpuView::show(std::span<const FilePart> parts) {
  char* at = static_cast<char*>(address_);
  for (const FilePart& part : parts) {
    CHECK(part.bytes <= bytes_ - static_cast<uint64_t>(at - static_cast<char*>(address_)));
    void* mapped = mmap(at, part.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, part.file,
                        static_cast<off_t>(part.offset));
    if (mapped == MAP_FAILED) {
      hide();
      return base::Failure(STATUS_NO_MEMORY, "the process has no more mappings");
    }
    at += part.bytes;
  }
  CHECK(at == static_cast<char*>(address_) + bytes_);
  shown_ = true;
  return {};
}

void CpuView::hide() {
  shown_ = false;
  CHECK(mmap(address_, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) !=
        MAP_FAILED);
}

// --- Writes ---

base::Result<std::unique_ptr<WritesUnderway>> WritesUnderway::begin(std::span<const FilePart> from, uint64_t bytes) {
  auto writes = std::make_unique<WritesUnderway>();
  writes->from_ = TRY(CpuView::reserve(bytes));
  TRY(writes->from_->show(from));
  writes->from_before_ = copy_of(writes->from_->words());
  return writes;
}

base::Result<> WritesUnderway::arrived(std::span<const FilePart> to) {
  to_ = TRY(CpuView::reserve(from_->bytes()));
  TRY(to_->show(to));
  std::span<const uint64_t> from = from_->words();
  std::span<uint64_t> there = to_->words();
  for (size_t i = 0; i < from.size(); ++i) {
    const uint64_t written = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    if (written == from_before_[i]) continue;
    there[i] = merged(written, from_before_[i], there[i]);
    from_before_[i] = written;
  }
  to_before_.assign(there.begin(), there.end());
  return {};
}

void WritesUnderway::carry_over() {
  std::span<const uint64_t> from = from_->words();
  std::span<uint64_t> to = to_->words();
  for (size_t i = 0; i < from.size(); ++i) {
    const uint64_t written = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    if (written == from_before_[i]) continue;
    uint64_t there = __atomic_load_n(&to[i], __ATOMIC_RELAXED);
    for (;;) {
      // What was written before the change, over what the copy brought, under what was written after it.
      uint64_t due = merged(there, to_before_[i], merged(written, from_before_[i], to_before_[i]));
      if (__atomic_compare_exchange_n(&to[i], &there, due, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    }
  }
}

}  // namespace vidmm
