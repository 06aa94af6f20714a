#pragma once

#include "base/check.h"

namespace vidsch {

// A place in one list. An object derives from one Hook for each list that it may be in at the same time.
template <typename Tag>
class Hook {
 public:
  bool linked() const { return next_ != nullptr; }

 private:
  template <typename T, typename U>
  friend class IntrusiveList;

  Hook* next_ = nullptr;
  Hook* previous_ = nullptr;
};

// Objects in order; it owns none of them and allocates nothing. It must not be moved: its ends point at it.
template <typename T, typename Tag>
class IntrusiveList {
  using Link = Hook<Tag>;

 public:
  IntrusiveList() { head_.next_ = head_.previous_ = &head_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const { return head_.next_ == &head_; }
  bool single() const { return !empty() && head_.next_ == head_.previous_; }
  T* front() const { return empty() ? nullptr : static_cast<T*>(head_.next_); }
  T* back() const { return empty() ? nullptr : static_cast<T*>(head_.previous_); }
  // The neighbour of an object of this list; null at the end.
  T* after(const T& object) const {
    Link* next = static_cast<const Link&>(object).next_;
    return next == &head_ ? nullptr : static_cast<T*>(next);
  }

  void push_back(T& object) { insert_after(*head_.previous_, object); }
  void push_front(T& object) { insert_after(head_, object); }
  T* pop_front() {
    T* first = front();
    if (first) remove(*first);
    return first;
  }
  T* pop_back() {
    T* last = back();
    if (last) remove(*last);
    return last;
  }
  static void remove(T& object) {
    Link& link = object;
    DCHECK(link.linked());
    link.previous_->next_ = link.next_;
    link.next_->previous_ = link.previous_;
    link.next_ = link.previous_ = nullptr;
  }

 private:
  static void insert_after(Link& at, Link& link) {
    DCHECK(!link.linked());
    link.next_ = at.next_;
    link.previous_ = &at;
    at.next_->previous_ = &link;
    at.next_ = &link;
  }

  Link head_;
};

}  // namespace vidsch
