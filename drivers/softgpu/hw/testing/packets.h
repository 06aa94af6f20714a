#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "softgpu/proto/softgpu_cmd.h"

// For tests: packets as the quadwords they are.
namespace softgpu {

using Qwords = std::vector<uint64_t>;

constexpr uint64_t local(uint64_t offset) { return uint64_t{SOFTGPU_SPACE_LOCAL} << 60 | offset; }
constexpr uint64_t aperture(uint64_t offset) { return uint64_t{SOFTGPU_SPACE_APERTURE} << 60 | offset; }
constexpr uint64_t bus(uint64_t address) { return uint64_t{SOFTGPU_SPACE_SYSTEM} << 60 | address; }

inline Qwords packet(uint8_t opcode, uint8_t flags, uint32_t argument, const Qwords& operands) {
  SOFTGPU_HEADER header = softgpu_header(opcode, flags, 8 * (1 + operands.size()), argument);
  Qwords qwords(1);
  std::memcpy(qwords.data(), &header, sizeof(header));
  qwords.insert(qwords.end(), operands.begin(), operands.end());
  return qwords;
}

inline Qwords nop() { return packet(SOFTGPU_CMD_NOP, 0, 0, {}); }
inline Qwords end() { return packet(SOFTGPU_CMD_END, 0, 0, {}); }
inline Qwords fence(uint64_t value) { return packet(SOFTGPU_CMD_FENCE, SOFTGPU_FLAG_INTERRUPT, 0, {value}); }
inline Qwords signal(uint64_t address, uint64_t value, uint8_t flags = 0) {
  return packet(SOFTGPU_CMD_SIGNAL, flags, 0, {address, value});
}
inline Qwords wait(uint64_t address, uint64_t value, uint8_t flags = 0) {
  return packet(SOFTGPU_CMD_WAIT, flags, 0, {address, value});
}
inline Qwords timestamp(uint64_t address) { return packet(SOFTGPU_CMD_TIMESTAMP, 0, 0, {address}); }
inline Qwords fill(uint64_t destination, uint64_t bytes, uint32_t pattern) {
  return packet(SOFTGPU_CMD_FILL, 0, pattern, {destination, bytes});
}
inline Qwords copy(uint64_t source, uint64_t destination, uint64_t bytes) {
  return packet(SOFTGPU_CMD_COPY, 0, 0, {source, destination, bytes});
}
inline Qwords copy_pages(uint64_t linear, uint64_t bytes, uint32_t first_offset, const Qwords& pages,
                         uint8_t flags = 0) {
  Qwords operands = {linear, bytes};
  operands.insert(operands.end(), pages.begin(), pages.end());
  return packet(SOFTGPU_CMD_COPY_PAGES, flags, first_offset, operands);
}
inline Qwords kernel(uint32_t which, uint64_t a, uint64_t b, uint64_t destination, uint32_t count,
                     uint32_t scalar = 0) {
  return packet(SOFTGPU_CMD_KERNEL, 0, which, {a, b, destination, uint64_t{scalar} << 32 | count});
}
inline Qwords indirect(uint64_t address, uint64_t bytes, uint32_t vmid = 0, uint8_t flags = 0) {
  return packet(SOFTGPU_CMD_INDIRECT, flags, vmid, {address, bytes});
}
inline Qwords write_ptes(uint64_t address, const Qwords& values) {
  Qwords operands = {address};
  operands.insert(operands.end(), values.begin(), values.end());
  return packet(SOFTGPU_CMD_WRITE_PTES, 0, static_cast<uint32_t>(values.size()), operands);
}
inline Qwords repeat_pte(uint64_t address, uint64_t value, uint32_t count) {
  return packet(SOFTGPU_CMD_WRITE_PTES, SOFTGPU_FLAG_REPEAT, count, {address, value});
}
inline Qwords tlb_flush(uint32_t vmid, uint64_t first = 0, uint64_t bytes = 0) {
  return packet(SOFTGPU_CMD_TLB_FLUSH, 0, vmid, {first, bytes});
}
inline Qwords set_root(uint32_t vmid, uint64_t root, uint64_t entries) {
  return packet(SOFTGPU_CMD_SET_ROOT, 0, vmid, {root, entries});
}

inline Qwords set_state(uint32_t index, uint64_t value) { return packet(SOFTGPU_CMD_SET_STATE, 0, index, {value}); }
inline Qwords add_state(uint32_t index, uint64_t value) { return packet(SOFTGPU_CMD_ADD_STATE, 0, index, {value}); }
inline Qwords store_state(uint32_t index, uint64_t address) {
  return packet(SOFTGPU_CMD_STORE_STATE, 0, index, {address});
}
inline Qwords save_state(uint64_t unless) { return packet(SOFTGPU_CMD_SAVE_STATE, 0, 0, {unless}); }
inline Qwords restore_state(uint64_t context, uint64_t address, uint32_t vmid = 0) {
  return packet(SOFTGPU_CMD_RESTORE_STATE, 0, vmid, {context, address});
}
inline Qwords clear_state() { return packet(SOFTGPU_CMD_RESTORE_STATE, SOFTGPU_FLAG_CLEAR, 0, {0, 0}); }

inline Qwords row(std::initializer_list<Qwords> packets) {
  Qwords all;
  for (const Qwords& one : packets) all.insert(all.end(), one.begin(), one.end());
  return all;
}

}  // namespace softgpu
