#pragma once

#include <cstdint>

#include "abi/ks/ks.h"
#include "base/result.h"
#include "nt/machine/machine.h"

namespace ks {

struct RegisteredAdapter;

// The scatter/gather table of one frame: KSMAPPINGs at the adapter's stride, in machine memory, and the bus addresses
// behind them. Made when the frame is locked first, ended when it leaves its queue; the table's memory is kept for the
// next frame. Guarded by the queue's lock.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping();

  bool live() const { return id_ != 0; }
  uint32_t count() const { return count_; }
  // The address of the entry at `index`, which may be one past the last.
  KSMAPPING* at(uint32_t index) const;

  // STATUS_INSUFFICIENT_RESOURCES when the adapter's map registers are used up.
  base::Result<> make(nt::Machine& machine, const RegisteredAdapter& adapter, MDL& mdl, uint32_t bytes,
                      bool write_to_device);
  void end();

 private:
  base::Result<> make_room(nt::Machine& machine, uint32_t count);

  nt::Machine* machine_ = nullptr;
  DMA_ADAPTER* adapter_ = nullptr;
  uint64_t id_ = 0;
  uint8_t* table_ = nullptr;
  uint32_t room_ = 0;  // bytes
  uint32_t stride_ = 0;
  uint32_t count_ = 0;
};

}  // namespace ks
