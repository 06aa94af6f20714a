#pragma once

#include <cstdint>
#include <vector>

#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/hw/packet.h"
#include "softgpu/hw/ring.h"

namespace softgpu {

// Where an engine reads its packets: the ring, and the indirect buffers that were called and have not ended. A packet
// that calls a buffer is behind the engine when the buffer has ended, not before. Owned by the engine.
class Stream {
 public:
  Ring& ring() { return ring_; }
  const Ring& ring() const { return ring_; }

  bool empty() const { return buffers_.empty() && ring_.empty(); }
  uint32_t depth() const { return static_cast<uint32_t>(buffers_.size()); }
  // The address space and the rights with which the next packet accesses memory.
  View view() const;
  // Of the next packet.
  uint64_t address() const;
  // Of the innermost buffer, or what is pending in the ring.
  uint64_t bytes_left() const;

  // The next packet, which stays the next. The stream is not empty.
  [[nodiscard]] Outcome fetch(Memory& memory, Packet* packet) const;

  // The next packet has been run.
  void finish(const Packet& packet);
  // The next packet calls a buffer.
  void call(const SOFTGPU_INDIRECT& indirect, const View& view);
  // The innermost buffer ends here.
  void end();
  void forget_buffers() { buffers_.clear(); }

 private:
  struct Buffer {
    uint64_t address;  // of what is left
    uint64_t bytes;
    View view;
  };

  [[nodiscard]] Outcome read(Memory& memory, void* bytes, size_t count) const;
  void advance(uint64_t bytes);
  void leave_finished();

  Ring ring_;
  std::vector<Buffer> buffers_;
};

}  // namespace softgpu
