#include "vidmm/address/va_tree.h"

#include <algorithm>

#include "base/align.h"
#include "base/check.h"

namespace vidmm {
namespace {

// An inner node this empty looks for a neighbour to join, as leaves do.
constexpr unsigned kSparse = VaTree::kFanOut / 4;

// How many of the first `count` keys are at most `va`. Without branches: the keys are as good as random to a predictor.
unsigned count_not_above(const uint64_t* keys, unsigned count, uint64_t va) {
  const uint64_t* from = keys;
  while (count > 1) {
    unsigned half = count / 2;
    from += half & (0 - static_cast<unsigned>(from[half - 1] <= va));
    count -= half;
  }
  return static_cast<unsigned>(from - keys) + (count && *from <= va);
}

template <typename T>
void open_slot(T* array, unsigned count, unsigned position) {
  std::copy_backward(array + position, array + count, array + count + 1);
}

template <typename T>
void close_slot(T* array, unsigned count, unsigned position) {
  std::copy(array + position + 1, array + count, array + position);
}

using Leaf = VaTree::Leaf;
using Inner = VaTree::Inner;

// All of a leaf at once: its lines miss the cache together instead of one after the other.
void prefetch(const Leaf* leaf) {
  for (size_t at = 0; at < sizeof(Leaf); at += 64) __builtin_prefetch(reinterpret_cast<const char*>(leaf) + at);
}

void put(Leaf& leaf, unsigned position, VaItem& item) {
  open_slot(leaf.first, leaf.count, position);
  open_slot(leaf.end, leaf.count, position);
  open_slot(leaf.item, leaf.count, position);
  leaf.first[position] = item.va;
  leaf.end[position] = item.end();
  leaf.item[position] = &item;
  ++leaf.count;
}

void take(Leaf& leaf, unsigned position) {
  close_slot(leaf.first, leaf.count, position);
  close_slot(leaf.end, leaf.count, position);
  close_slot(leaf.item, leaf.count, position);
  --leaf.count;
}

// Appends [from, count) of `source` to `target`.
void append(Leaf& target, const Leaf& source, unsigned from) {
  std::copy(source.first + from, source.first + source.count, target.first + target.count);
  std::copy(source.end + from, source.end + source.count, target.end + target.count);
  std::copy(source.item + from, source.item + source.count, target.item + target.count);
  target.count += source.count - from;
}

void append(Inner& target, const Inner& source, unsigned from) {
  std::copy(source.first + from, source.first + source.count, target.first + target.count);
  std::copy(source.end + from, source.end + source.count, target.end + target.count);
  std::copy(source.gap + from, source.gap + source.count, target.gap + target.count);
  std::copy(source.child + from, source.child + source.count, target.child + target.count);
  target.count += source.count - from;
}

void take(Inner& inner, unsigned position) {
  close_slot(inner.first, inner.count, position);
  close_slot(inner.end, inner.count, position);
  close_slot(inner.gap, inner.count, position);
  close_slot(inner.child, inner.count, position);
  --inner.count;
}

uint64_t widest_gap(const Leaf& leaf) {
  uint64_t widest = 0;
  for (unsigned i = 1; i < leaf.count; ++i) widest = std::max(widest, leaf.first[i] - leaf.end[i - 1]);
  return widest;
}

uint64_t widest_gap(const Inner& inner) {
  uint64_t widest = inner.gap[0];
  for (unsigned i = 1; i < inner.count; ++i)
    widest = std::max({widest, inner.gap[i], inner.first[i] - inner.end[i - 1]});
  return widest;
}

}  // namespace

template <typename Node>
VaTree::Summary VaTree::summary_of(const Node& node) {
  return {node.first[0], node.end[node.count - 1], widest_gap(node)};
}

VaTree::Cursor VaTree::at(uint64_t va) const {
  Cursor cursor;
  if (!root_) return cursor;
  void* node = root_;
  for (unsigned height = height_; height > 0; --height) {
    auto* inner = static_cast<Inner*>(node);
    unsigned not_above = count_not_above(inner->first, inner->count, va);
    unsigned index = not_above ? not_above - 1 : 0;
    cursor.steps_[cursor.depth_++] = {inner, index};
    node = inner->child[index];
    if (height == 1) prefetch(static_cast<Leaf*>(node));
  }
  auto* leaf = static_cast<Leaf*>(node);
  cursor.below_ = leaf;
  cursor.position_ = count_not_above(leaf->end, leaf->count, va);
  bool here = cursor.position_ < leaf->count;
  cursor.leaf_ = here ? leaf : leaf->next;
  cursor.index_ = here ? cursor.position_ : 0;
  return cursor;
}

void VaTree::Cursor::advance() {
  if (++index_ < leaf_->count) return;
  leaf_ = leaf_->next;
  index_ = 0;
}

// Carries what changed in the node below `depth` up, as far as it makes a difference.
void VaTree::summarise(const Cursor& path, unsigned depth) {
  for (unsigned level = depth; level-- > 0;) {
    auto [inner, index] = path.steps_[level];
    Summary now = level + 1 == path.depth_ ? summary_of(*static_cast<Leaf*>(inner->child[index]))
                                           : summary_of(*static_cast<Inner*>(inner->child[index]));
    if (now == Summary{inner->first[index], inner->end[index], inner->gap[index]}) return;
    inner->first[index] = now.first;
    inner->end[index] = now.end;
    inner->gap[index] = now.gap;
  }
}

void VaTree::insert(Cursor& place, VaItem& item) {
  ++size_;
  if (!root_) root_ = place.below_ = nodes_.leaves.make();
  Leaf& leaf = *place.below_;
  unsigned position = place.position_;
  CHECK(position == 0 || leaf.end[position - 1] <= item.va);
  CHECK(position == leaf.count || item.end() <= leaf.first[position]);
  if (leaf.count == kLeafFanOut) return split_leaf(place, position, item);
  put(leaf, position, item);
  summarise(place, place.depth_);
}

void VaTree::split_leaf(Cursor& path, unsigned position, VaItem& item) {
  Leaf& left = *path.below_;
  Leaf& right = *nodes_.leaves.make();
  // Addresses handed out upwards would leave every leaf half empty behind them.
  unsigned kept = position == left.count && !left.next ? left.count : left.count / 2;
  append(right, left, kept);
  left.count = kept;
  right.next = left.next;
  left.next = &right;
  if (position > kept || kept == kLeafFanOut)
    put(right, position - kept, item);
  else
    put(left, position, item);
  summarise(path, path.depth_);
  add_child(path, path.depth_, &right, summary_of(right));
}

// Puts a new node behind the one that the path takes below `depth`, splitting upwards.
void VaTree::add_child(Cursor& path, unsigned depth, void* child, Summary summary) {
  if (depth == 0) {
    Inner& root = *nodes_.inners.make();
    CHECK(height_ + 1 < Cursor::kMaxHeight);
    Summary old = height_ == 0 ? summary_of(*static_cast<Leaf*>(root_)) : summary_of(*static_cast<Inner*>(root_));
    put_child(root, 0, root_, old);
    put_child(root, 1, child, summary);
    root_ = &root;
    ++height_;
    return;
  }
  auto [inner, index] = path.steps_[depth - 1];
  if (inner->count < kFanOut) {
    put_child(*inner, index + 1, child, summary);
    return summarise(path, depth - 1);
  }
  Inner& right = *nodes_.inners.make();
  unsigned kept = index + 1 == kFanOut ? kFanOut - 1 : kFanOut / 2;
  append(right, *inner, kept);
  inner->count = kept;
  if (index >= kept)
    put_child(right, index + 1 - kept, child, summary);
  else
    put_child(*inner, index + 1, child, summary);
  summarise(path, depth - 1);
  add_child(path, depth - 1, &right, summary_of(right));
}

void VaTree::put_child(Inner& inner, unsigned position, void* child, Summary summary) {
  open_slot(inner.first, inner.count, position);
  open_slot(inner.end, inner.count, position);
  open_slot(inner.gap, inner.count, position);
  open_slot(inner.child, inner.count, position);
  inner.first[position] = summary.first;
  inner.end[position] = summary.end;
  inner.gap[position] = summary.gap;
  inner.child[position] = child;
  ++inner.count;
}

void VaTree::erase(const VaItem& item) {
  Cursor place = at(item.va);
  CHECK(place.item() == &item);
  erase(place);
}

void VaTree::erase(Cursor& place) {
  Leaf& leaf = *place.below_;
  CHECK(place.leaf_ == &leaf && place.index_ == place.position_);
  take(leaf, place.position_);
  --size_;
  if (leaf.count < kLeafFanOut / 4) return join_leaf(place);
  summarise(place, place.depth_);
}

// A sparse leaf joins a neighbour under the same parent if both fit in one, and goes if it is empty. So the leaves of
// any two neighbours hold at least half of what two could.
void VaTree::join_leaf(Cursor& path) {
  Leaf& leaf = *path.below_;
  if (path.depth_ == 0) {
    if (leaf.count == 0) clear();
    return;
  }
  Inner& parent = *path.steps_[path.depth_ - 1].node;
  unsigned index = path.steps_[path.depth_ - 1].index;
  auto fits = [&](unsigned at) { return leaf.count + static_cast<Leaf*>(parent.child[at])->count <= kLeafFanOut; };
  if (index + 1 < parent.count && fits(index + 1)) {
    join_leaves(path, index);
  } else if (index > 0 && fits(index - 1)) {
    path.steps_[path.depth_ - 1].index = index - 1;
    join_leaves(path, index - 1);
  } else if (leaf.count == 0) {
    drop_only_leaf(path);
  } else {
    summarise(path, path.depth_);
  }
}

// The leaf at `index` of the lowest inner node takes over its right neighbour.
void VaTree::join_leaves(Cursor& path, unsigned index) {
  Inner& parent = *path.steps_[path.depth_ - 1].node;
  auto* left = static_cast<Leaf*>(parent.child[index]);
  auto* right = static_cast<Leaf*>(parent.child[index + 1]);
  append(*left, *right, 0);
  left->next = right->next;
  nodes_.leaves.give_back(right);
  take(parent, index + 1);
  Summary now = summary_of(*left);
  parent.first[index] = now.first;
  parent.end[index] = now.end;
  parent.gap[index] = now.gap;
  join_inner(path, path.depth_ - 1);
}

// An empty leaf whose parent has no other: the parent goes as well, and so on upwards.
void VaTree::drop_only_leaf(Cursor& path) {
  if (Leaf* before = leaf_before(path)) before->next = path.below_->next;
  nodes_.leaves.give_back(path.below_);
  unsigned depth = path.depth_;
  while (depth > 0 && path.steps_[depth - 1].node->count == 1) nodes_.inners.give_back(path.steps_[--depth].node);
  CHECK(depth > 0);  // else the tree is empty, which erase() saw
  take(*path.steps_[depth - 1].node, path.steps_[depth - 1].index);
  join_inner(path, depth - 1);
}

// The same for the inner node at `depth`, then for those above it.
void VaTree::join_inner(Cursor& path, unsigned depth) {
  Inner& inner = *path.steps_[depth].node;
  if (depth == 0) return lower_root();
  if (inner.count >= kSparse) return summarise(path, depth);
  Inner& parent = *path.steps_[depth - 1].node;
  unsigned index = path.steps_[depth - 1].index;
  auto fits = [&](unsigned at) { return inner.count + static_cast<Inner*>(parent.child[at])->count <= kFanOut; };
  if (index + 1 < parent.count && fits(index + 1)) {
    join_inners(path, depth, index);
  } else if (index > 0 && fits(index - 1)) {
    path.steps_[depth - 1].index = index - 1;
    join_inners(path, depth, index - 1);
  } else {
    summarise(path, depth);
  }
}

void VaTree::join_inners(Cursor& path, unsigned depth, unsigned index) {
  Inner& parent = *path.steps_[depth - 1].node;
  auto* left = static_cast<Inner*>(parent.child[index]);
  auto* right = static_cast<Inner*>(parent.child[index + 1]);
  append(*left, *right, 0);
  nodes_.inners.give_back(right);
  take(parent, index + 1);
  Summary now = summary_of(*left);
  parent.first[index] = now.first;
  parent.end[index] = now.end;
  parent.gap[index] = now.gap;
  join_inner(path, depth - 1);
}

// A root with one child has no use.
void VaTree::lower_root() {
  while (height_ > 0 && static_cast<Inner*>(root_)->count == 1) {
    auto* old = static_cast<Inner*>(root_);
    root_ = old->child[0];
    --height_;
    nodes_.inners.give_back(old);
  }
}

// The leaf left of the path's, under whichever ancestor they share.
VaTree::Leaf* VaTree::leaf_before(const Cursor& path) const {
  unsigned depth = path.depth_;
  while (depth > 0 && path.steps_[depth - 1].index == 0) --depth;
  if (depth == 0) return nullptr;
  void* node = path.steps_[depth - 1].node->child[path.steps_[depth - 1].index - 1];
  for (; depth < path.depth_; ++depth) {
    auto* inner = static_cast<Inner*>(node);
    node = inner->child[inner->count - 1];
  }
  return static_cast<Leaf*>(node);
}

void VaTree::clear() {
  if (root_) free_nodes(root_, height_);
  root_ = nullptr;
  height_ = 0;
  size_ = 0;
}

void VaTree::free_nodes(void* node, unsigned height) {
  if (height == 0) return nodes_.leaves.give_back(static_cast<Leaf*>(node));
  auto* inner = static_cast<Inner*>(node);
  for (unsigned i = 0; i < inner->count; ++i) free_nodes(inner->child[i], height - 1);
  nodes_.inners.give_back(inner);
}

// A walk over the gaps in the order of addresses that skips subtrees with none wide enough.
struct VaTree::Search {
  const Room& room;
  uint64_t wanted;  // subtrees whose widest gap is narrower are skipped
  uint64_t behind;  // where the interval before the next gap ends
  std::optional<uint64_t> found;

  // Whether the walk is over: the gap [behind, end) holds it, or lies too high.
  bool gap(uint64_t end) {
    uint64_t va = base::round_up(behind, room.alignment);
    uint64_t limit = std::min(end, room.maximum);
    if (va >= behind && va < limit && limit - va >= room.bytes) found = va;
    return found || end >= room.maximum;
  }

  bool leaf(const Leaf& node) {
    for (unsigned i = count_not_above(node.end, node.count, behind); i < node.count; ++i) {
      if (node.first[i] > behind && gap(node.first[i])) return true;
      behind = std::max(behind, node.end[i]);
    }
    return false;
  }

  bool inner(const Inner& node, unsigned height) {
    for (unsigned i = count_not_above(node.end, node.count, behind); i < node.count; ++i) {
      if (node.first[i] > behind && gap(node.first[i])) return true;
      if (node.gap[i] >= wanted && below(node.child[i], height - 1)) return true;
      behind = std::max(behind, node.end[i]);
    }
    return false;
  }

  bool below(const void* node, unsigned height) {
    if (height == 0) prefetch(static_cast<const Leaf*>(node));
    return height == 0 ? leaf(*static_cast<const Leaf*>(node)) : inner(*static_cast<const Inner*>(node), height);
  }
};

std::optional<uint64_t> VaTree::find_gap(const Room& room) const {
  // Gaps with slack for the alignment first, which need no trying out; only then those where it depends on their place.
  CHECK(room.alignment >= kUnit);
  uint64_t slack = room.alignment - kUnit;
  for (uint64_t wanted : {room.bytes + std::min(slack, UINT64_MAX - room.bytes), room.bytes}) {
    Search search{room, wanted, room.minimum, std::nullopt};
    if (!root_ || !search.below(root_, height_)) search.gap(UINT64_MAX);
    if (search.found || slack == 0) return search.found;
  }
  return std::nullopt;
}

bool VaTree::validate() const {
  if (!root_) return size_ == 0 && height_ == 0;
  Audit audit;
  Summary summary;
  return validate_node(root_, height_, summary, audit) && audit.count == size_ && !audit.last->next;
}

bool VaTree::validate_node(const void* node, unsigned height, Summary& out, Audit& audit) const {
  if (height == 0) {
    const Leaf& leaf = *static_cast<const Leaf*>(node);
    if (leaf.count == 0 || (audit.last && audit.last->next != &leaf)) return false;
    for (unsigned i = 0; i < leaf.count; ++i) {
      if (leaf.first[i] != leaf.item[i]->va || leaf.end[i] != leaf.item[i]->end()) return false;
      if (leaf.first[i] < audit.end || leaf.end[i] <= leaf.first[i]) return false;
      audit.end = leaf.end[i];
    }
    audit.count += leaf.count;
    audit.last = &leaf;
    out = summary_of(leaf);
    return true;
  }
  const Inner& inner = *static_cast<const Inner*>(node);
  if (inner.count == 0 || (node == root_ && inner.count == 1)) return false;
  for (unsigned i = 0; i < inner.count; ++i) {
    Summary child;
    if (!validate_node(inner.child[i], height - 1, child, audit)) return false;
    if (child != Summary{inner.first[i], inner.end[i], inner.gap[i]}) return false;
  }
  out = summary_of(inner);
  return true;
}

}  // namespace vidmm
