#include "softgpu/hw/stream.h"

namespace softgpu {

View Stream::view() const { return buffers_.empty() ? View{ring_.vmid, true} : buffers_.back().view; }

uint64_t Stream::address() const { return buffers_.empty() ? ring_.head_address() : buffers_.back().address; }

uint64_t Stream::bytes_left() const { return buffers_.empty() ? ring_.pending_bytes() : buffers_.back().bytes; }

Outcome Stream::fetch(Memory& memory, Packet* packet) const {
  const Fault bad{SOFTGPU_FAULT_COMMAND, Access::Execute, address()};
  std::vector<uint64_t> qwords(1);
  if (bytes_left() < 8) return bad;
  if (Outcome fault = read(memory, qwords.data(), 8)) return fault;
  *packet = Packet(qwords);
  uint64_t bytes = uint64_t{packet->header().qwords} * 8;
  if (bytes == 0 || bytes > SOFTGPU_PACKET_MAX_BYTES || bytes > bytes_left()) return bad;

  qwords.resize(bytes / 8);
  if (Outcome fault = read(memory, qwords.data(), bytes)) return fault;
  *packet = Packet(std::move(qwords));
  // The second read decides. It sees another length when the memory was written in between.
  if (packet->header().qwords * 8u != bytes) return bad;
  return {};
}

Outcome Stream::read(Memory& memory, void* bytes, size_t count) const {
  if (buffers_.empty()) return ring_.fetch(memory, bytes, count);
  return memory.read(view(), address(), bytes, count, Access::Execute);
}

void Stream::finish(const Packet& packet) {
  advance(packet.bytes());
  leave_finished();
}

void Stream::call(const SOFTGPU_INDIRECT& indirect, const View& view) {
  buffers_.push_back({indirect.address, indirect.bytes, view});
  leave_finished();
}

void Stream::end() {
  buffers_.back().bytes = 0;
  leave_finished();
}

void Stream::advance(uint64_t bytes) {
  if (buffers_.empty()) return ring_.advance(bytes);
  buffers_.back().address += bytes;
  buffers_.back().bytes -= bytes;
}

void Stream::leave_finished() {
  while (!buffers_.empty() && buffers_.back().bytes == 0) {
    buffers_.pop_back();
    advance(sizeof(SOFTGPU_INDIRECT));  // the call
  }
}

}  // namespace softgpu
