#include "ob/slot_table.h"

#include <algorithm>
#include <new>

#include "base/check.h"

namespace ob {

SlotTable::SlotTable(uint32_t max_slots) : max_slots_(max_slots) {
  CHECK(max_slots % kGrowth == 0 && max_slots != 0 && max_slots <= kMaxSlots);
}

SlotTable::~SlotTable() {
  {
    base::Guard guard(lock_);
    collect_retired_locked();
    CHECK_MSG(queue_.count + put_back_.count == capacity(), "a table dies with a slot reserved, open or pinned");
  }
  for (Slot* segment : segments_) ::operator delete(segment);
}

base::Result<SlotKey> SlotTable::reserve() {
  base::Guard guard(lock_);
  collect_retired_locked();
  uint32_t index = 0;
  uint32_t order = 0;
  if (put_back_.count != 0) {
    index = take_first_locked(put_back_);
    order = ticket(slot(index).word.load(std::memory_order_relaxed));
  } else {
    if (queue_.count <= kHeldBack && !grow_locked()) {
      return base::Failure(STATUS_NO_MEMORY, "the handle table is full");
    }
    index = take_first_locked(queue_);
    order = next_ticket_++;
  }
  std::atomic<uint64_t>& word = slot(index).word;
  uint64_t generation = word.load(std::memory_order_relaxed) & kGenerationMask;
  word.store(uint64_t{order} << 32 | kReserved | generation, std::memory_order_relaxed);
  return SlotKey{index, static_cast<uint32_t>(generation)};
}

void SlotTable::abort(SlotKey reserved) {
  base::Guard guard(lock_);
  std::atomic<uint64_t>& word = slot(reserved.index).word;
  uint64_t now = word.load(std::memory_order_relaxed);
  CHECK((now & (kPhaseMask | kGenerationMask | kOpen)) == (kReserved | reserved.generation));
  word.store((now & ~kPhaseMask) | kFree, std::memory_order_relaxed);
  put_back_locked(reserved.index);
}

void SlotTable::publish(SlotKey reserved, base::Ref<Object> object) {
  Slot& target = slot(reserved.index);
  DCHECK((target.word.load(std::memory_order_relaxed) & kPhaseMask) == kReserved);
  uint64_t word = kind_bits(object->kind()) | kOpen | reserved.generation;
  target.payload.store(reinterpret_cast<uintptr_t>(object.leak()), std::memory_order_relaxed);
  open_count_.fetch_add(1, std::memory_order_relaxed);
  target.word.store(word, std::memory_order_release);
}

base::Expected<SlotTable::Pin, LookupFault> SlotTable::mark_destroyed(SlotKey key, Match match) {
  return pin_and(key, match, [](uint64_t word) { return word | kDestroyed; });
}

base::Expected<SlotTable::Pin, LookupFault> SlotTable::close(SlotKey key, Match match) {
  auto pinned = pin_and(key, match, [](uint64_t word) { return (word & ~(kOpen | kDestroyed)) | kClosing; });
  if (pinned.ok()) open_count_.fetch_sub(1, std::memory_order_relaxed);
  return pinned;
}

LookupFault SlotTable::judge(uint64_t word, SlotKey key, Match match) {
  if (match.generation == Generation::Exact && (word & kGenerationMask) != key.generation) {
    return LookupFault::StaleGeneration;
  }
  bool open = (word & kOpen) != 0;
  if (!open && (word & kPhaseMask) == kFree) return LookupFault::Unused;
  if (!open && (word & kPhaseMask) == kReserved) return LookupFault::Reserved;
  if (match.kind != ObjectKind::None && (word & kKindMask) != kind_bits(match.kind)) return LookupFault::WrongType;
  return open ? LookupFault::Destroyed : LookupFault::Closing;
}

// The slot is ours alone: Closing refuses pins and the last one was ours.
void SlotTable::retire(Slot& slot, uint32_t index) {
  auto* object = reinterpret_cast<Object*>(slot.payload.load(std::memory_order_relaxed));
  uint64_t word = slot.word.load(std::memory_order_relaxed);
  slot.word.store(kFree | next_generation(word), std::memory_order_relaxed);
  uint32_t head = retired_.load(std::memory_order_relaxed);
  do {
    slot.payload.store(head, std::memory_order_relaxed);
  } while (!retired_.compare_exchange_weak(head, index, std::memory_order_release, std::memory_order_relaxed));
  object->release();
}

std::optional<SlotKey> SlotTable::next_open(uint32_t index) const {
  for (uint32_t end = capacity(); index < end; ++index) {
    uint64_t word = slot(index).word.load(std::memory_order_relaxed);
    if (word & kOpen) return SlotKey{index, static_cast<uint32_t>(word & kGenerationMask)};
  }
  return std::nullopt;
}

bool SlotTable::grow_locked() {
  uint32_t first = capacity_.load(std::memory_order_relaxed);
  if (first == max_slots_) return false;
  uint32_t segment = static_cast<uint32_t>(std::bit_width(first / kGrowth + 1)) - 1;
  if (segments_[segment] == nullptr) {
    uint32_t slots = std::min(segment_start(segment + 1), max_slots_) - segment_start(segment);
    segments_[segment] = static_cast<Slot*>(::operator new(slots * sizeof(Slot), std::nothrow));
    if (segments_[segment] == nullptr) return false;
  }
  for (uint32_t index = first; index < first + kGrowth; ++index) {
    new (&slot(index)) Slot{kFree | 1, kNone};
    append_locked(queue_, index);
  }
  capacity_.store(first + kGrowth, std::memory_order_release);
  return true;
}

// They were pushed one by one, so the newest is first; the queue wants the oldest first.
void SlotTable::collect_retired_locked() {
  uint32_t index = retired_.exchange(kNone, std::memory_order_acquire);
  uint32_t reversed = kNone;
  while (index != kNone) {
    uint32_t next = link(index);
    set_link(index, reversed);
    reversed = index;
    index = next;
  }
  while (reversed != kNone) {
    uint32_t next = link(reversed);
    append_locked(queue_, reversed);
    reversed = next;
  }
}

uint32_t SlotTable::take_first_locked(List& list) {
  uint32_t index = list.head;
  list.head = link(index);
  if (list.head == kNone) list.tail = kNone;
  --list.count;
  return index;
}

void SlotTable::append_locked(List& list, uint32_t index) {
  set_link(index, kNone);
  if (list.tail == kNone) {
    list.head = index;
  } else {
    set_link(list.tail, index);
  }
  list.tail = index;
  ++list.count;
}

// Reservations end in either order (a scope backwards, a vector forwards): both ends are one step away.
void SlotTable::put_back_locked(uint32_t index) {
  auto comes_before = [this](uint32_t a, uint32_t b) {
    uint32_t distance =
        ticket(slot(a).word.load(std::memory_order_relaxed)) - ticket(slot(b).word.load(std::memory_order_relaxed));
    return static_cast<int32_t>(distance) < 0;
  };
  if (put_back_.tail == kNone || comes_before(put_back_.tail, index)) return append_locked(put_back_, index);
  uint32_t before = kNone;
  uint32_t after = put_back_.head;
  while (comes_before(after, index)) {
    before = after;
    after = link(after);
  }
  set_link(index, after);
  if (before == kNone) {
    put_back_.head = index;
  } else {
    set_link(before, index);
  }
  ++put_back_.count;
}

bool SlotTable::is_sound(const List& list) const {
  uint32_t index = list.head;
  uint32_t last = kNone;
  for (uint32_t seen = 0; seen < list.count; ++seen) {
    if (index >= capacity()) return false;
    uint64_t word = slot(index).word.load(std::memory_order_relaxed);
    if ((word & (kOpen | kPhaseMask)) != kFree) return false;
    last = index;
    index = link(index);
  }
  return index == kNone && last == list.tail;
}

uint32_t SlotTable::retired_count() const {
  uint32_t count = 0;
  for (uint32_t index = retired_.load(std::memory_order_acquire); index < capacity(); index = link(index)) ++count;
  return count;
}

bool SlotTable::validate() const {
  base::Guard guard(lock_);
  if (!is_sound(queue_) || !is_sound(put_back_)) return false;
  if (capacity() != 0 && queue_.count < kHeldBack) return false;
  uint32_t free = 0;
  uint32_t open = 0;
  for (uint32_t index = 0; index < capacity(); ++index) {
    const Slot& at = slot(index);
    uint64_t word = at.word.load(std::memory_order_relaxed);
    if ((word & kGenerationMask) == 0) return false;
    if (word & kOpen) {
      ++open;
      auto* object = reinterpret_cast<const Object*>(at.payload.load(std::memory_order_relaxed));
      if ((word & kPhaseMask) != 0 || (word & kKindMask) != kind_bits(object->kind())) return false;
    } else {
      if (word & kDestroyed) return false;
      if ((word & kPhaseMask) == kFree) ++free;
      if ((word & kPhaseMask) == kClosing && pins(word) == 0) return false;
    }
  }
  // The lists hold free slots only, and as many as there are; having an end, they hold each of them once.
  return free == queue_.count + put_back_.count + retired_count() && open == open_count();
}

}  // namespace ob
