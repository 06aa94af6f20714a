#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/shared/d3dkmthk.h"

namespace host {

// Memory for a client's commands. Plain data: the code that made it destroys it.
struct GpuBuffer {
  D3DKMT_HANDLE resource = 0;
  D3DKMT_HANDLE allocation = 0;
  D3DKMT_HANDLE global_share = 0;
  uint64_t bytes = 0;
  uint64_t address = 0;  // for the GPU; 0 where commands are patched
};

// A row of softgpu's packets, good for both kinds of adapters: memory is named by buffer and offset. The code that
// submits the row puts the addresses in, or makes a patch location list of them. Used on one thread.
class GpuCommands {
 public:
  struct Operand {
    GpuBuffer buffer;
    uint64_t offset;
    uint32_t at;  // where in the row the address stands
    bool written;
  };

  GpuCommands& fill(const GpuBuffer& to, uint64_t offset, uint64_t bytes, uint32_t pattern);
  GpuCommands& copy(const GpuBuffer& from, uint64_t from_offset, const GpuBuffer& to, uint64_t to_offset,
                    uint64_t bytes);
  // The checksum of all of a buffer, in four bytes. On the render engine only, as is iterate().
  GpuCommands& crc(const GpuBuffer& of, const GpuBuffer& to, uint64_t to_offset);
  // Works on the first `count` words, `rounds` times each: it takes as long as wanted.
  GpuCommands& iterate(const GpuBuffer& buffer, uint32_t count, uint32_t rounds);
  GpuCommands& set_state(uint32_t index, uint64_t value);
  GpuCommands& add_state(uint32_t index, uint64_t value);
  GpuCommands& store_state(uint32_t index, const GpuBuffer& to, uint64_t offset);
  // The engine stands still until the eight bytes are at least `value`.
  GpuCommands& wait(const GpuBuffer& at, uint64_t offset, uint64_t value);

  // With virtual addresses only: a monitored fence, and memory that may not be there.
  GpuCommands& signal(uint64_t fence_address, uint64_t value);
  GpuCommands& fill_address(uint64_t address, uint64_t bytes, uint32_t pattern);

  std::span<const uint8_t> bytes() const { return bytes_; }
  std::span<const Operand> operands() const { return operands_; }

 private:
  template <typename Add>
  uint32_t add(Add add_packet);
  void refer(uint32_t packet, size_t field, const GpuBuffer& buffer, uint64_t offset, bool written);

  std::vector<uint8_t> bytes_;
  std::vector<Operand> operands_;
};

// The results of softgpu's kernels, for models of memory.
uint32_t crc32(std::span<const uint8_t> bytes);
uint32_t iterate(uint32_t value, uint32_t rounds);

}  // namespace host
