#include "dxgk/ddi/guarded_copy.h"

#include <sys/mman.h>

#include <cstring>

#include "base/align.h"
#include "base/check.h"
#include "nt/mm/address_space.h"

namespace dxgk {
namespace {

constexpr uint32_t kSlots = 8;

// Between the arenas of stacks and of pool. Each slot is a page and, behind it, one without access.
constexpr nt::Region kSlotPages = {nt::kStackArena.base + nt::kStackArena.bytes + nt::kGiB,
                                   kSlots * 2 * base::kPageBytes};
static_assert(kSlotPages.base + kSlotPages.bytes <= nt::kPoolArena.base);

void reserve_slots() {
  static const bool once = [] {
    nt::reserve(kSlotPages, PROT_NONE);
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
      void* page = reinterpret_cast<void*>(kSlotPages.base + slot * 2 * base::kPageBytes);
      CHECK(mprotect(page, base::kPageBytes, PROT_READ | PROT_WRITE) == 0);
    }
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

void* guarded_copy(uint32_t slot, std::span<const uint8_t> bytes) {
  CHECK_MSG(bytes.size() <= base::kPageBytes, "only what fits into a page");
  reserve_slots();
  auto* end = reinterpret_cast<uint8_t*>(kSlotPages.base + (slot % kSlots) * 2 * base::kPageBytes + base::kPageBytes);
  return std::memcpy(end - bytes.size(), bytes.data(), bytes.size());
}

}  // namespace dxgk
