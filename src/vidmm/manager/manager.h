#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "vidmm/manager/block.h"
#include "vidmm/manager/budget.h"
#include "vidmm/manager/pager.h"
#include "vidmm/manager/plan.h"
#include "vidmm/manager/residency.h"
#include "vidmm/segment/segment.h"

namespace vidmm {

enum class Answer : uint8_t {
  Done,         // nothing has to be done (what earlier plans do may still be under way)
  Pending,      // done when the plan has been executed
  OutOfMemory,  // nothing was changed
  Locked,       // nothing was changed: a locked block has no place that the CPU sees (US-03)
};

enum class OfferPriority : uint8_t { Low = 1, Normal, High, Auto };  // D3DDDI_OFFER_PRIORITY
enum class ReclaimResult : uint8_t { Ok, Discarded, NotCommitted };  // D3DDDI_RECLAIM_RESULT

struct MakeResidentFlags {
  bool cant_trim_further = false;  // blocks of running devices may be evicted too
  bool must_succeed = false;       // for the caller: on OutOfMemory the device is in error (RS-05)
};
struct EvictFlags {
  bool evict_only_if_necessary = false;
  bool not_written_to = false;
};

// Where each block is, and what has to be done so that it is where it must be. Owned by the adapter, whose memory lock
// guards every call and everything that is reachable from here.
//
// A pure state machine: it moves no byte, calls no other component and waits for nothing. It appends its decisions to a
// Plan. Its own state is at once what it will be when all plans made so far have been executed in their order. So the
// lock that guards it must also order the plans: a plan is queued before the lock is left.
//
//   eviction   wait_idle, notify_evict, transfer_out | discard | unmap_aperture, rebind to no memory
//   page-in    map_aperture | fill | transfer_in, rebind, init_context, notify_resident
//   move       wait_idle, notify_evict, (map_aperture,) move, (unmap_aperture,) rebind, notify_resident
//
// What is evicted when there is no room, in this order: offered blocks (low, normal, high), blocks that no device
// lists, then blocks of devices that do not run, lower priority first and within it the device that was scheduled
// longest ago. A block is placed in a less preferred segment before anything of a higher priority is evicted for it
// (demotion). The order is our policy: the documentation names only the ingredients.
class Manager {
 public:
  Manager(std::span<const SegmentInfo> segments, const Options& options);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  const Options& options() const { return pager_.options(); }
  void set_knobs(const Knobs& knobs);
  Budgets& budgets() { return budgets_; }

  void add(Block& block);
  // The content is dropped, and the block leaves every list. The caller knows that the GPU no longer uses it.
  void remove(Block& block, Plan& plan);

  // --- The device's list ---

  // All counts rise by one, or none does. A block may be named more than once. OutOfMemory: `bytes_to_trim` is what the
  // device would have to give up first, 0 when that would not help. Locked: one of them has no place while the CPU has
  // it locked.
  Answer make_resident(DeviceResidency& device, std::span<Block* const> blocks, MakeResidentFlags flags, Plan& plan,
                       uint64_t& bytes_to_trim);
  // STATUS_INVALID_PARAMETER, and no count has changed, when one would fall below zero (RS-01). `bytes_to_trim` is by
  // how much the process is over its budget.
  base::Result<Answer> evict(DeviceResidency& device, std::span<Block* const> blocks, EvictFlags flags, Plan& plan,
                             uint64_t& bytes_to_trim);
  // The device is destroyed: every count becomes zero. What it alone had listed is evicted when the room is needed.
  void forget_device(DeviceResidency& device);

  // Before each packet of the device: brings back what was evicted, and then the device counts as running and as the
  // one scheduled last. OutOfMemory: what is in the way belongs to running devices (unless `reach` says to take that
  // too), or the blocks cannot lie beside each other.
  Answer prepare(DeviceResidency& device, Plan& plan, Reach reach = Reach::Idle);
  void mark_idle(DeviceResidency& device);

  // Before each packet without a residency list (WDDM 1.x): places the blocks in this order and holds them until
  // release(). `fitted` is how many are there; fewer than all: the packet has to be split there, or to wait until
  // others release theirs when it is none. OutOfMemory or Locked only if none fits.
  Answer prepare(std::span<Block* const> blocks, Plan& plan, size_t& fitted);
  void release(std::span<Block* const> blocks);
  // A packet that writes it goes to the hardware. Only where packets name their blocks (Options::writes_are_told).
  void mark_written(Block& block);

  // --- Single blocks ---

  // Resident and never evicted until unpin().
  Answer pin(Block& block, Plan& plan);
  void unpin(Block& block);
  // The CPU may reach the content, once the plan is executed, until unlock(). Counted. STATUS_INVALID_PARAMETER when it
  // is offered (US-21), not CPU visible, or bound to a place that the CPU does not see.
  base::Result<Answer> lock(Block& block, Plan& plan);
  void unlock(Block& block);
  void set_priority(Block& block, uint32_t priority);

  // STATUS_INVALID_PARAMETER, and none is offered, when one of them is locked, pinned, or offered already.
  base::Result<Answer> offer(std::span<Block* const> blocks, OfferPriority priority, Plan& plan);
  // `results` has as many elements as `blocks`. Those that a device lists are paged in again. Blocks that are not
  // offered are Ok.
  Answer reclaim(std::span<Block* const> blocks, std::span<ReclaimResult> results, Plan& plan);

  // --- All blocks ---

  // Moves that make the largest gap of the segment larger; none if they would not. OutOfMemory only by knob.
  Answer defragment(uint32_t segment, Plan& plan);
  // Evicts everything from all segments, also pinned blocks: before the adapter stops or powers down.
  void evict_all(Plan& plan);
  // The adapter was reset: contents of memory segments are gone, and the plan has only a notice for each (TR-02). The
  // blocks have no place and stay on their lists.
  void lose_contents(Plan& plan);

  // Brings pinned blocks back to where they were, after evict_all() or lose_contents(). OutOfMemory: at least one has
  // no room, because another was pinned in between.
  Answer restore_pinned(Plan& plan);

  // Devices of processes that are over their budgets, in the order of their creation. Appends.
  void trim_requests(std::vector<TrimRequest>& out) const;

  const SegmentStatistics& statistics(uint32_t id) const { return segment(id).statistics; }
  const Segment& segment(uint32_t id) const { return pager_.occupancy().segment(id); }
  size_t segment_count() const { return pager_.occupancy().segment_count(); }
  size_t block_count() const { return blocks_.size(); }

  // True if all parts agree with each other. For tests: reads everything.
  bool validate();
  // For tests.
  Occupancy& occupancy() { return pager_.occupancy(); }

 private:
  friend class DeviceResidency;

  // Where a pinned block was before evict_all() or lose_contents().
  struct Home {
    Block* block;
    Place place;
  };

  void attach(DeviceResidency& device);
  void detach(DeviceResidency& device);

  ResidencyEntry& list(DeviceResidency& device, Block& block);
  void unlist(ResidencyEntry& entry);
  void take_back(DeviceResidency& device, std::span<Block* const> blocks);
  bool lock_is_in_the_way(std::span<Block* const> blocks);
  bool promise_holds(const ResidencyEntry& entry) const;
  bool over_restricted_budget(const DeviceResidency& device) const;
  uint64_t shortage(DeviceResidency& device, std::span<Block* const> blocks);

  bool settle(DeviceResidency& device, Reach reach, Plan& plan);
  bool bring_back(const DeviceResidency& device, Reach reach, Plan& plan);
  bool repack(DeviceResidency& device, Reach reach, Plan& plan);
  void schedule(DeviceResidency& device);
  void use(Block& block);
  void remember_homes();
  void restore_homes(Plan& plan);

  OfferState offer_state_for(const Block& block, OfferPriority priority) const;
  ReclaimResult reclaim(Block& block);

  bool movable(const Block& block) { return pager_.occupancy().victims().may_go(block, {}); }
  void collect_movable(uint32_t segment);

  Answer answer(const Pager::Mark& before, const Plan& plan) const {
    return plan.size() == before.ops ? Answer::Done : Answer::Pending;
  }

  Budgets budgets_;
  Pager pager_;
  std::vector<Block*> blocks_;
  std::vector<Home> homes_;                  // until they are restored
  DeviceResidency* first_device_ = nullptr;  // in the order of their creation
  DeviceResidency* last_device_ = nullptr;
  uint64_t capacity_ = 0;            // of all segments
  uint64_t schedules_ = 0;           // how often a device was scheduled
  const Block* unplaced_ = nullptr;  // the block at which the last attempt failed
  std::vector<Block*> scratch_;
};

}  // namespace vidmm
