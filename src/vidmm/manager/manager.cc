#include "vidmm/manager/manager.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace vidmm {

Manager::Manager(std::span<const SegmentInfo> segments, const Options& options) : pager_(segments, options, budgets_) {
  for (uint32_t id = 1; id <= segments.size(); ++id) {
    const Segment& each = segment(id);
    capacity_ += each.info.aperture && options.gpu_mmu ? each.info.commit_limit : each.capacity;
  }
  set_knobs(options.knobs);
}

Manager::~Manager() {
  CHECK_MSG(blocks_.empty(), "the memory manager went before its blocks");  // 0x10E/0x2
  CHECK(!first_device_);
}

void Manager::set_knobs(const Knobs& knobs) {
  pager_.set_knobs(knobs);
  budgets_.restrict_to(MemoryGroup::Local, knobs.restrict_local_budget);
  budgets_.restrict_to(MemoryGroup::NonLocal, knobs.restrict_nonlocal_budget);
}

void Manager::attach(DeviceResidency& device) {
  device.prev_device_ = last_device_;
  (last_device_ ? last_device_->next_device_ : first_device_) = &device;
  last_device_ = &device;
  pager_.occupancy().victims().attach(device);
}

void Manager::detach(DeviceResidency& device) {
  pager_.occupancy().victims().detach(device);
  (device.prev_device_ ? device.prev_device_->next_device_ : first_device_) = device.next_device_;
  (device.next_device_ ? device.next_device_->prev_device_ : last_device_) = device.prev_device_;
}

void Manager::add(Block& block) {
  CHECK(block.index_ == Block::kNotAdded && block.bytes() != 0);
  block.state_.content = block.traits().existing_sysmem ? Content::Backing : Content::None;
  block.index_ = blocks_.size();
  blocks_.push_back(&block);
}

void Manager::remove(Block& block, Plan& plan) {
  CHECK(block.index_ != Block::kNotAdded);
  Pager::Mark before = pager_.mark(plan);
  while (block.users_) unlist(*block.users_);
  pager_.drop(block, plan);
  pager_.commit(before, plan, EvictionCause::Close);
  blocks_.back()->index_ = block.index_;
  blocks_[block.index_] = blocks_.back();
  blocks_.pop_back();
  block.index_ = Block::kNotAdded;
  std::erase_if(homes_, [&](const Home& home) { return home.block == &block; });
}

Answer Manager::prepare(std::span<Block* const> blocks, Plan& plan, size_t& fitted) {
  Pager::Mark before = pager_.mark(plan);
  fitted = 0;
  // Blocks that are named later stay resident if possible, and are evicted for the earlier ones if not.
  for (Block* block : blocks) ++block->holds_;
  size_t held = blocks.size();
  for (Block* block : blocks) {
    if (fitted >= held) {
      ++block->holds_;
      ++held;
    }
    bool placed = pager_.page_in(*block, {}, plan);
    if (!placed && held > fitted + 1) {
      release(blocks.subspan(fitted + 1, held - fitted - 1));
      held = fitted + 1;
      placed = pager_.page_in(*block, {}, plan);
    }
    if (!placed) break;
    use(*block);
    ++fitted;
  }
  release(blocks.subspan(fitted, held - fitted));
  pager_.commit(before, plan, EvictionCause::Preparation);
  if (fitted != 0 || blocks.empty()) return answer(before, plan);
  return pager_.room().has_candidates(*blocks[0]) ? Answer::OutOfMemory : Answer::Locked;
}

// The block is about to be used: of its group it is evicted last.
void Manager::use(Block& block) {
  if (block.content() == Content::Segment && !options().writes_are_told) block.state_.written = true;
  if (block.place().none()) return;
  pager_.occupancy().victims().unlink(block);
  pager_.occupancy().victims().link(block);
}

void Manager::release(std::span<Block* const> blocks) {
  for (Block* block : blocks) {
    CHECK(block->holds_ != 0);
    --block->holds_;
  }
}

void Manager::mark_written(Block& block) {
  if (block.content() == Content::Segment) block.state_.written = true;
}

Answer Manager::pin(Block& block, Plan& plan) {
  Pager::Mark before = pager_.mark(plan);
  if (!pager_.page_in(block, {nullptr, Reach::Running}, plan)) return Answer::OutOfMemory;
  pager_.commit(before, plan, EvictionCause::Preparation);
  use(block);
  ++block.pins_;
  return answer(before, plan);
}

void Manager::unpin(Block& block) {
  CHECK(block.pins_ != 0);
  --block.pins_;
}

base::Result<Answer> Manager::lock(Block& block, Plan& plan) {
  if (block.offered()) return base::Failure(STATUS_INVALID_PARAMETER, "an offered allocation is locked");
  if (!block.traits().cpu_visible) return base::Failure(STATUS_INVALID_PARAMETER, "the allocation is not CPU visible");
  Pager::Mark before = pager_.mark(plan);
  if (!pager_.room().cpu_reaches(block, block.place().segment)) {
    if (block.pinned()) {
      return base::Failure(STATUS_INVALID_PARAMETER, "the allocation has to stay where the CPU does not see it");
    }
    if (block.held()) {
      return base::Failure(STATUS_GRAPHICS_ALLOCATION_BUSY, "a submission needs it where the CPU does not see it");
    }
    if (!pager_.move_to_aperture(block, {}, plan)) {
      if (block.listed()) {
        return base::Failure(STATUS_INVALID_PARAMETER,
                             "the allocation is resident in a memory segment, and no aperture may have it");
      }
      pager_.page_out(block, plan);
    }
  }
  pager_.commit(before, plan, EvictionCause::Lock);
  // The CPU sees the backing, and may write there or in the segment.
  if (block.content() == Content::None) block.state_.content = Content::Backing;
  mark_written(block);
  ++block.locks_;
  return answer(before, plan);
}

void Manager::unlock(Block& block) {
  CHECK(block.locks_ != 0);
  --block.locks_;
}

void Manager::set_priority(Block& block, uint32_t priority) {
  pager_.occupancy().leave(block);
  block.traits_.priority = priority;
  pager_.occupancy().enter(block);
}

void Manager::remember_homes() {
  homes_.clear();
  for (Block* block : blocks_) {
    if (block->pinned() && !block->place().none()) homes_.push_back({block, block->place()});
  }
}

void Manager::evict_all(Plan& plan) {
  remember_homes();
  Pager::Mark before = pager_.mark(plan);
  for (Block* block : blocks_) {
    if (!block->place().none()) pager_.page_out(*block, plan);
  }
  for (DeviceResidency* device = first_device_; device; device = device->next_device_) device->running_ = false;
  pager_.commit(before, plan, EvictionCause::Purge);
}

void Manager::lose_contents(Plan& plan) {
  remember_homes();
  Pager::Mark before = pager_.mark(plan);
  for (Block* block : blocks_) pager_.lose(*block, plan);
  for (DeviceResidency* device = first_device_; device; device = device->next_device_) device->running_ = false;
  pager_.commit(before, plan, EvictionCause::Purge);
}

// At their old places they fit beside each other, in any order. Blocks that were placed there meanwhile are evicted.
void Manager::restore_homes(Plan& plan) {
  for (const Home& home : homes_) {
    if (!home.block->pinned() || home.block->resident()) continue;
    for (Block* other : blocks_) {
      if (!other->pinned() && home.place.overlaps(other->place())) pager_.page_out(*other, plan);
    }
    if (pager_.page_in_at(*home.block, home.place, plan)) use(*home.block);
  }
  homes_.clear();
}

Answer Manager::restore_pinned(Plan& plan) {
  Pager::Mark before = pager_.mark(plan);
  restore_homes(plan);
  for (Block* block : blocks_) {
    if (!block->pinned() || block->resident()) continue;
    if (pager_.page_in(*block, {nullptr, Reach::Running}, plan)) {
      use(*block);
      continue;
    }
    pager_.rollback(before, plan);
    return Answer::OutOfMemory;
  }
  pager_.commit(before, plan, EvictionCause::Preparation);
  return answer(before, plan);
}

void Manager::trim_requests(std::vector<TrimRequest>& out) const {
  for (const ProcessMemory* process : budgets_.processes()) {
    uint64_t excess = budgets_.excess(*process);
    for (DeviceResidency* device = first_device_; device; device = device->next_device_) {
      if (excess == 0) break;
      if (&device->process() != process || device->required_bytes() == 0) continue;
      uint64_t bytes = std::min(excess, device->required_bytes());
      out.push_back({device, bytes});
      excess -= bytes;
    }
  }
}

}  // namespace vidmm
