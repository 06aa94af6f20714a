#include "host/workload/gpu_commands.h"

namespace host {
namespace {

DRYDOCK_WORK work_of(uint32_t kind) {
  DRYDOCK_WORK work{};
  work.size = sizeof(work);
  work.kind = kind;
  return work;
}

DRYDOCK_WORK_OPERAND operand(const GpuBuffer& buffer, uint64_t offset) {
  return {buffer.address ? buffer.address + offset : 0, offset, buffer.bytes};
}

}  // namespace

DRYDOCK_WORK long_work(uint64_t bytes, uint32_t rounds) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_LONG);
  work.bytes = bytes;
  work.value = rounds;
  return work;
}

DRYDOCK_WORK checksum_work(uint64_t bytes) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_CHECKSUM);
  work.bytes = bytes;
  return work;
}

GpuCommands& GpuCommands::add(DRYDOCK_WORK work, D3DKMT_HANDLE to, D3DKMT_HANDLE from) {
  items_.push_back({work, to, from});
  return *this;
}

GpuCommands& GpuCommands::fill(const GpuBuffer& to, uint64_t offset, uint64_t bytes, uint32_t pattern) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_FILL);
  work.to = operand(to, offset);
  work.bytes = bytes;
  work.value = pattern;
  return add(work, to.allocation);
}

GpuCommands& GpuCommands::copy(const GpuBuffer& from, uint64_t from_offset, const GpuBuffer& to, uint64_t to_offset,
                               uint64_t bytes) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_COPY);
  work.to = operand(to, to_offset);
  work.from = operand(from, from_offset);
  work.bytes = bytes;
  return add(work, to.allocation, from.allocation);
}

GpuCommands& GpuCommands::checksum(const GpuBuffer& of, const GpuBuffer& to, uint64_t to_offset) {
  DRYDOCK_WORK work = checksum_work(of.bytes);
  work.to = operand(to, to_offset);
  work.from = operand(of, 0);
  return add(work, to.allocation, of.allocation);
}

GpuCommands& GpuCommands::take_long(const GpuBuffer& buffer, uint32_t words, uint32_t rounds) {
  DRYDOCK_WORK work = long_work(uint64_t{words} * 4, rounds);
  work.to = operand(buffer, 0);
  return add(work, buffer.allocation);
}

GpuCommands& GpuCommands::set_register(uint32_t index, uint64_t value) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_SET_REGISTER);
  work.index = index;
  work.value = value;
  return add(work);
}

GpuCommands& GpuCommands::add_register(uint32_t index, uint64_t value) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_ADD_REGISTER);
  work.index = index;
  work.value = value;
  return add(work);
}

GpuCommands& GpuCommands::store_register(uint32_t index, const GpuBuffer& to, uint64_t offset) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_STORE_REGISTER);
  work.index = index;
  work.to = operand(to, offset);
  return add(work, to.allocation);
}

GpuCommands& GpuCommands::wait(const GpuBuffer& at, uint64_t offset, uint64_t value) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_ENDLESS);
  work.to = operand(at, offset);
  work.value = value;
  return add(work, at.allocation);
}

GpuCommands& GpuCommands::signal(uint64_t fence_address, uint64_t value) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_SIGNAL);
  work.address = fence_address;
  work.value = value;
  return add(work);
}

GpuCommands& GpuCommands::write_unmapped(uint64_t address, uint64_t bytes) {
  DRYDOCK_WORK work = work_of(DRYDOCK_WORK_FAULT);
  work.address = address;
  work.bytes = bytes;
  return add(work);
}

}  // namespace host
