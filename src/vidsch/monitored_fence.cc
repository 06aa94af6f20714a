#include "vidsch/monitored_fence.h"

#include <algorithm>
#include <atomic>

#include "base/align.h"

namespace vidsch {
namespace {

// Room to go backwards below the first values of a 32-bit fence.
constexpr uint64_t kContinuedFrom = uint64_t{1} << 32;

}  // namespace

// --- TermHeap ---

void TermHeap::push(Term& term) {
  term.order = next_order_++;
  heap_.push_back(&term);
  sift_up(heap_.size() - 1, term);
}

void TermHeap::remove(Term& term) {
  size_t hole = term.heap_index;
  Term& last = *heap_.back();
  heap_.pop_back();
  if (&last == &term) return;
  if (hole > 0 && before(last, *heap_[(hole - 1) / 2])) {
    sift_up(hole, last);
  } else {
    sift_down(hole, last);
  }
}

void TermHeap::place(size_t index, Term& term) {
  heap_[index] = &term;
  term.heap_index = index;
}

void TermHeap::sift_up(size_t index, Term& term) {
  while (index > 0) {
    size_t parent = (index - 1) / 2;
    if (!before(term, *heap_[parent])) break;
    place(index, *heap_[parent]);
    index = parent;
  }
  place(index, term);
}

void TermHeap::sift_down(size_t index, Term& term) {
  while (true) {
    size_t child = 2 * index + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(*heap_[child + 1], *heap_[child])) ++child;
    if (!before(*heap_[child], term)) break;
    place(index, *heap_[child]);
    index = child;
  }
  place(index, term);
}

bool TermHeap::validate() const {
  for (size_t i = 0; i < heap_.size(); ++i) {
    if (heap_[i]->heap_index != i) return false;
    if (i > 0 && before(*heap_[i], *heap_[(i - 1) / 2])) return false;
  }
  return true;
}

// --- WatchedFences ---

void WatchedFences::sample(WokenList& out) {
  for (Fence* fence = first_; fence; fence = cursor_) {
    cursor_ = fence->next_;
    fence->sample(out);
  }
}

void WatchedFences::written(uintptr_t address, size_t bytes) {
  if (bytes == 0 || count_ <= kFew) return;
  uintptr_t last = address + bytes - 1;
  for (uintptr_t page = address / base::kPageBytes; page <= last / base::kPageBytes; ++page) {
    auto at = pages_.find(page);
    if (at == pages_.end()) continue;
    uintptr_t begin = page * base::kPageBytes;
    uintptr_t from = std::max(address, begin) - begin;
    uintptr_t to = std::min(last, begin + base::kPageBytes - 1) - begin;
    for (uintptr_t word = from / sizeof(uint64_t); word <= to / sizeof(uint64_t); ++word) {
      if (Fence* fence = (*at->second)[word]) written_.push_back(fence);
    }
  }
}

void WatchedFences::sample_written(WokenList& out) {
  if (count_ <= kFew) {
    written_.clear();
    return sample(out);
  }
  std::sort(written_.begin(), written_.end(),
            [](const Fence* a, const Fence* b) { return a->listed_at_ > b->listed_at_; });
  // A fence that was written twice has not changed the second time, and a fence that has left the list has no waiters.
  for (Fence* fence : written_) fence->sample(out);
  written_.clear();
}

Fence*& WatchedFences::slot_of(uintptr_t word) {
  std::unique_ptr<Page>& page = pages_[word / base::kPageBytes];
  if (!page) page = std::make_unique<Page>();
  return (*page)[word % base::kPageBytes / sizeof(uint64_t)];
}

void WatchedFences::add(Fence& fence) {
  if (!fence.slot_) fence.slot_ = &slot_of(reinterpret_cast<uintptr_t>(fence.word_));
  *fence.slot_ = &fence;
  fence.listed_at_ = ++listed_;
  ++count_;
  fence.previous_ = nullptr;
  fence.next_ = first_;
  if (first_) first_->previous_ = &fence;
  first_ = &fence;
}

void WatchedFences::remove(Fence& fence) {
  *fence.slot_ = nullptr;
  --count_;
  if (cursor_ == &fence) cursor_ = fence.next_;
  (fence.previous_ ? fence.previous_->next_ : first_) = fence.next_;
  if (fence.next_) fence.next_->previous_ = fence.previous_;
}

// --- Fence ---

Fence::Fence(uint64_t* word, uint64_t initial, Width width, OnReset on_reset, WatchedFences* watched)
    : word_(word),
      width_(width),
      on_reset_(on_reset),
      seen_(kContinuedFrom + static_cast<uint32_t>(initial)),
      watched_(watched) {
  CHECK(reinterpret_cast<uintptr_t>(word) % sizeof(uint64_t) == 0);
  std::atomic_ref<uint64_t>(*word_).store(0, std::memory_order_relaxed);  // the upper half of a 32-bit one
  store(initial);
}

uint64_t Fence::load() const {
  if (width_ == Width::Bits64) return std::atomic_ref<uint64_t>(*word_).load(std::memory_order_acquire);
  return std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(word_)).load(std::memory_order_acquire);
}

void Fence::store(uint64_t value) {
  if (width_ == Width::Bits64) {
    std::atomic_ref<uint64_t>(*word_).store(value, std::memory_order_release);
  } else {
    std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(word_))
        .store(static_cast<uint32_t>(value), std::memory_order_release);
  }
}

uint64_t Fence::nearest(uint64_t raw) const {
  if (width_ == Width::Bits64) return raw;
  auto distance = static_cast<int32_t>(static_cast<uint32_t>(raw) - static_cast<uint32_t>(seen_));
  return seen_ + static_cast<uint64_t>(static_cast<int64_t>(distance));
}

uint64_t Fence::current() {
  uint64_t raw = load();
  if (width_ == Width::Bits64) return raw;
  if (raw != UINT32_MAX) at_max_ = false;
  seen_ = nearest(raw);
  return at_max_ ? UINT64_MAX : seen_;
}

bool Fence::has_reached(uint64_t value) {
  uint64_t now = current();
  return now >= nearest(value);
}

base::Result<> Fence::check_signal(uint64_t value, Rewind rewind) {
  uint64_t now = current();
  if (nearest(value) < now && rewind == Rewind::Refused) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the fence would go backwards, which AllowFenceRewind asks for");
  }
  return {};
}

base::Result<> Fence::signal(uint64_t value, Rewind rewind, WokenList& out) {
  TRY(check_signal(value, rewind));
  at_max_ = false;
  store(value);
  sample(out);
  return {};
}

void Fence::device_lost(WokenList& out) {
  if (on_reset_ == OnReset::Nothing) return;
  at_max_ = width_ == Width::Bits32;
  store(UINT64_MAX);
  sample(out);
}

void Fence::wake_reached(WokenList& out) {
  uint64_t now = current();
  while (!waiting_.empty() && waiting_.top().value <= now) {
    Term& term = waiting_.top();
    waiting_.remove(term);
    term.waiter->reached(term, out);
  }
  waiters_changed();
}

void Fence::waiters_changed() {
  least_waited_ = waiting_.empty() ? UINT64_MAX : waiting_.top().value;
  if (!watched_ || listed_ == has_waiters()) return;
  listed_ = has_waiters();
  listed_ ? watched_->add(*this) : watched_->remove(*this);
}

void Fence::link(Term& term) {
  term.value = nearest(term.value);
  waiting_.push(term);
  waiters_changed();
}

void Fence::unlink(Term& term) {
  waiting_.remove(term);
  waiters_changed();
}

bool Fence::validate() const {
  uint64_t least = waiting_.empty() ? UINT64_MAX : waiting_.top().value;
  return waiting_.validate() && least == least_waited_ && listed_ == (watched_ && has_waiters());
}

}  // namespace vidsch
