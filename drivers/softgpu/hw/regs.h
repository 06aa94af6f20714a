#pragma once

#include <cstdint>
#include <optional>

namespace softgpu {

// The block a register belongs to.
enum class Block { Device, Vmid, Engine, Hooks };

// What answers at an offset in the register bar.
struct Register {
  Block block;
  uint32_t index;   // which VMID or engine
  uint32_t offset;  // where the register begins: in its block, or for Block::Device in the bar
  uint32_t bytes;   // 4 or 8
  bool upper_half;  // the offset is that of its second four bytes
};

// Nothing when an access of this width at this offset has no answer.
std::optional<Register> find_register(uint64_t offset, uint32_t width);

// The bits of a register of 8 bytes when one half of it is written.
uint64_t with_half(uint64_t old_value, bool upper_half, uint32_t half);

}  // namespace softgpu
