#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dxgk {

// A set of small numbers that gives its least. A bit for each number, and a bit for each word of those that is not
// zero: a change touches two words, and the least is found in a few even among a million. A value type.
class PlaceSet {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  bool contains(size_t number) const {
    return number / kBits < words_.size() && (words_[number / kBits] & bit(number)) != 0;
  }

  void insert(size_t number) {
    size_t word = number / kBits;
    if (word >= words_.size()) {
      words_.resize(word + 1);
      filled_.resize(word / kBits + 1);
    }
    if (words_[word] & bit(number)) return;
    words_[word] |= bit(number);
    filled_[word / kBits] |= bit(word);
    ++count_;
  }
  void erase(size_t number) {
    if (!contains(number)) return;
    size_t word = number / kBits;
    words_[word] &= ~bit(number);
    if (words_[word] == 0) filled_[word / kBits] &= ~bit(word);
    --count_;
  }
  // The set must not be empty.
  size_t least() const {
    size_t group = 0;
    while (filled_[group] == 0) ++group;
    size_t word = group * kBits + static_cast<size_t>(std::countr_zero(filled_[group]));
    return word * kBits + static_cast<size_t>(std::countr_zero(words_[word]));
  }

 private:
  static constexpr size_t kBits = 64;
  static uint64_t bit(size_t number) { return uint64_t{1} << (number % kBits); }

  std::vector<uint64_t> words_;
  std::vector<uint64_t> filled_;
  size_t count_ = 0;
};

}  // namespace dxgk
