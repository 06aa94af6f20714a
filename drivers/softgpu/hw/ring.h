#pragma once

#include <cstdint>

#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"

namespace softgpu {

// An engine's ring as its registers describe it. Owned by the engine.
struct Ring {
  uint64_t base = 0;
  uint32_t size = 0;
  uint32_t vmid = 0;
  uint32_t head = 0;
  uint32_t tail = 0;

  bool well_formed() const;
  bool well_formed_tail() const { return tail < size && tail % 8 == 0; }

  // The ring is well formed from here on.
  bool empty() const { return head == tail; }
  uint32_t pending_bytes() const { return (tail - head) & (size - 1); }
  uint64_t head_address() const { return base + head; }
  void advance(uint64_t bytes) { head = static_cast<uint32_t>((head + bytes) & (size - 1)); }
  // From the head on, around the end if need be.
  [[nodiscard]] Outcome fetch(Memory& memory, void* bytes, size_t count) const;
};

}  // namespace softgpu
