#include "verifier/watch/lock_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace verifier {
namespace {

constexpr uint32_t kNone = ~uint32_t{0};

uint32_t take_slot(std::vector<uint32_t>& free) {
  uint32_t index = free.back();
  free.pop_back();
  return index;
}

void forget(std::vector<uint32_t>& list, uint32_t item) { list.erase(std::ranges::find(list, item)); }

}  // namespace

// --- The graph ---

uint64_t LockOrder::key(const Edge& edge) {
  return uint64_t{edge.from} << 33 | uint64_t{edge.to} << 2 | uint64_t{edge.held_shared} << 1 | edge.acquired_shared;
}

uint32_t LockOrder::node_at(uintptr_t address, nt::LockKind kind) {
  auto [at, is_new] = by_address_.try_emplace(address, kNone);
  if (!is_new) return at->second;
  if (free_nodes_.empty()) {
    free_nodes_.push_back(static_cast<uint32_t>(nodes_.size()));
    nodes_.emplace_back();
  }
  at->second = take_slot(free_nodes_);
  Node& node = nodes_[at->second];
  node.address = address;
  node.ordinal = ++last_ordinal_;
  node.kind = kind;
  return at->second;
}

uint32_t LockOrder::add_edge(Edge edge) {
  if (free_edges_.empty()) {
    free_edges_.push_back(static_cast<uint32_t>(edges_.size()));
    edges_.emplace_back();
  }
  uint32_t index = take_slot(free_edges_);
  edge.live = true;
  nodes_[edge.from].out.push_back(index);
  nodes_[edge.to].in.push_back(index);
  by_key_.emplace(key(edge), index);
  edges_[index] = std::move(edge);
  return index;
}

void LockOrder::remove_edge(uint32_t index) {
  Edge& edge = edges_[index];
  forget(nodes_[edge.from].out, index);
  forget(nodes_[edge.to].in, index);
  by_key_.erase(key(edge));
  edge = Edge{};
  free_edges_.push_back(index);
}

void LockOrder::remove_node(uint32_t index) {
  Node& node = nodes_[index];
  while (!node.out.empty()) remove_edge(node.out.back());
  while (!node.in.empty()) remove_edge(node.in.back());
  node.address = 0;
  free_nodes_.push_back(index);
}

void LockOrder::memory_gone(uintptr_t lo, uintptr_t hi) {
  auto first = by_address_.lower_bound(lo);
  auto last = first;
  for (; last != by_address_.end() && last->first < hi; ++last) remove_node(last->second);
  by_address_.erase(first, last);
}

void LockOrder::reset() {
  nodes_.clear();
  edges_.clear();
  free_nodes_.clear();
  free_edges_.clear();
  by_address_.clear();
  by_key_.clear();
  told_.clear();
  stacks_.reset();
  last_ordinal_ = 0;
}

// --- Acquiring ---

std::vector<LockCycle> LockOrder::acquiring(const nt::LockEvent& event, std::span<const nt::HeldLock> held) {
  std::vector<LockCycle> cycles;
  // A lock that is held already is not waited for: a recursive mutex, or a violation of another rule.
  if (held.empty() || std::ranges::find(held, event.address, &nt::HeldLock::address) != held.end()) return cycles;
  Ordinals exclusive;
  for (const nt::HeldLock& lock : held) {
    if (!lock.shared) exclusive.push_back(nodes_[node_at(lock.address, lock.kind)].ordinal);
  }
  std::ranges::sort(exclusive);
  for (const nt::HeldLock& lock : held) {
    std::optional<uint32_t> changed = note(event, lock, exclusive);
    if (!changed) continue;
    const Edge& closing = edges_[*changed];
    std::vector<uint32_t> path = path_back(closing);
    if (path.empty() || !possible(path) || told_before(closing, path)) continue;
    cycles.push_back(describe(closing, path));
  }
  return cycles;
}

std::optional<uint32_t> LockOrder::note(const nt::LockEvent& event, const nt::HeldLock& lock,
                                        const Ordinals& exclusive) {
  Edge edge;
  edge.from = node_at(lock.address, lock.kind);
  edge.to = node_at(event.address, event.kind);
  edge.held_shared = lock.shared;
  edge.acquired_shared = event.shared;
  auto known = by_key_.find(key(edge));
  if (known == by_key_.end()) {
    if (event.stack) edge.stack = stacks_.intern(*event.stack);
    edge.exclusive = exclusive;
    return add_edge(std::move(edge));
  }
  Ordinals& always = edges_[known->second].exclusive;
  size_t before = always.size();
  std::erase_if(always, [&](uint32_t ordinal) { return !std::ranges::binary_search(exclusive, ordinal); });
  return always.size() < before ? std::optional(known->second) : std::nullopt;
}

// --- Cycles ---

bool LockOrder::disjoint(const Ordinals& a, const Ordinals& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) return false;
    (*x < *y) ? ++x : ++y;
  }
  return true;
}

// Breadth first, so that the shortest cycle is reported. A state is a lock and how the one before wants it, because a
// reader waits only for a writer: two states per lock.
std::vector<uint32_t> LockOrder::path_back(const Edge& closing) const {
  struct State {
    uint32_t node;
    bool shared;
    uint32_t edge;    // that led here
    uint32_t parent;  // state it started from
  };
  std::vector<State> states{{closing.to, closing.acquired_shared, kNone, kNone}};
  std::vector<bool> seen(nodes_.size() * 2);
  for (uint32_t i = 0; i < states.size(); ++i) {
    State state = states[i];
    for (uint32_t index : nodes_[state.node].out) {
      const Edge& edge = edges_[index];
      if ((state.shared && edge.held_shared) || !disjoint(edge.exclusive, closing.exclusive)) continue;
      if (edge.to == closing.from) {
        if (edge.acquired_shared && closing.held_shared) continue;
        std::vector<uint32_t> path{index};
        for (uint32_t at = i; states[at].edge != kNone; at = states[at].parent) path.push_back(states[at].edge);
        std::ranges::reverse(path);
        return path;
      }
      size_t slot = size_t{edge.to} * 2 + edge.acquired_shared;
      if (seen[slot]) continue;
      seen[slot] = true;
      states.push_back({edge.to, edge.acquired_shared, index, i});
    }
  }
  return {};
}

// No two acquisitions on the path share a gate lock; path_back has compared each with the closing one.
bool LockOrder::possible(const std::vector<uint32_t>& path) const {
  for (size_t i = 0; i < path.size(); ++i) {
    for (size_t j = i + 1; j < path.size(); ++j) {
      if (!disjoint(edges_[path[i]].exclusive, edges_[path[j]].exclusive)) return false;
    }
  }
  return true;
}

bool LockOrder::told_before(const Edge& closing, const std::vector<uint32_t>& path) {
  Ordinals locks{nodes_[closing.from].ordinal};
  for (uint32_t index : path) locks.push_back(nodes_[edges_[index].from].ordinal);
  std::ranges::sort(locks);
  if (std::ranges::find(told_, locks) != told_.end()) return true;
  told_.push_back(std::move(locks));
  return false;
}

std::string LockOrder::name(uint32_t node) const {
  return fmt::format("{} {}", nt::to_string(nodes_[node].kind), nodes_[node].ordinal);
}

LockCycle LockOrder::describe(const Edge& closing, const std::vector<uint32_t>& path) const {
  LockCycle cycle;
  cycle.sentence = fmt::format("{} is taken while {} is held", name(closing.to), name(closing.from));
  if (path.size() == 1) {
    cycle.sentence += ", and elsewhere the other way round";
  } else {
    cycle.sentence += fmt::format(", which closes a cycle of {} locks", path.size() + 1);
  }
  for (uint32_t index : path) {
    const Edge& edge = edges_[index];
    cycle.stacks.push_back(
        {fmt::format("took {} while holding {}", name(edge.to), name(edge.from)), stacks_.get(edge.stack)});
  }
  return cycle;
}

bool LockOrder::validate() const {
  size_t live = 0;
  for (uint32_t i = 0; i < edges_.size(); ++i) {
    const Edge& edge = edges_[i];
    if (!edge.live) continue;
    ++live;
    auto known = by_key_.find(key(edge));
    if (known == by_key_.end() || known->second != i) return false;
    if (std::ranges::count(nodes_[edge.from].out, i) != 1 || std::ranges::count(nodes_[edge.to].in, i) != 1)
      return false;
    if (!std::ranges::is_sorted(edge.exclusive)) return false;
  }
  for (const auto& [address, index] : by_address_) {
    if (nodes_[index].address != address) return false;
  }
  return live == by_key_.size() && live + free_edges_.size() == edges_.size() &&
         by_address_.size() + free_nodes_.size() == nodes_.size();
}

}  // namespace verifier
