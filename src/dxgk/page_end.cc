#include "dxgk/page_end.h"

#include <sys/mman.h>

#include <cstring>

#include "base/check.h"
#include "nt/address_space.h"

namespace dxgk {
namespace {

constexpr size_t kPage = 4096;
constexpr uint32_t kSlots = 8;

// Between the arenas of stacks and of pool. Each slot is a page and, behind it, one without access.
constexpr nt::Region kSlotPages = {nt::kStackArena.base + nt::kStackArena.bytes + nt::kGiB, kSlots * 2 * kPage};
static_assert(kSlotPages.base + kSlotPages.bytes <= nt::kPoolArena.base);

void reserve_slots() {
  static const bool once = [] {
    nt::reserve(kSlotPages, PROT_NONE);
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
      void* page = reinterpret_cast<void*>(kSlotPages.base + slot * 2 * kPage);
      CHECK(mprotect(page, kPage, PROT_READ | PROT_WRITE) == 0);
    }
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

void* at_page_end(uint32_t slot, std::span<const uint8_t> bytes) {
  CHECK_MSG(bytes.size() <= kPage, "only what fits into a page");
  reserve_slots();
  auto* end = reinterpret_cast<uint8_t*>(kSlotPages.base + (slot % kSlots) * 2 * kPage + kPage);
  return std::memcpy(end - bytes.size(), bytes.data(), bytes.size());
}

}  // namespace dxgk
