// The manager's offers: content that its owner does not need until it reclaims the block.

#include "base/check.h"
#include "vidmm/manager/manager.h"

namespace vidmm {

OfferState Manager::offer_state_for(const Block& block, OfferPriority priority) const {
  switch (priority) {
    case OfferPriority::Low:
      return OfferState::Low;
    case OfferPriority::Normal:
      return OfferState::Normal;
    case OfferPriority::High:
      return OfferState::High;
    case OfferPriority::Auto:
      break;
  }
  // "A policy decision … based on its priority for eviction": documented that there is one, not which.
  uint32_t value = priority_class(block.traits().priority);
  return value < 2 ? OfferState::Low : value == 2 ? OfferState::Normal : OfferState::High;
}

base::Result<Answer> Manager::offer(std::span<Block* const> blocks, OfferPriority priority, Plan& plan) {
  for (const Block* block : blocks) {
    if (block->offered()) return base::Failure(STATUS_INVALID_PARAMETER, "the allocation is offered already");
    if (block->locked()) return base::Failure(STATUS_INVALID_PARAMETER, "a locked allocation is offered");
    if (block->pinned()) return base::Failure(STATUS_INVALID_PARAMETER, "a pinned allocation is offered");
  }
  Pager::Mark before = pager_.mark(plan);
  const Knobs& knobs = options().knobs;
  for (Block* block : blocks) {
    if (block->offered()) continue;  // named twice
    pager_.occupancy().leave(*block);
    block->offer_ = offer_state_for(*block, priority);
    pager_.occupancy().enter(*block);
    if (block->held()) continue;  // a submission on its way still reads it
    if (knobs.always_discard_offer || knobs.always_decommit_offer) pager_.discard(*block, plan);
    if (knobs.always_decommit_offer && !block->traits().existing_sysmem) {
      plan.add(PagingOp::Kind::Decommit, *block, {}, {});
      block->backed_ = block->state_.stale = false;
    }
  }
  pager_.commit(before, plan, EvictionCause::Evict);
  return answer(before, plan);
}

ReclaimResult Manager::reclaim(Block& block) {
  if (!block.offered()) return ReclaimResult::Ok;
  if (!block.backed_ && options().knobs.always_fail_commit_on_reclaim) return ReclaimResult::NotCommitted;
  pager_.occupancy().leave(block);
  block.offer_ = OfferState::NotOffered;
  block.backed_ = true;
  bool discarded = std::exchange(block.state_.discarded, false);
  pager_.occupancy().enter(block);
  return discarded ? ReclaimResult::Discarded : ReclaimResult::Ok;
}

Answer Manager::reclaim(std::span<Block* const> blocks, std::span<ReclaimResult> results, Plan& plan) {
  CHECK(blocks.size() == results.size());
  for (size_t i = 0; i < blocks.size(); ++i) results[i] = reclaim(*blocks[i]);
  Pager::Mark before = pager_.mark(plan);
  for (Block* block : blocks) {
    // A block that has no room now stays missing: the device's next preparation evicts more for it.
    if (block->listed() && !block->offered()) pager_.page_in(*block, {block->users_->device, Reach::Idle}, plan);
  }
  pager_.commit(before, plan, EvictionCause::Preparation);
  return answer(before, plan);
}

}  // namespace vidmm
