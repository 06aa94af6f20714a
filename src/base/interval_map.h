#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

namespace base {

// Half-open intervals [lo, hi) that never overlap, each with a value, in order. Owned by one structure and guarded by
// its lock. An Entry stays where it is until it is erased or split.
template <typename Key, typename Value>
class IntervalMap {
 public:
  struct Entry {
    const Key lo;
    const Key hi;
    Value value;
  };

 private:
  using Tree = std::map<Key, Entry>;

 public:
  // Walks the entries in order: `for (const auto& entry : map)`.
  class Iterator {
   public:
    explicit Iterator(typename Tree::const_iterator at) : at_(at) {}
    const Entry& operator*() const { return at_->second; }
    const Entry* operator->() const { return &at_->second; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    typename Tree::const_iterator at_;
  };

  // Null, and nothing changes, when [lo, hi) is empty or touches an entry.
  Entry* insert(Key lo, Key hi, Value value) {
    if (!(lo < hi)) return nullptr;
    auto next = tree_.upper_bound(lo);
    if (next != tree_.end() && next->second.lo < hi) return nullptr;
    if (next != tree_.begin() && lo < std::prev(next)->second.hi) return nullptr;
    auto at = tree_.emplace_hint(next, lo, Entry{lo, hi, std::move(value)});
    return &at->second;
  }

  // Removes the entry that begins at `lo`; false when there is none.
  bool erase(Key lo) { return tree_.erase(lo) != 0; }
  void clear() { tree_.clear(); }

  // The entry that holds `key`, or null.
  Entry* find(Key key) {
    auto next = tree_.upper_bound(key);
    if (next == tree_.begin()) return nullptr;
    Entry& entry = std::prev(next)->second;
    return key < entry.hi ? &entry : nullptr;
  }
  const Entry* find(Key key) const { return const_cast<IntervalMap*>(this)->find(key); }

  // The first entry that has a key in common with [lo, hi), or null.
  Entry* find_overlap(Key lo, Key hi) {
    if (!(lo < hi)) return nullptr;
    if (Entry* entry = find(lo)) return entry;
    auto next = tree_.upper_bound(lo);
    return next != tree_.end() && next->second.lo < hi ? &next->second : nullptr;
  }
  const Entry* find_overlap(Key lo, Key hi) const { return const_cast<IntervalMap*>(this)->find_overlap(lo, hi); }

  // Cuts the entry around `at` in two, both with its value, and returns the right one. Null when `at` lies in no entry
  // or on the edge of one: there is nothing to cut.
  //   |-----a-----|   at ^        |--a--|--a--|
  Entry* split(Key at) {
    Entry* whole = find(at);
    if (!whole || !(whole->lo < at)) return nullptr;
    Key lo = whole->lo;
    Key hi = whole->hi;
    Value value = std::move(whole->value);
    erase(lo);
    insert(lo, at, value);
    return insert(at, hi, std::move(value));
  }

  Iterator begin() const { return Iterator(tree_.begin()); }
  Iterator end() const { return Iterator(tree_.end()); }
  size_t size() const { return tree_.size(); }
  bool empty() const { return tree_.empty(); }

  // Every entry is filed under its own beginning, holds a key, and ends before the next begins.
  bool validate() const {
    const Entry* previous = nullptr;
    for (const auto& [key, entry] : tree_) {
      if (key < entry.lo || entry.lo < key || !(entry.lo < entry.hi)) return false;
      if (previous && entry.lo < previous->hi) return false;
      previous = &entry;
    }
    return true;
  }

 private:
  Tree tree_;
};

}  // namespace base
