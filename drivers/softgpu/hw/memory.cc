#include "softgpu/hw/memory.h"

#include <algorithm>
#include <cstring>

namespace softgpu {

Outcome Memory::read(const View& view, uint64_t address, void* bytes, size_t count, Access access) {
  uint8_t* out = static_cast<uint8_t*>(bytes);
  return for_each_page(view, address, count, access, [&](const Place& place, size_t done, size_t size) -> Outcome {
    if (!place.zero) return physical_.read(place.physical, out + done, size, access);
    std::memset(out + done, 0, size);
    return {};
  });
}

Outcome Memory::write(const View& view, uint64_t address, const void* bytes, size_t count) {
  const uint8_t* in = static_cast<const uint8_t*>(bytes);
  return for_each_page(view, address, count, Access::Write,
                       [&](const Place& place, size_t done, size_t size) -> Outcome {
                         if (place.zero) return {};
                         return physical_.write(place.physical, in + done, size);
                       });
}

template <typename Piece>
Outcome Memory::for_each_page(const View& view, uint64_t address, size_t count, Access access, Piece piece) {
  if (Outcome fault = check(view, address, count, access)) return fault;
  for (size_t done = 0; done < count;) {
    size_t size = std::min<size_t>(count - done, SOFTGPU_PAGE_BYTES - (address + done) % SOFTGPU_PAGE_BYTES);
    Place place;
    if (fault_is_due()) return Fault{SOFTGPU_FAULT_NOT_PRESENT, access, address + done};
    if (Outcome fault = resolve(view, address + done, access, &place)) return fault;
    if (Outcome fault = piece(place, done, size)) return fault;
    done += size;
  }
  return {};
}

bool Memory::fault_is_due() {
  return accesses_until_fault_ && *accesses_until_fault_ != 0 && --*accesses_until_fault_ == 0;
}

Outcome Memory::check(const View& view, uint64_t address, size_t count, Access access) const {
  uint32_t space = softgpu_address_space(address);
  if (space != SOFTGPU_SPACE_VIRTUAL && !view.privileged) return Fault{SOFTGPU_FAULT_PRIVILEGE, access, address};

  constexpr uint64_t kEnd = SOFTGPU_ADDRESS_OFFSET_MASK + 1;
  uint64_t offset = softgpu_address_offset(address);
  bool reserved_bits = softgpu_address(space, offset) != address;
  if (space > SOFTGPU_SPACE_SYSTEM || reserved_bits || count > kEnd - offset)
    return Fault{SOFTGPU_FAULT_ADDRESS, access, address};
  return {};
}

Outcome Memory::resolve(const View& view, uint64_t address, Access access, Place* place) {
  place->physical = address;
  if (softgpu_address_space(address) == SOFTGPU_SPACE_VIRTUAL) {
    Translation translation;
    if (Outcome fault = mmu_.translate(view.vmid, address, access, &translation)) return fault;
    place->zero = (translation.flags & SOFTGPU_PTE_ZERO) != 0;
    place->physical = translation.address | address % SOFTGPU_PAGE_BYTES;
  }
  if (!place->zero && softgpu_address_space(place->physical) == SOFTGPU_SPACE_APERTURE)
    return aperture_.translate(softgpu_address_offset(place->physical), access, &place->physical);
  return {};
}

}  // namespace softgpu
