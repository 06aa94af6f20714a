#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace base {

// A growing list of trivial values whose first N need no allocation.
template <typename T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void push_back(T value) {
    if (count_ < N) {
      inline_[count_++] = value;
      return;
    }
    if (count_ == N && spilled_.empty()) spilled_.assign(inline_, inline_ + N);
    spilled_.push_back(value);
    ++count_;
  }
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T* begin() { return count_ <= N ? inline_ : spilled_.data(); }
  T* end() { return begin() + count_; }

 private:
  T inline_[N];
  std::vector<T> spilled_;
  size_t count_ = 0;
};

}  // namespace base
