#include "vidsch/sync_object.h"

#include <algorithm>
#include <utility>

namespace vidsch {

void WokenList::deliver() {
  std::vector<base::Ref<Wakeable>> woken;
  woken.swap(woken_);  // wake() may signal something with the same list
  for (base::Ref<Wakeable>& each : woken) each->wake();
}

// --- Waiter ---

Waiter::~Waiter() { DCHECK(state_ != State::Waiting); }  // it holds a reference to itself while it waits

bool Waiter::begin(std::span<const Condition> conditions, Need need) {
  CHECK(state_ != State::Waiting);
  CHECK(!conditions.empty());
  set_terms(conditions);
  need_ = need;
  if (std::ranges::any_of(conditions, [](const Condition& each) { return each.object->closed(); })) {
    state_ = State::Lost;
    return true;
  }
  if (satisfied_at_once()) {
    state_ = State::Satisfied;
    return true;
  }
  state_ = State::Waiting;
  link_unmet();
  add_ref();
  return false;
}

bool Waiter::cancel() {
  if (state_ != State::Waiting) return false;
  unlink_all();
  state_ = State::Cancelled;
  release();
  return true;
}

void Waiter::set_terms(std::span<const Condition> conditions) {
  count_ = static_cast<uint32_t>(conditions.size());
  more_ = count_ > 1 ? std::make_unique<Term[]>(count_) : nullptr;
  std::span<Term> own = terms();
  for (uint32_t i = 0; i < count_; ++i) {
    own[i] = Term{};
    own[i].waiter = this;
    own[i].object = conditions[i].object;
    own[i].value = conditions[i].value;
  }
}

bool Waiter::satisfied_at_once() {
  fences_pending_ = 0;
  for (Term& term : terms()) {
    term.met = term.object->has_reached(term.value);
    if (need_ == Need::Any && (term.met || term.object->take())) return true;
    if (!term.met && !term.object->counted()) ++fences_pending_;
  }
  return need_ == Need::All && fences_pending_ == 0 && take_counted();
}

// Takes one unit after the other, and gives all back if one is missing: the same semaphore twice takes two units.
bool Waiter::take_counted() {
  std::span<Term> all = terms();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].object->counted() || all[i].object->take()) continue;
    for (Term& taken : all.first(i)) {
      if (taken.object->counted()) taken.object->give_back();
    }
    return false;
  }
  return true;
}

void Waiter::link_unmet() {
  for (Term& term : terms()) {
    if (term.met) continue;
    term.object->link(term);
    term.linked = true;
  }
}

void Waiter::unlink_all() {
  for (Term& term : terms()) {
    if (std::exchange(term.linked, false)) term.object->unlink(term);
  }
}

void Waiter::reached(Term& term, WokenList& out) {
  term.linked = false;
  term.met = true;
  if (need_ == Need::Any) {
    finish(State::Satisfied, out);
    return;
  }
  if (--fences_pending_ == 0 && take_counted()) finish(State::Satisfied, out);
}

bool Waiter::offer(Term& term, WokenList& out) {
  bool taken = need_ == Need::Any ? term.object->take() : fences_pending_ == 0 && take_counted();
  if (taken) finish(State::Satisfied, out);
  return taken;
}

void Waiter::finish(State state, WokenList& out) {
  unlink_all();
  state_ = state;
  out.add(base::Ref<Wakeable>::adopt(this));  // the reference that begin() took
}

// --- SyncObject ---

bool SyncObject::try_wait(Waiter& waiter, uint64_t value) {
  Waiter::Condition only{this, value};
  return waiter.begin({&only, 1}, Waiter::Need::All);
}

void SyncObject::close(WokenList& out) {
  closed_ = true;
  while (Term* term = first_waiting()) term->waiter->finish(Waiter::State::Lost, out);
}

// --- Counted ---

base::Result<> Counted::signal(uint64_t, Rewind, WokenList& out) {
  if (count_ == maximum_) return base::Failure(beyond_, "signalled more often than it can be waited for");
  ++count_;
  for (Term* term = first_; term && count_ > 0;) {
    // A waiter that is satisfied leaves the list with all of its terms: begin again.
    term = term->waiter->offer(*term, out) ? first_ : term->next;
  }
  return {};
}

bool Counted::take() {
  if (count_ == 0) return false;
  --count_;
  return true;
}

void Counted::link(Term& term) {
  term.previous = last_;
  term.next = nullptr;
  (last_ ? last_->next : first_) = &term;
  last_ = &term;
}

void Counted::unlink(Term& term) {
  (term.previous ? term.previous->next : first_) = term.next;
  (term.next ? term.next->previous : last_) = term.previous;
  term.previous = term.next = nullptr;
}

bool Counted::validate() const {
  if (count_ > maximum_) return false;
  const Term* before = nullptr;
  for (const Term* term = first_; term; before = term, term = term->next) {
    if (term->object != this || !term->linked || term->previous != before) return false;
  }
  return last_ == before;
}

// --- CpuNotification ---

base::Result<> CpuNotification::signal(uint64_t, Rewind, WokenList& out) {
  if (!closed()) out.add(event_);
  return {};
}

void CpuNotification::link(Term&) { CHECK_MSG(false, "the CPU waits for the event of a CPU notification, not for it"); }
void CpuNotification::unlink(Term&) { CHECK_MSG(false, "nobody waits for a CPU notification"); }

}  // namespace vidsch
