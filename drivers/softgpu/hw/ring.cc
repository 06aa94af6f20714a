#include "softgpu/hw/ring.h"

#include <algorithm>

namespace softgpu {

bool Ring::well_formed() const {
  bool size_is_right = size >= SOFTGPU_RING_MIN_BYTES && size <= SOFTGPU_RING_MAX_BYTES && (size & (size - 1)) == 0;
  bool head_is_right = head < size && head % 8 == 0;
  return size_is_right && head_is_right && well_formed_tail() && vmid < SOFTGPU_VMIDS && base % SOFTGPU_PAGE_BYTES == 0;
}

Outcome Ring::fetch(Memory& memory, void* bytes, size_t count) const {
  View view{vmid, true};
  size_t before_end = std::min<size_t>(count, size - head);
  if (Outcome fault = memory.read(view, head_address(), bytes, before_end, Access::Execute)) return fault;
  return memory.read(view, base, static_cast<uint8_t*>(bytes) + before_end, count - before_end, Access::Execute);
}

}  // namespace softgpu
