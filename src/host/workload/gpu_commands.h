#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/shared/d3dkmthk.h"
#include "abi/workload/drydock_workload.h"

namespace host {

// Memory for a client's commands. Plain data: the code that made it destroys it.
struct GpuBuffer {
  D3DKMT_HANDLE resource = 0;
  D3DKMT_HANDLE allocation = 0;
  D3DKMT_HANDLE global_share = 0;
  uint64_t bytes = 0;
  uint64_t address = 0;  // for the GPU; 0 where commands are patched
};

// Work for the GPU, in its order. What the commands for it look like is known to the driver's workload, which puts them
// together when the work is submitted. Used on one thread.
class GpuCommands {
 public:
  struct Item {
    DRYDOCK_WORK work;
    D3DKMT_HANDLE to = 0;  // allocations of the operands
    D3DKMT_HANDLE from = 0;
  };

  GpuCommands& fill(const GpuBuffer& to, uint64_t offset, uint64_t bytes, uint32_t pattern);
  GpuCommands& copy(const GpuBuffer& from, uint64_t from_offset, const GpuBuffer& to, uint64_t to_offset,
                    uint64_t bytes);
  // The checksum of all of a buffer, in four bytes.
  GpuCommands& checksum(const GpuBuffer& of, const GpuBuffer& to, uint64_t to_offset);
  // Changes the first `words` words, `rounds` times each: it takes as long as wanted.
  GpuCommands& take_long(const GpuBuffer& buffer, uint32_t words, uint32_t rounds);
  GpuCommands& set_register(uint32_t index, uint64_t value);
  GpuCommands& add_register(uint32_t index, uint64_t value);
  GpuCommands& store_register(uint32_t index, const GpuBuffer& to, uint64_t offset);
  // The engine does not get on until the eight bytes are at least `value`.
  GpuCommands& wait(const GpuBuffer& at, uint64_t offset, uint64_t value);

  // With virtual addresses only: a monitored fence, and memory that may not be there.
  GpuCommands& signal(uint64_t fence_address, uint64_t value);
  GpuCommands& write_unmapped(uint64_t address, uint64_t bytes);

  std::span<const Item> items() const { return items_; }

 private:
  GpuCommands& add(DRYDOCK_WORK work, D3DKMT_HANDLE to = 0, D3DKMT_HANDLE from = 0);

  std::vector<Item> items_;
};

// For others that describe work: one whose operands are the first bytes of buffers.
DRYDOCK_WORK long_work(uint64_t bytes, uint32_t rounds);
DRYDOCK_WORK checksum_work(uint64_t bytes);

}  // namespace host
