#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/executor.h"

namespace nt {

// A task's place among those that wait until a time.
struct Deadline {
  static constexpr size_t kNone = ~size_t{0};

  base::TimeNs at = base::kForever;
  uint64_t order = 0;    // of two with the same time the one that came first is first
  size_t place = kNone;  // in the heap
};

// Tasks that wait until a time, the earliest first. A task is in it at most once, and is taken out when its wait ends,
// however it ends. So the cost depends on the tasks that wait now, not on all that ever did. `Node` has a member
// `Deadline deadline`. Owned by one executor; not thread-safe.
template <typename Node>
class Deadlines {
 public:
  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  Node& first() const { return *heap_.front(); }

  void add(Node& node, base::TimeNs at) {
    node.deadline = {at, ++last_order_, heap_.size()};
    heap_.push_back(&node);
    move_up(heap_.size() - 1);
  }

  // Does nothing when the task is not in it.
  void remove(Node& node) {
    size_t place = std::exchange(node.deadline.place, Deadline::kNone);
    if (place == Deadline::kNone) return;
    Node* last = heap_.back();
    heap_.pop_back();
    if (last == &node) return;
    put(place, *last);
    move_up(place);
    move_down(last->deadline.place);
  }

 private:
  static bool before(const Node& a, const Node& b) {
    return a.deadline.at != b.deadline.at ? a.deadline.at < b.deadline.at : a.deadline.order < b.deadline.order;
  }
  void put(size_t place, Node& node) {
    heap_[place] = &node;
    node.deadline.place = place;
  }
  void exchange(size_t a, size_t b) {
    Node& was_at_a = *heap_[a];
    put(a, *heap_[b]);
    put(b, was_at_a);
  }
  void move_up(size_t place) {
    for (; place > 0 && before(*heap_[place], *heap_[(place - 1) / 2]); place = (place - 1) / 2) {
      exchange(place, (place - 1) / 2);
    }
  }
  void move_down(size_t place) {
    for (;;) {
      size_t least = place;
      for (size_t child : {2 * place + 1, 2 * place + 2}) {
        if (child < heap_.size() && before(*heap_[child], *heap_[least])) least = child;
      }
      if (least == place) return;
      exchange(place, least);
      place = least;
    }
  }

  std::vector<Node*> heap_;
  uint64_t last_order_ = 0;
};

}  // namespace nt
