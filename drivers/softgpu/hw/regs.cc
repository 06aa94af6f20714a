#include "softgpu/hw/regs.h"

#include <algorithm>
#include <iterator>

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {
namespace {

// A block that is repeated `count` times.
struct Range {
  Block block;
  uint32_t first;
  uint32_t stride;
  uint32_t count;
};

constexpr Range kRanges[] = {
    {Block::Vmid, SOFTGPU_REG_VMID(0), SOFTGPU_REG_VMID(1) - SOFTGPU_REG_VMID(0), SOFTGPU_VMIDS},
    {Block::Engine, SOFTGPU_REG_ENGINE(0), SOFTGPU_REG_ENGINE(1) - SOFTGPU_REG_ENGINE(0), SOFTGPU_ENGINES},
    {Block::Hooks, SOFTGPU_REG_HOOKS(0), SOFTGPU_REG_HOOKS(1) - SOFTGPU_REG_HOOKS(0), SOFTGPU_ENGINES},
};

constexpr uint32_t kDevice32[] = {
    SOFTGPU_REG_ID,           SOFTGPU_REG_VERSION,       SOFTGPU_REG_FEATURES,
    SOFTGPU_REG_ENGINE_COUNT, SOFTGPU_REG_VMID_COUNT,    SOFTGPU_REG_RESET,
    SOFTGPU_REG_BAD_ACCESSES, SOFTGPU_REG_INT_STATUS,    SOFTGPU_REG_INT_ENABLE,
    SOFTGPU_REG_INT_ACK,      SOFTGPU_REG_INT_FORCE,     SOFTGPU_REG_INT_COALESCE_NS,
    SOFTGPU_REG_INT_COUNT,    SOFTGPU_REG_TLB_HITS,      SOFTGPU_REG_TLB_INVALIDATE,
    SOFTGPU_REG_TLB_MISSES,   SOFTGPU_HOOK_FEATURES_OFF, SOFTGPU_REG_APERTURE_ENTRIES,
};
constexpr uint32_t kDevice64[] = {SOFTGPU_REG_LOCAL_BYTES, SOFTGPU_REG_TIME, SOFTGPU_REG_SCRATCH,
                                  SOFTGPU_REG_APERTURE_BASE};
constexpr uint32_t kVmid32[] = {SOFTGPU_VMID_ENTRIES};
constexpr uint32_t kVmid64[] = {SOFTGPU_VMID_ROOT};
constexpr uint32_t kEngine32[] = {
    SOFTGPU_ENGINE_RING_SIZE,     SOFTGPU_ENGINE_RING_VMID, SOFTGPU_ENGINE_RING_HEAD,    SOFTGPU_ENGINE_RING_TAIL,
    SOFTGPU_ENGINE_STATE,         SOFTGPU_ENGINE_CONTROL,   SOFTGPU_ENGINE_FAULT_STATUS, SOFTGPU_ENGINE_FAULT_VMID,
    SOFTGPU_ENGINE_PREEMPT_BYTES, SOFTGPU_ENGINE_PACKETS,   SOFTGPU_ENGINE_FENCES,       SOFTGPU_ENGINE_FAULTS,
    SOFTGPU_ENGINE_POLLS,
};
constexpr uint32_t kEngine64[] = {
    SOFTGPU_ENGINE_RING_BASE,      SOFTGPU_ENGINE_FENCE_ADDRESS, SOFTGPU_ENGINE_FENCE_CURRENT,
    SOFTGPU_ENGINE_FAULT_ADDRESS,  SOFTGPU_ENGINE_FAULT_PACKET,  SOFTGPU_ENGINE_PREEMPT_FENCE,
    SOFTGPU_ENGINE_PREEMPT_BUFFER, SOFTGPU_ENGINE_CONTEXT,
};
constexpr uint32_t kHooks32[] = {
    SOFTGPU_HOOK_HANG,        SOFTGPU_HOOK_SPEED,         SOFTGPU_HOOK_DELAY_NS, SOFTGPU_HOOK_DROP_INTERRUPTS,
    SOFTGPU_HOOK_RESET_FAILS, SOFTGPU_HOOK_PREEMPT_FAILS, SOFTGPU_HOOK_FAULT,    SOFTGPU_HOOK_SLOWDOWN};

template <typename List>
bool contains(const List& list, uint32_t offset) {
  return std::find(std::begin(list), std::end(list), offset) != std::end(list);
}

// 4 or 8 when a register begins there, or else 0.
uint32_t engine_register_bytes(uint32_t offset) {
  constexpr uint32_t kLog = SOFTGPU_ENGINE_FENCE_LOG(0), kLogEnd = SOFTGPU_ENGINE_FENCE_LOG(SOFTGPU_FENCE_LOG_SLOTS);
  constexpr uint32_t kSlotBytes = SOFTGPU_ENGINE_FENCE_LOG(1) - kLog;
  if (offset >= kLog && offset < kLogEnd) {
    uint32_t in_slot = (offset - kLog) % kSlotBytes;
    return in_slot == SOFTGPU_FENCE_LOG_VALUE ? 8 : in_slot == SOFTGPU_FENCE_LOG_PACKETS ? 4 : 0;
  }
  return contains(kEngine64, offset) ? 8 : contains(kEngine32, offset) ? 4 : 0;
}

uint32_t register_bytes(Block block, uint32_t offset) {
  switch (block) {
    case Block::Device:
      return contains(kDevice64, offset) ? 8 : contains(kDevice32, offset) ? 4 : 0;
    case Block::Vmid:
      return contains(kVmid64, offset) ? 8 : contains(kVmid32, offset) ? 4 : 0;
    case Block::Engine:
      return engine_register_bytes(offset);
    case Block::Hooks:
      return contains(kHooks32, offset) ? 4 : 0;
  }
  return 0;
}

// As if a register began at the offset.
Register place(uint32_t offset) {
  for (const Range& range : kRanges) {
    if (offset >= range.first && offset < range.first + range.stride * range.count) {
      uint32_t within = offset - range.first;
      return {range.block, within / range.stride, within % range.stride, 0, false};
    }
  }
  return {Block::Device, 0, offset, 0, false};
}

}  // namespace

std::optional<Register> find_register(uint64_t offset, uint32_t width) {
  if (offset >= SOFTGPU_REGISTER_BAR_BYTES || (width != 4 && width != 8) || offset % width != 0) return {};
  Register found = place(static_cast<uint32_t>(offset));
  found.bytes = register_bytes(found.block, found.offset);
  if (found.bytes == 0 && width == 4 && found.offset >= 4) {
    found.offset -= 4;
    found.bytes = register_bytes(found.block, found.offset);
    found.upper_half = true;
    if (found.bytes != 8) return {};
  }
  if (found.bytes < width) return {};
  return found;
}

uint64_t with_half(uint64_t old_value, bool upper_half, uint32_t half) {
  constexpr uint64_t kLower = 0xFFFFFFFF;
  return upper_half ? (old_value & kLower) | uint64_t{half} << 32 : (old_value & ~kLower) | half;
}

}  // namespace softgpu
