#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vidmm/segment/segment_space.h"

namespace vidmm {

class Block;
class DeviceResidency;
struct ResidencyEntry;
struct VictimGroup;

inline constexpr uint32_t kPriorityClasses = 5;  // D3DKMT_QUERYSTATISTICS_ALLOCATION_PRIORITY_CLASS
inline constexpr uint32_t kPreferences = 5;      // D3DDDI_SEGMENTPREFERENCE

// Where a block's memory is. Segment 0 is system memory alone: nothing for the GPU to reach. A block in an aperture of
// an adapter with GPU page tables may have no extents: it takes no address of the aperture, only of its commit limit.
struct Place {
  uint32_t segment = 0;
  std::vector<Extent> extents;

  bool none() const { return segment == 0; }
  bool overlaps(const Place& other) const {
    if (segment != other.segment) return false;
    for (const Extent& a : extents) {
      for (const Extent& b : other.extents) {
        if (a.offset < b.end() && b.offset < a.end()) return true;
      }
    }
    return false;
  }
  friend bool operator==(const Place&, const Place&) = default;
};

struct SegmentPreference {
  uint32_t segment = 0;  // 0: no preference
  bool from_end = false;
};

// What the creator of the block said of it; constant, except for the priority.
struct BlockTraits {
  uint64_t bytes = 0;
  uint64_t alignment = 0;  // 0: a page
  uint32_t supported = 0;  // bit n: segment n + 1. None at all: system memory will do, the block is always resident
  std::array<SegmentPreference, kPreferences> preferred{};
  uint32_t eviction = 0;  // apertures through which the content leaves; none: straight into system memory
  uint32_t priority = 0x78000000;
  bool contiguous = false;  // AccessedPhysically, a primary
  bool cpu_visible = false;
  bool cpu_follows = true;  // the address of a lock can lead into memory segments that are CPU visible
  bool permanent_sysmem = false;
  bool existing_sysmem = false;
  bool explicit_notification = false;  // ExplicitResidencyNotification
  bool context = false;                // a context allocation: InitContext before its first use
  bool at_segment_end = false;         // overlay, capture: only in the last fifth of a segment
};

// Where the bytes are.
enum class Content : uint8_t {
  None,     // not there yet, or no longer: zero at the next use
  Backing,  // system memory (a block in an aperture too: these are the pages)
  Segment,  // the memory segment where the block is
};

enum class OfferState : uint8_t { NotOffered, Low, Normal, High };

// 0 (minimum) to 4 (maximum), of the 32-bit priority: D3DDDI_ALLOCATIONPRIORITY_* are the borders.
constexpr uint32_t priority_class(uint32_t priority) {
  if (priority < 0x50000000) return 0;
  if (priority < 0x78000000) return 1;
  if (priority < 0xa0000000) return 2;
  return priority < 0xc8000000 ? 3 : 4;
}

// What changes when a block is paged in, out or moved; kept apart so that a failed request can put it back.
struct BlockState {
  Place place;
  Content content = Content::None;
  Content origin = Content::None;  // while the content is in a segment: what it was before, still true if !written
  bool written = false;
  bool stale = false;      // while there is no content: the backing still has what it once was, and is not zero
  bool discarded = false;  // the content went while it was offered or with the adapter's reset
};

// What the manager knows of an allocation, a context allocation or a page table. A member of that object; from
// Manager::add() to Manager::remove() the manager has a pointer to it. Guarded by the manager's lock; everything but
// the owner's pointer is written by the manager alone.
class Block {
 public:
  explicit Block(const BlockTraits& traits, uint32_t ordinal = 0, void* owner = nullptr)
      : traits_(traits), ordinal_(ordinal), owner_(owner) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const BlockTraits& traits() const { return traits_; }
  uint64_t bytes() const { return traits_.bytes; }
  uint32_t ordinal() const { return ordinal_; }  // for people and traces
  void* owner() const { return owner_; }         // whose block it is, for the code that executes plans

  const Place& place() const { return state_.place; }
  Content content() const { return state_.content; }
  bool discarded() const { return state_.discarded; }
  bool resident() const { return !state_.place.none() || traits_.supported == 0; }
  bool required() const { return traits_.supported != 0 && !offered(); }  // of a device that lists it
  bool listed() const { return user_count_ != 0; }                        // on some device's residency list
  bool offered() const { return offer_ != OfferState::NotOffered; }
  OfferState offer_state() const { return offer_; }
  bool locked() const { return locks_ != 0; }
  bool pinned() const { return pins_ != 0; }
  bool held() const { return holds_ != 0; }  // by a submission on its way (WDDM 1.x)
  uint32_t lock_count() const { return locks_; }
  uint32_t user_count() const { return user_count_; }
  bool backed() const { return backed_; }  // system memory is committed for it

 private:
  static constexpr size_t kNotAdded = SIZE_MAX;

  friend class DeviceResidency;
  friend class Manager;
  friend class Occupancy;
  friend class Pager;
  friend class EvictionOrder;

  BlockTraits traits_;
  BlockState state_;
  uint32_t ordinal_;
  void* owner_;

  ResidencyEntry* users_ = nullptr;  // the entries of all devices that list it, oldest first
  ResidencyEntry* last_user_ = nullptr;
  uint32_t user_count_ = 0;

  VictimGroup* group_ = nullptr;  // its group in the eviction order, while it is in a segment
  Block* group_next_ = nullptr;
  Block* group_prev_ = nullptr;
  int64_t group_order_ = 0;  // grows from the group's first to its last

  uint32_t locks_ = 0;
  uint32_t pins_ = 0;
  uint32_t holds_ = 0;
  OfferState offer_ = OfferState::NotOffered;
  bool backed_ = true;
  size_t index_ = kNotAdded;  // among the manager's blocks
};

}  // namespace vidmm
