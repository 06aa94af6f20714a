#include "softgpu/hw/device.h"

#include <algorithm>

namespace softgpu {
namespace {

// Packets that cost nothing could keep a step busy for ever.
constexpr int kPacketsPerStep = 1024;

uint32_t narrow(uint64_t value) { return static_cast<uint32_t>(value); }

}  // namespace

// --- Accesses ---

uint64_t Device::read(uint32_t bar, uint64_t offset, uint32_t width) {
  if (bar == SOFTGPU_LOCAL_BAR && LocalMemory::contains(offset, width)) {
    uint64_t value = 0;
    local_.read(offset, &value, width);
    return value;
  }
  auto target = bar == SOFTGPU_REGISTER_BAR ? find_register(offset, width) : std::nullopt;
  if (!target) {
    ++bad_accesses_;
    return 0;
  }
  uint64_t value = read_register(*target);
  return target->upper_half ? value >> 32 : width == 4 ? narrow(value) : value;
}

void Device::write(uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
  if (bar == SOFTGPU_LOCAL_BAR && LocalMemory::contains(offset, width)) return local_.write(offset, &value, width);
  auto target = bar == SOFTGPU_REGISTER_BAR ? find_register(offset, width) : std::nullopt;
  if (!target) {
    ++bad_accesses_;
    return;
  }
  bool half = target->bytes > width;
  write_register(*target, half ? with_half(read_register(*target), target->upper_half, narrow(value)) : value);
  ask_for_step(0);
}

uint64_t Device::read_register(const Register& target) {
  switch (target.block) {
    case Block::Device:
      return read_device_register(target.offset);
    case Block::Vmid:
      return read_vmid_register(target.index, target.offset);
    case Block::Engine:
      return engines_[target.index].read(target.offset);
    case Block::Hooks:
      return *engines_[target.index].hooks().find(target.offset);
  }
  return 0;
}

void Device::write_register(const Register& target, uint64_t value) {
  switch (target.block) {
    case Block::Device:
      return write_device_register(target.offset, value);
    case Block::Vmid:
      return write_vmid_register(target.index, target.offset, value);
    case Block::Engine:
      return engines_[target.index].write(target.offset, value);
    case Block::Hooks:
      *engines_[target.index].hooks().find(target.offset) = narrow(value);
  }
}

uint64_t Device::read_device_register(uint32_t offset) {
  switch (offset) {
    case SOFTGPU_REG_ID:
      return SOFTGPU_ID;
    case SOFTGPU_REG_VERSION:
      return SOFTGPU_VERSION;
    case SOFTGPU_REG_FEATURES:
      return features_.all();
    case SOFTGPU_REG_ENGINE_COUNT:
      return SOFTGPU_ENGINES;
    case SOFTGPU_REG_VMID_COUNT:
      return SOFTGPU_VMIDS;
    case SOFTGPU_REG_BAD_ACCESSES:
      return bad_accesses_;
    case SOFTGPU_REG_LOCAL_BYTES:
      return SOFTGPU_LOCAL_BYTES;
    case SOFTGPU_REG_TIME:
      return host_.now();
    case SOFTGPU_REG_SCRATCH:
      return scratch_;
    case SOFTGPU_REG_INT_STATUS:
      return interrupts_.read_status();
    case SOFTGPU_REG_INT_ENABLE:
      return interrupts_.enabled();
    case SOFTGPU_REG_INT_COALESCE_NS:
      return interrupts_.coalesce_ns();
    case SOFTGPU_REG_INT_COUNT:
      return interrupts_.count();
    case SOFTGPU_REG_TLB_HITS:
      return mmu_.tlb().hits();
    case SOFTGPU_REG_TLB_MISSES:
      return mmu_.tlb().misses();
    case SOFTGPU_REG_APERTURE_BASE:
      return aperture_.base();
    case SOFTGPU_REG_APERTURE_ENTRIES:
      return aperture_.entries();
    case SOFTGPU_HOOK_FEATURES_OFF:
      return features_.off;
    default:
      return 0;
  }
}

void Device::write_device_register(uint32_t offset, uint64_t value) {
  switch (offset) {
    case SOFTGPU_REG_SCRATCH:
      scratch_ = value;
      return;
    case SOFTGPU_REG_RESET:
      if (value == SOFTGPU_RESET_KEY) reset();
      return;
    case SOFTGPU_REG_INT_ENABLE:
      return interrupts_.enable(narrow(value));
    case SOFTGPU_REG_INT_ACK:
      return interrupts_.acknowledge(narrow(value));
    case SOFTGPU_REG_INT_FORCE:
      return interrupts_.add(narrow(value));
    case SOFTGPU_REG_INT_COALESCE_NS:
      return interrupts_.set_coalesce_ns(narrow(value));
    case SOFTGPU_REG_TLB_INVALIDATE:
      return mmu_.tlb().flush(narrow(value));
    case SOFTGPU_REG_APERTURE_BASE:
      return aperture_.set_base(value);
    case SOFTGPU_REG_APERTURE_ENTRIES:
      return aperture_.set_entries(narrow(value));
    case SOFTGPU_HOOK_FEATURES_OFF:
      features_.off = narrow(value);
      return;
  }
}

uint64_t Device::read_vmid_register(uint32_t vmid, uint32_t offset) const {
  const Mmu::Root& root = mmu_.root(vmid);
  return offset == SOFTGPU_VMID_ROOT ? root.address : root.entries;
}

void Device::write_vmid_register(uint32_t vmid, uint32_t offset, uint64_t value) {
  Mmu::Root root = mmu_.root(vmid);
  if (offset == SOFTGPU_VMID_ROOT) {
    root.address = value;
  } else {
    root.entries = narrow(value);
  }
  mmu_.set_root(vmid, root);
}

void Device::reset() {
  host_.log("reset of the device");
  for (Engine& engine : engines_) engine.reset();
  interrupts_.reset();
  mmu_.reset();
  aperture_.reset();
  local_.poison();
}

// --- Time ---

void Device::step(uint64_t now) {
  asked_for_ = kNever;
  int packets = 0;
  for (; packets < kPacketsPerStep; ++packets) {
    Engine* engine = next_engine(now);
    if (!engine) break;
    uint64_t at = engine->due();
    bool signalled = engine->advance(at);
    if (!signalled) continue;
    for (Engine& other : engines_) other.look_again(at);
  }
  interrupts_.advance(now);
  ask_for_step(packets == kPacketsPerStep ? now + 1 : 0);
}

// The one that is due first, the lower index before the higher: what happens does not depend on when step() is called.
Engine* Device::next_engine(uint64_t now) {
  auto earlier = [](const Engine& a, const Engine& b) { return a.due() < b.due(); };
  Engine* first = std::min_element(engines_.begin(), engines_.end(), earlier);
  return first->due() <= now ? first : nullptr;
}

void Device::ask_for_step(uint64_t not_before) {
  uint64_t next = interrupts_.due();
  for (const Engine& engine : engines_) next = std::min(next, engine.due());
  next = std::max(next, not_before);
  if (next == asked_for_) return;
  asked_for_ = next;
  host_.wake_at(next);
}

}  // namespace softgpu
