#pragma once

#include <cstddef>
#include <cstdint>

#include "softgpu/hw/aperture.h"
#include "softgpu/hw/fault.h"
#include "softgpu/hw/mmu.h"
#include "softgpu/hw/physical_memory.h"

namespace softgpu {

// The address space and the rights with which a packet accesses memory.
struct View {
  uint32_t vmid = 0;
  bool privileged = true;  // may use physical addresses
};

// All the memory an engine can name, by the addresses of softgpu_address.h. Owned by the device.
class Memory {
 public:
  Memory(PhysicalMemory& physical, Aperture& aperture, Mmu& mmu)
      : physical_(physical), aperture_(aperture), mmu_(mmu) {}

  // For tests: counts accesses down to 0, and the one that gets there faults. Null: none will.
  void fault_after(uint32_t* accesses) { accesses_until_fault_ = accesses; }

  // On a fault a part may have been done: what lies before the address of the fault.
  [[nodiscard]] Outcome read(const View& view, uint64_t address, void* bytes, size_t count,
                             Access access = Access::Read);
  [[nodiscard]] Outcome write(const View& view, uint64_t address, const void* bytes, size_t count);

  // Of any type that is plain bytes; the address is a multiple of its size.
  template <typename T>
  [[nodiscard]] Outcome load(const View& view, uint64_t address, T* value) {
    if (address % sizeof(T) != 0) return Fault{SOFTGPU_FAULT_ADDRESS, Access::Read, address};
    return read(view, address, value, sizeof(T));
  }
  template <typename T>
  [[nodiscard]] Outcome store(const View& view, uint64_t address, T value) {
    if (address % sizeof(T) != 0) return Fault{SOFTGPU_FAULT_ADDRESS, Access::Write, address};
    return write(view, address, &value, sizeof(T));
  }

 private:
  struct Place {
    uint64_t physical = 0;
    bool zero = false;  // a page that is not there, but may be touched
  };

  [[nodiscard]] Outcome check(const View& view, uint64_t address, size_t count, Access access) const;
  bool fault_is_due();
  [[nodiscard]] Outcome resolve(const View& view, uint64_t address, Access access, Place* place);
  // Calls piece(place, offset in range, bytes) for each page of the range.
  template <typename Piece>
  [[nodiscard]] Outcome for_each_page(const View& view, uint64_t address, size_t count, Access access, Piece piece);

  PhysicalMemory& physical_;
  Aperture& aperture_;
  Mmu& mmu_;
  uint32_t* accesses_until_fault_ = nullptr;
};

}  // namespace softgpu
