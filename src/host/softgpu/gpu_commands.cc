#include "host/softgpu/gpu_commands.h"

#include <array>
#include <cstddef>

#include "drivers/softgpu/proto/softgpu_build.h"

namespace host {
namespace {

constexpr uint32_t kLargestPacket = 64;

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

}  // namespace

// Returns where the packet begins.
template <typename Add>
uint32_t GpuCommands::add(Add add_packet) {
  std::array<uint8_t, kLargestPacket> packet{};
  SOFTGPU_BUILDER builder = softgpu_builder(packet.data(), kLargestPacket);
  add_packet(&builder);
  auto begin = static_cast<uint32_t>(bytes_.size());
  bytes_.insert(bytes_.end(), packet.begin(), packet.begin() + builder.used);
  return begin;
}

void GpuCommands::refer(uint32_t packet, size_t field, const GpuBuffer& buffer, uint64_t offset, bool written) {
  operands_.push_back({buffer, offset, packet + static_cast<uint32_t>(field), written});
}

GpuCommands& GpuCommands::fill(const GpuBuffer& to, uint64_t offset, uint64_t bytes, uint32_t pattern) {
  uint32_t at = add([&](SOFTGPU_BUILDER* builder) { softgpu_add_fill(builder, 0, bytes, pattern); });
  refer(at, offsetof(SOFTGPU_FILL, destination), to, offset, true);
  return *this;
}

GpuCommands& GpuCommands::copy(const GpuBuffer& from, uint64_t from_offset, const GpuBuffer& to, uint64_t to_offset,
                               uint64_t bytes) {
  uint32_t at = add([&](SOFTGPU_BUILDER* builder) { softgpu_add_copy(builder, 0, 0, bytes); });
  refer(at, offsetof(SOFTGPU_COPY, source), from, from_offset, false);
  refer(at, offsetof(SOFTGPU_COPY, destination), to, to_offset, true);
  return *this;
}

GpuCommands& GpuCommands::crc(const GpuBuffer& of, const GpuBuffer& to, uint64_t to_offset) {
  auto count = static_cast<uint32_t>(of.bytes / 4);
  uint32_t at =
      add([&](SOFTGPU_BUILDER* builder) { softgpu_add_kernel(builder, SOFTGPU_KERNEL_CRC32, 0, 0, 0, count, 0); });
  refer(at, offsetof(SOFTGPU_KERNEL, a), of, 0, false);
  refer(at, offsetof(SOFTGPU_KERNEL, destination), to, to_offset, true);
  return *this;
}

GpuCommands& GpuCommands::iterate(const GpuBuffer& buffer, uint32_t count, uint32_t rounds) {
  uint32_t at = add(
      [&](SOFTGPU_BUILDER* builder) { softgpu_add_kernel(builder, SOFTGPU_KERNEL_ITERATE, 0, 0, 0, count, rounds); });
  refer(at, offsetof(SOFTGPU_KERNEL, a), buffer, 0, false);
  refer(at, offsetof(SOFTGPU_KERNEL, destination), buffer, 0, true);
  return *this;
}

GpuCommands& GpuCommands::set_state(uint32_t index, uint64_t value) {
  add([&](SOFTGPU_BUILDER* builder) { softgpu_add_set_state(builder, index, value); });
  return *this;
}

GpuCommands& GpuCommands::add_state(uint32_t index, uint64_t value) {
  add([&](SOFTGPU_BUILDER* builder) { softgpu_add_add_state(builder, index, value); });
  return *this;
}

GpuCommands& GpuCommands::store_state(uint32_t index, const GpuBuffer& to, uint64_t offset) {
  uint32_t at = add([&](SOFTGPU_BUILDER* builder) { softgpu_add_store_state(builder, index, 0); });
  refer(at, offsetof(SOFTGPU_STORE_STATE, address), to, offset, true);
  return *this;
}

GpuCommands& GpuCommands::wait(const GpuBuffer& where, uint64_t offset, uint64_t value) {
  uint32_t at = add([&](SOFTGPU_BUILDER* builder) { softgpu_add_wait(builder, 0, value, 0); });
  refer(at, offsetof(SOFTGPU_WAIT, address), where, offset, false);
  return *this;
}

GpuCommands& GpuCommands::signal(uint64_t fence_address, uint64_t value) {
  add([&](SOFTGPU_BUILDER* builder) { softgpu_add_signal(builder, fence_address, value, SOFTGPU_FLAG_INTERRUPT); });
  return *this;
}

GpuCommands& GpuCommands::fill_address(uint64_t address, uint64_t bytes, uint32_t pattern) {
  add([&](SOFTGPU_BUILDER* builder) { softgpu_add_fill(builder, address, bytes, pattern); });
  return *this;
}

uint32_t crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (uint8_t byte : bytes) crc = crc >> 8 ^ kCrcTable[(crc ^ byte) & 0xFF];
  return ~crc;
}

uint32_t iterate(uint32_t value, uint32_t rounds) {
  for (uint32_t i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

}  // namespace host
