#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/check.h"

namespace base {

// Pointers in the order in which they were added. To remove one costs the same however many there are. A few are kept
// in a plain vector. For many, a table holds the place of each one, and a removed one leaves a hole until half of the
// places are holes. A value type. It must not be changed while it is iterated.
template <typename T>
class Roster {
 public:
  class Iterator {
   public:
    Iterator(T* const* at, T* const* end) : at_(at), end_(end) { skip_holes(); }
    T* operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      skip_holes();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    void skip_holes() {
      while (at_ != end_ && !*at_) ++at_;
    }
    T* const* at_;
    T* const* end_;
  };

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T* front() const { return items_[first_]; }
  Iterator begin() const { return {items_.data() + first_, items_.data() + items_.size()}; }
  Iterator end() const { return {items_.data() + items_.size(), items_.data() + items_.size()}; }

  void push_back(T* item) {
    if (indexed_) CHECK(places_.emplace(item, items_.size()).second);
    items_.push_back(item);
    ++size_;
    if (!indexed_ && size_ > kFew) index();
  }
  // Does nothing when the pointer is not in it.
  void erase(const T* item) {
    if (!indexed_) {
      auto at = std::find(items_.begin(), items_.end(), item);
      if (at == items_.end()) return;
      items_.erase(at);
      --size_;
      return;
    }
    auto place = places_.find(item);
    if (place == places_.end()) return;
    items_[place->second] = nullptr;
    places_.erase(place);
    --size_;
    while (first_ < items_.size() && !items_[first_]) ++first_;
    if (items_.size() > 2 * size_ + kFew) close_holes();
  }

 private:
  static constexpr size_t kFew = 32;

  void index() {
    indexed_ = true;
    for (size_t i = 0; i < items_.size(); ++i) places_.emplace(items_[i], i);
  }
  void close_holes() {
    items_.erase(std::remove(items_.begin(), items_.end(), nullptr), items_.end());
    places_.clear();
    first_ = 0;
    indexed_ = false;
    if (size_ > kFew) index();
  }

  std::vector<T*> items_;                        // null: a hole
  std::unordered_map<const T*, size_t> places_;  // of many; looked up, never walked
  size_t first_ = 0;                             // that is no hole
  size_t size_ = 0;
  bool indexed_ = false;
};

}  // namespace base
