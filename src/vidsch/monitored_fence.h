#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/align.h"
#include "vidsch/sync_object.h"

namespace vidsch {

// The waiters of a fence, least value first; among equal values, first come. A binary heap whose terms know their
// place, so that a wait can be cancelled from the middle.
class TermHeap {
 public:
  bool empty() const { return heap_.empty(); }
  Term& top() const { return *heap_.front(); }
  void push(Term& term);
  void remove(Term& term);
  bool validate() const;

 private:
  static bool before(const Term& a, const Term& b) {
    return a.value != b.value ? a.value < b.value : a.order < b.order;
  }
  void place(size_t index, Term& term);
  void sift_up(size_t index, Term& term);
  void sift_down(size_t index, Term& term);

  std::vector<Term*> heap_;
  uint64_t next_order_ = 0;
};

class Fence;

// The fences that the GPU may change without telling us and that are waited for: they are looked at when work has come
// back from the GPU (context-monitoring, "GPU signal"). Outlives its fences; under the SyncLock.
//
// A few are all looked at. Of many, only those whose words were written since: each page of words has a table of its
// fences, so that what is looked at follows from the address. The order is that of the list in both cases.
class WatchedFences {
 public:
  WatchedFences() = default;
  WatchedFences(const WatchedFences&) = delete;
  WatchedFences& operator=(const WatchedFences&) = delete;

  // Looks at all of them.
  void sample(WokenList& out);
  // A device wrote there; sample_written() follows before the lock is left.
  void written(uintptr_t address, size_t bytes);
  // Looks at those that were written, or at all if they are few.
  void sample_written(WokenList& out);
  bool empty() const { return !first_; }
  size_t size() const { return count_; }

  static constexpr size_t kFew = 64;

 private:
  friend class Fence;
  using Page = std::array<Fence*, base::kPageBytes / sizeof(uint64_t)>;  // null: not watched

  void add(Fence& fence);
  void remove(Fence& fence);
  Fence*& slot_of(uintptr_t word);

  Fence* first_ = nullptr;   // the one listed last
  Fence* cursor_ = nullptr;  // the one that sample() looks at next: waking one wait may take any fence off the list
  size_t count_ = 0;
  uint64_t listed_ = 0;                                         // how often one was
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;  // looked up, never walked
  std::vector<Fence*> written_;
};

// A fence, monitored or not: a value that grows, in a word of memory that the GPU and the client may read and the GPU
// may write without telling us. The value is kept only there; so code that may have changed it calls sample().
//
// GPUs that write 32 bits at once only (No64BitAtomics) have the low half of the word, and values wrap around. They are
// compared as if continued to 64 bits: a raw value means the one nearest to the last seen. That is unambiguous while no
// value is further than UINT_MAX/2 away, as context-monitoring demands.
class Fence final : public SyncObject {
 public:
  enum class Width : uint8_t { Bits64, Bits32 };
  enum class OnReset : uint8_t { SignalMax, Nothing };

  // `word`: 8 bytes, aligned; outlives the fence. Gets `initial`. `watched`: where it is listed while it is waited for;
  // none if only the kernel changes it.
  Fence(uint64_t* word, uint64_t initial, Width width, OnReset on_reset, WatchedFences* watched = nullptr);

  // What signal() would say, for callers that signal several or none.
  base::Result<> check_signal(uint64_t value, Rewind rewind);
  base::Result<> signal(uint64_t value, Rewind rewind, WokenList& out) override;
  void device_lost(WokenList& out) override;
  // The word may have changed. Cheap when no waiter's value has been reached.
  void sample(WokenList& out) {
    if (current() >= least_waited_) wake_reached(out);
  }

  uint64_t value() const { return load(); }
  // Values above this must be reported: one less than the least value waited for, or UINT64_MAX if there is no waiter.
  uint64_t monitored_value() const { return waiting_.empty() ? UINT64_MAX : least_waited_ - 1; }
  bool has_waiters() const override { return !waiting_.empty(); }
  bool validate() const override;

 private:
  uint64_t load() const;
  void store(uint64_t value);
  uint64_t nearest(uint64_t raw) const;  // continued to 64 bits
  uint64_t current();
  void wake_reached(WokenList& out);
  void waiters_changed();

  bool has_reached(uint64_t value) override;
  void link(Term& term) override;
  void unlink(Term& term) override;
  Term* first_waiting() override { return waiting_.empty() ? nullptr : &waiting_.top(); }

  uint64_t* const word_;
  const Width width_;
  const OnReset on_reset_;
  bool at_max_ = false;  // 32 bits: signalled by a reset, for every value that is waited for
  uint64_t seen_;        // 32 bits: the last value, continued
  uint64_t least_waited_ = UINT64_MAX;
  TermHeap waiting_;

  friend class WatchedFences;
  WatchedFences* const watched_;
  bool listed_ = false;
  uint64_t listed_at_ = 0;  // on the list's count
  Fence** slot_ = nullptr;  // among those of its page, once it was listed
  // By hand: Boost.Intrusive needs the definition of Fence where WatchedFences, which a Fence uses, is defined.
  Fence *previous_ = nullptr, *next_ = nullptr;
};

}  // namespace vidsch
