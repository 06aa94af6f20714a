#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "ob/lookup.h"
#include "ob/object.h"

namespace ob {

// The slots behind a handle table: look-up without a lock, against close and reuse on other threads.
//
// A slot is two words. The first says everything a look-up judges and counts the look-ups that are using the slot:
//
//    63 … 32          15 … 8   5 4    3           2      1 0
//    pins (or ticket)  kind    phase  destroyed   open   generation (1 2 3 1 …; 0 never)
//
// The second is the object while the slot is open or closing, and the link of a list while it is free.
//
//             reserve                publish              close                last pin gone
//     Free ───────────► Reserved ───────────► open ───────────────► Closing ─────────────────► Free (next generation)
//       ▲                  │                 (destroyed: a flag
//       └──────────────────┘ abort            beside it)
//
// A look-up compares the low half with what it wants and adds a pin in the same compare-and-swap. So a pin exists only
// on a slot that was open, of the right generation and kind, at that instant; and the slot's own reference is given up
// only by the thread that takes the last pin off a Closing slot, which accepts no new ones. The closer holds a pin
// itself, therefore that moment comes exactly once. No thread ever waits for it: a look-up that sleeps merely delays
// reuse.
//
// Freed slots queue up (first in, first out, never fewer than kHeldBack of them), so that a stale handle goes on
// failing for a long time. The thread that takes the last pin may hold any lock, so it takes none: it pushes the slot
// onto `retired_`, and the next reserve() moves those to the queue. An aborted reservation goes back to the front,
// ordered by ticket: a failed call leaves no trace in the handles given out later, however many it had reserved.
//
// Slots lie in segments of 1024, 2048, 4096, … up to 2^24 in all; an index finds its segment by its highest bit.
// Memory is touched 1024 slots at a time and never moves or goes before the table does.
//
// Any thread. Allocation and the queue are under lock_; look-up, publish and close are not, and allocate nothing.
class SlotTable {
 public:
  static constexpr uint32_t kMaxSlots = 1u << 24;
  static constexpr uint32_t kGrowth = 1024;
  static constexpr uint32_t kHeldBack = 128;

  // What a look-up wants of the slot.
  enum class Generation : bool { Any, Exact };
  enum class Destroyed : bool { Refused, Ignored };
  struct Match {
    ObjectKind kind = ObjectKind::None;  // None: any
    Generation generation = Generation::Exact;
    Destroyed destroyed = Destroyed::Refused;
  };

  class Pin;

  explicit SlotTable(uint32_t max_slots = kMaxSlots);  // a multiple of kGrowth
  ~SlotTable();                                        // every slot is free by now
  SlotTable(const SlotTable&) = delete;
  SlotTable& operator=(const SlotTable&) = delete;

  // STATUS_NO_MEMORY when all slots but the held-back ones are in use.
  base::Result<SlotKey> reserve() EXCLUDES(lock_);
  void abort(SlotKey reserved) EXCLUDES(lock_);
  void publish(SlotKey reserved, base::Ref<Object> object);

  base::Expected<Pin, LookupFault> pin(SlotKey key, Match match);
  // The same, and turns the slot: at most one caller succeeds for one life of the slot.
  base::Expected<Pin, LookupFault> mark_destroyed(SlotKey key, Match match);
  base::Expected<Pin, LookupFault> close(SlotKey key, Match match);

  // The first open slot (destroyed or not) at `index` or after. What is opened or closed meanwhile may or may not be
  // seen.
  std::optional<SlotKey> next_open(uint32_t index) const;

  uint32_t open_count() const { return open_count_.load(std::memory_order_relaxed); }
  uint32_t capacity() const { return capacity_.load(std::memory_order_acquire); }

  // Every slot is in exactly one state, every free one on exactly one list. Only while no other thread is inside.
  bool validate() const EXCLUDES(lock_);

 private:
  struct Slot {
    std::atomic<uint64_t> word;
    std::atomic<uintptr_t> payload;
  };
  // Slots linked through their payloads.
  struct List {
    uint32_t head = kNone;
    uint32_t tail = kNone;
    uint32_t count = 0;
  };

  static constexpr uint32_t kNone = ~0u;
  static constexpr uint32_t kSegments = 15;

  static constexpr uint64_t kGenerationMask = 3;
  static constexpr uint64_t kOpen = 1 << 2;
  static constexpr uint64_t kDestroyed = 1 << 3;
  static constexpr uint64_t kPhaseMask = 3 << 4;
  static constexpr uint64_t kFree = 0 << 4;
  static constexpr uint64_t kReserved = 1 << 4;
  static constexpr uint64_t kClosing = 2 << 4;
  static constexpr uint64_t kKindMask = 0xff << 8;
  static constexpr uint64_t kOnePin = uint64_t{1} << 32;

  static constexpr uint64_t kind_bits(ObjectKind kind) { return uint64_t{static_cast<uint8_t>(kind)} << 8; }
  static constexpr uint32_t pins(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
  static constexpr uint32_t ticket(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
  static constexpr uint32_t next_generation(uint64_t word) { return (word & kGenerationMask) % 3 + 1; }
  static LookupFault judge(uint64_t word, SlotKey key, Match match);

  // `index` is below capacity().
  Slot& slot(uint32_t index) const {
    uint32_t block = index / kGrowth + 1;
    uint32_t segment = static_cast<uint32_t>(std::bit_width(block)) - 1;
    return segments_[segment][index - segment_start(segment)];
  }
  uint32_t link(uint32_t index) const {
    return static_cast<uint32_t>(slot(index).payload.load(std::memory_order_relaxed));
  }
  void set_link(uint32_t index, uint32_t next) { slot(index).payload.store(next, std::memory_order_relaxed); }
  static constexpr uint32_t segment_start(uint32_t segment) { return ((1u << segment) - 1) * kGrowth; }

  template <typename Turn>
  base::Expected<Pin, LookupFault> pin_and(SlotKey key, Match match, Turn turn);
  void unpin(Slot& slot, uint32_t index) {
    // Release: our use of the object comes before its release. Acquire: so do all other uses, if this pin is the last.
    uint64_t before = slot.word.fetch_sub(kOnePin, std::memory_order_acq_rel);
    if (__builtin_expect(pins(before) == 1 && (before & kPhaseMask) == kClosing, 0)) retire(slot, index);
  }
  void retire(Slot& slot, uint32_t index);

  bool grow_locked() REQUIRES(lock_);
  void collect_retired_locked() REQUIRES(lock_);
  uint32_t take_first_locked(List& list) REQUIRES(lock_);
  void append_locked(List& list, uint32_t index) REQUIRES(lock_);
  void put_back_locked(uint32_t index) REQUIRES(lock_);
  bool is_sound(const List& list) const;
  uint32_t retired_count() const;

  const uint32_t max_slots_;
  // Written under lock_ before the capacity that makes them reachable, never changed after.
  std::array<Slot*, kSegments> segments_{};
  std::atomic<uint32_t> capacity_{0};
  std::atomic<uint32_t> open_count_{0};
  // A stack that is pushed singly and emptied whole: a head that comes back heads a sound list, whichever it is.
  std::atomic<uint32_t> retired_{kNone};

  mutable base::Mutex<base::LockRank::Table> lock_;
  List queue_ GUARDED_BY(lock_);     // freed slots, oldest first
  List put_back_ GUARDED_BY(lock_);  // aborted reservations, in the order they were first made
  uint32_t next_ticket_ GUARDED_BY(lock_) = 0;
};

// While one exists its slot keeps the object; it does not keep the handle from being closed. Owned by one thread.
class SlotTable::Pin {
 public:
  Pin(Pin&& other) noexcept : table_(std::exchange(other.table_, nullptr)), slot_(other.slot_), index_(other.index_) {}
  Pin& operator=(Pin&&) = delete;
  ~Pin() {
    if (table_) table_->unpin(*slot_, index_);
  }

  Object& object() const { return *reinterpret_cast<Object*>(slot_->payload.load(std::memory_order_relaxed)); }
  SlotKey key() const {
    return {index_, static_cast<uint32_t>(slot_->word.load(std::memory_order_relaxed) & kGenerationMask)};
  }

 private:
  friend class SlotTable;
  Pin(SlotTable* table, Slot* slot, uint32_t index) : table_(table), slot_(slot), index_(index) {}

  SlotTable* table_;
  Slot* slot_;
  uint32_t index_;
};

template <typename Turn>
inline base::Expected<SlotTable::Pin, LookupFault> SlotTable::pin_and(SlotKey key, Match match, Turn turn) {
  if (key.index >= capacity()) return LookupFault::BadIndex;
  uint64_t mask = kOpen;
  uint64_t wanted = kOpen;
  if (match.generation == Generation::Exact) {
    mask |= kGenerationMask;
    wanted |= key.generation;
  }
  if (match.destroyed == Destroyed::Refused) mask |= kDestroyed;
  if (match.kind != ObjectKind::None) {
    mask |= kKindMask;
    wanted |= kind_bits(match.kind);
  }
  Slot& found = slot(key.index);
  uint64_t word = found.word.load(std::memory_order_relaxed);
  do {
    if ((word & mask) != wanted) return judge(word, key, match);
    // Acquire pairs with publish(): the object is seen as it was when it was published.
  } while (!found.word.compare_exchange_weak(word, turn(word) + kOnePin, std::memory_order_acquire,
                                             std::memory_order_relaxed));
  return Pin(this, &found, key.index);
}

inline base::Expected<SlotTable::Pin, LookupFault> SlotTable::pin(SlotKey key, Match match) {
  return pin_and(key, match, [](uint64_t word) { return word; });
}

}  // namespace ob
