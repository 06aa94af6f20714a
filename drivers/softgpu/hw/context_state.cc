#include "softgpu/hw/context_state.h"

#include <algorithm>
#include <iterator>

namespace softgpu {

Outcome ContextState::save_unless(uint64_t context, Memory& memory) {
  if (context_ == 0 || context_ == context) return {};
  SOFTGPU_CONTEXT_IMAGE image{SOFTGPU_CONTEXT_MAGIC, {}};
  std::copy(registers_.begin(), registers_.end(), image.registers);
  if (Outcome fault = memory.write(view_, address_, &image, sizeof(image))) return fault;
  clear();
  return {};
}

Outcome ContextState::restore(const SOFTGPU_RESTORE_STATE& packet, Memory& memory) {
  if (packet.header.flags & SOFTGPU_FLAG_CLEAR) {
    clear();
    return {};
  }
  View view{packet.header.argument, true};
  if (packet.address % 8 != 0) return Fault{SOFTGPU_FAULT_ADDRESS, Access::Read, packet.address};
  if (context_ != packet.context) {
    SOFTGPU_CONTEXT_IMAGE image;
    if (Outcome fault = memory.read(view, packet.address, &image, sizeof(image))) return fault;
    if (image.magic != SOFTGPU_CONTEXT_MAGIC) return Fault{SOFTGPU_FAULT_STATE, Access::Read, packet.address};
    std::copy(std::begin(image.registers), std::end(image.registers), registers_.begin());
  }
  context_ = packet.context;
  address_ = packet.address;
  view_ = view;
  return {};
}

void ContextState::forget(uint64_t context) {
  if (context != 0 && context_ == context) clear();
}

}  // namespace softgpu
