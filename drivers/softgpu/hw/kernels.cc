#include "softgpu/hw/kernels.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace softgpu {
namespace {

// Elements are worked on a block at a time, so that a fault is found before everything behind it was computed.
constexpr uint32_t kBlock = 1024;
using Block = std::array<uint32_t, kBlock>;

constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
    table[i] = value;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrcTable = crc_table();

uint32_t extend_crc(uint32_t crc, uint32_t element) {
  for (int byte = 0; byte < 4; ++byte, element >>= 8) crc = crc >> 8 ^ kCrcTable[(crc ^ element) & 0xFF];
  return crc;
}

uint32_t iterate(uint32_t value, uint32_t rounds) {
  for (uint32_t i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

uint32_t compute(const SOFTGPU_KERNEL& kernel, uint32_t a, uint32_t b) {
  switch (kernel.header.argument) {
    case SOFTGPU_KERNEL_ADD:
      return a + b;
    case SOFTGPU_KERNEL_XOR:
      return a ^ b;
    case SOFTGPU_KERNEL_MAD:
      return a * kernel.scalar + b;
    case SOFTGPU_KERNEL_ADD_STATE:
      return a + b;  // the register stands in for the whole of b
    default:
      return iterate(a, kernel.scalar);
  }
}

// Calls body(index of the block's first element, elements in it) for each.
template <typename Body>
Outcome for_each_block(uint32_t count, Body body) {
  for (uint32_t first = 0; first < count; first += kBlock) {
    if (Outcome fault = body(first, std::min(kBlock, count - first))) return fault;
  }
  return {};
}

Outcome misaligned(uint64_t address, Access access) {
  if (address % sizeof(uint32_t) == 0) return {};
  return Fault{SOFTGPU_FAULT_ADDRESS, access, address};
}

Outcome run_crc(const SOFTGPU_KERNEL& kernel, const View& view, Memory& memory) {
  Block a;
  uint32_t crc = 0xFFFFFFFFu;
  Outcome fault = for_each_block(kernel.count, [&](uint32_t first, uint32_t elements) -> Outcome {
    if (Outcome read = memory.read(view, kernel.a + uint64_t{first} * 4, a.data(), elements * 4)) return read;
    for (uint32_t i = 0; i < elements; ++i) crc = extend_crc(crc, a[i]);
    return {};
  });
  return fault ? fault : memory.store(view, kernel.destination, ~crc);
}

Outcome run_map(const SOFTGPU_KERNEL& kernel, const View& view, Memory& memory, const ContextState& state) {
  bool uses_state = kernel.header.argument == SOFTGPU_KERNEL_ADD_STATE;
  bool uses_b = kernel.header.argument != SOFTGPU_KERNEL_ITERATE && !uses_state;
  if (Outcome fault = misaligned(uses_b ? kernel.b : 0, Access::Read)) return fault;
  if (Outcome fault = misaligned(kernel.destination, Access::Write)) return fault;

  Block a, b{};
  if (uses_state) b.fill(static_cast<uint32_t>(state.get(kernel.scalar)));
  return for_each_block(kernel.count, [&](uint32_t first, uint32_t elements) -> Outcome {
    uint64_t offset = uint64_t{first} * 4;
    if (Outcome fault = memory.read(view, kernel.a + offset, a.data(), elements * 4)) return fault;
    if (uses_b) {
      if (Outcome fault = memory.read(view, kernel.b + offset, b.data(), elements * 4)) return fault;
    }
    for (uint32_t i = 0; i < elements; ++i) a[i] = compute(kernel, a[i], b[i]);
    return memory.write(view, kernel.destination + offset, a.data(), elements * 4);
  });
}

}  // namespace

Outcome run_kernel(const SOFTGPU_KERNEL& kernel, const View& view, Memory& memory, const ContextState& state) {
  if (Outcome fault = misaligned(kernel.a, Access::Read)) return fault;
  return kernel.header.argument == SOFTGPU_KERNEL_CRC32 ? run_crc(kernel, view, memory)
                                                        : run_map(kernel, view, memory, state);
}

}  // namespace softgpu
