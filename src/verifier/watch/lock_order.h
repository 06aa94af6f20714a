#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/debug/stack_table.h"
#include "nt/machine/machine_observer.h"
#include "nt/machine/thread.h"

namespace verifier {

// Locks taken in an order that can deadlock: the acquisition that closed the cycle, and where the others were.
struct LockCycle {
  std::string sentence;
  std::vector<nt::RoleStack> stacks;  // of every acquisition of the cycle but the one that closed it
};

// Which lock was acquired while which was held, over one run; a cycle in it is a deadlock that some schedule will meet.
//
//   edge A → B     a thread acquired B while holding A
//   cycle          A → B → … → A, where each could wait for the next at the same time
//
// The cycle is not reported when they could not:
//   * Readers do not exclude each other. An edge knows how A was held and how B was acquired; a cycle that passes
//     through a lock with a shared acquisition and a shared hold has no thread that waits there.
//   * A gate lock: two edges whose acquisitions were made under one common exclusive lock are never made at once. An
//     edge keeps the exclusive locks that were held at all of its acquisitions. (The intersection: an edge seen once
//     under gate lock G and once under gate lock H counts as having none. A gate lock held shared does not count
//     either.) Windows' own deadlock detection is documented to want such code rewritten too; we leave it alone by
//     policy.
// It does not matter which threads acquired the locks: the routines of a driver can run on any thread.
//
// Locks are instances, by address, and are forgotten when their memory is freed. An acquisition with nothing held costs
// nothing, otherwise a few look-ups per held lock; the search for a cycle is paid once per new edge. Owned by the
// verifier and used on the machine's threads, one at a time; it has no lock. Nothing depends on the order of addresses.
class LockOrder {
 public:
  // `event` is about to be acquired by a thread that holds `held`. Returns the cycles this closes, each once.
  std::vector<LockCycle> acquiring(const nt::LockEvent& event, std::span<const nt::HeldLock> held);
  // Forgets the locks in [lo, hi).
  void memory_gone(uintptr_t lo, uintptr_t hi);
  // Forgets everything and keeps the memory.
  void reset();

  size_t lock_count() const { return by_address_.size(); }
  size_t edge_count() const { return by_key_.size(); }
  bool validate() const;

 private:
  using Ordinals = std::vector<uint32_t>;  // of locks, ascending

  struct Node {
    uintptr_t address = 0;
    uint32_t ordinal = 0;  // counts locks in the order they were first seen; never used twice
    nt::LockKind kind = nt::LockKind::Spin;
    std::vector<uint32_t> out, in;  // edges, oldest first
  };
  struct Edge {
    uint32_t from = 0, to = 0;
    bool held_shared = false, acquired_shared = false;
    base::StackId stack = 0;
    Ordinals exclusive;  // what was held exclusively at every acquisition, `from` included
    bool live = false;
  };

  static uint64_t key(const Edge& edge);
  static bool disjoint(const Ordinals& a, const Ordinals& b);
  uint32_t node_at(uintptr_t address, nt::LockKind kind);
  uint32_t add_edge(Edge edge);
  void remove_edge(uint32_t index);
  void remove_node(uint32_t index);
  // The edge's index if it is new or fewer locks were held at it than ever before.
  std::optional<uint32_t> note(const nt::LockEvent& event, const nt::HeldLock& lock, const Ordinals& exclusive);
  // The edges that lead from the end of `closing` back to its beginning; empty without a cycle.
  std::vector<uint32_t> path_back(const Edge& closing) const;
  bool possible(const std::vector<uint32_t>& path) const;
  bool told_before(const Edge& closing, const std::vector<uint32_t>& path);
  LockCycle describe(const Edge& closing, const std::vector<uint32_t>& path) const;
  std::string name(uint32_t node) const;

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<uint32_t> free_nodes_, free_edges_;
  std::map<uintptr_t, uint32_t> by_address_;
  std::unordered_map<uint64_t, uint32_t> by_key_;
  std::vector<Ordinals> told_;
  base::StackTable stacks_;
  uint32_t last_ordinal_ = 0;
};

}  // namespace verifier
