#pragma once

#include <array>
#include <cstdint>

#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/proto/softgpu_cmd.h"

namespace softgpu {

// The registers that a context's packets find as they left them, and where in memory they belong. Owned by the engine.
class ContextState {
 public:
  // The context that it belongs to; 0: none.
  uint64_t context() const { return context_; }

  uint64_t get(uint32_t index) const { return registers_[index]; }
  void set(uint32_t index, uint64_t value) { registers_[index] = value; }

  // Unless the context that is loaded is this one. On a fault it stays loaded.
  [[nodiscard]] Outcome save_unless(uint64_t context, Memory& memory);
  // On a fault nothing changes.
  [[nodiscard]] Outcome restore(const SOFTGPU_RESTORE_STATE& packet, Memory& memory);
  // If it is the one that is loaded.
  void forget(uint64_t context);
  void clear() { *this = ContextState(); }

 private:
  std::array<uint64_t, SOFTGPU_CONTEXT_REGISTERS> registers_{};
  uint64_t context_ = 0;
  uint64_t address_ = 0;
  View view_;
};

}  // namespace softgpu
