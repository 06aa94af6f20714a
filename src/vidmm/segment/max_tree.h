#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vidmm {

// An array of numbers that finds, in logarithmic time, the nearest entry of at least a given value. Implicit binary
// tree: node i is the larger of nodes 2i and 2i+1, and the leaves are the entries. A value type.
class MaxTree {
 public:
  static constexpr size_t kNowhere = SIZE_MAX;

  MaxTree() = default;
  explicit MaxTree(size_t count) : leaves_(std::bit_ceil(count)), nodes_(2 * leaves_) {}

  bool empty() const { return leaves_ == 0; }
  uint32_t at(size_t index) const { return nodes_[leaves_ + index]; }

  void set(size_t index, uint32_t value) {
    size_t node = leaves_ + index;
    nodes_[node] = value;
    while (node > 1) {
      node /= 2;
      uint32_t larger = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
      if (nodes_[node] == larger) return;
      nodes_[node] = larger;
    }
  }

  // The first entry at or after `index` with at least `value`, which is not 0.
  size_t first_from(size_t index, uint32_t value) const {
    if (index >= leaves_) return kNowhere;
    size_t node = leaves_ + index;
    while (nodes_[node] < value) {
      while (node & 1) node /= 2;  // a right child: what follows it is beyond its parent
      if (node == 0) return kNowhere;
      ++node;
    }
    while (node < leaves_) node = nodes_[2 * node] >= value ? 2 * node : 2 * node + 1;
    return node - leaves_;
  }

  // The last entry at or before `index` with at least `value`, which is not 0.
  size_t last_until(size_t index, uint32_t value) const {
    size_t node = leaves_ + std::min(index, leaves_ - 1);
    while (nodes_[node] < value) {
      while (!(node & 1)) node /= 2;  // a left child: what precedes it is before its parent
      if (node == 1) return kNowhere;
      --node;
    }
    while (node < leaves_) node = nodes_[2 * node + 1] >= value ? 2 * node + 1 : 2 * node;
    return node - leaves_;
  }

 private:
  size_t leaves_ = 0;
  std::vector<uint32_t> nodes_;
};

}  // namespace vidmm
