// Commands on their way to the GPU: batches of packets, one after the other, in a context of the device.
#pragma once

#include "allocation.h"
#include "softgpu_cmd.h"

namespace softgpu {

// An address in a packet.
struct Operand {
  Allocation* allocation;
  uint64_t offset;  // in the allocation
  uint32_t field;   // where in the packet the address stands
  bool written;
};

// Owned by its device, which says when a batch is submitted; touched by the device's thread. What differs between the
// two ways of addressing memory is in patched_context.h and virtual_context.h.
//
// Batches have numbers from 1. A batch that could not be submitted is dropped: its number is never used again, and a
// wait for it is a wait for those before it.
class Context {
 public:
  virtual ~Context() = default;
  // Gives everything back, whatever create() had got to. The GPU is done with the context after it.
  virtual HRESULT create() = 0;
  virtual HRESULT destroy() = 0;

  // Room for one packet more, beside what submit() adds itself.
  virtual bool fits(uint32_t packet_bytes, uint32_t operands) const = 0;
  // The packet has to fit; its operands come in the order of their fields. E_OUTOFMEMORY: not everything the batch
  // names can be in the GPU's memory at once.
  virtual HRESULT add(const SOFTGPU_HEADER& packet, const Operand* operands, uint32_t count) = 0;
  // Nothing happens if the batch is empty.
  virtual HRESULT submit() = 0;

  // Whether the GPU is done with a batch; with virtual addresses only.
  virtual bool done(uint64_t batch) const = 0;
  virtual HRESULT wait(uint64_t batch) = 0;

  // The allocation is about to be deallocated, or has a new handle.
  virtual void forget(Allocation& allocation) = 0;

  HANDLE handle() const { return handle_; }
  uint64_t batch() const { return batch_; }  // that is being built
  bool empty() const { return used_ == 0; }
  // Whether commands that are not submitted yet use it, or write it.
  bool uses(const Allocation& allocation) const { return !empty() && allocation.last_use == batch_; }
  bool writes(const Allocation& allocation) const { return !empty() && allocation.last_write == batch_; }

 protected:
  explicit Context(const Kernel& kernel) : kernel_(kernel) {}

  void note_use(Allocation& allocation, bool written) {
    allocation.last_use = batch_;
    if (written) allocation.last_write = batch_;
  }

  const Kernel& kernel_;
  HANDLE handle_ = nullptr;
  uint64_t batch_ = 1;
  uint32_t used_ = 0;  // bytes of the batch
};

}  // namespace softgpu
