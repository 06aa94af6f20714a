#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "vidmm/segment/slab.h"

namespace vidmm {

// An interval of addresses that a VaTree holds: [va, va + bytes). Derived classes keep both fields as they are while
// the tree holds the interval.
struct VaItem {
  enum class Kind : uint8_t { Mapping, Reservation };

  explicit VaItem(Kind item_kind) : kind(item_kind) {}

  uint64_t va = 0;
  uint64_t bytes = 0;
  Kind kind;

  uint64_t end() const { return va + bytes; }
};

// Disjoint intervals in the order of their addresses, with the gaps between them findable by size: a B+ tree in which
// every inner node keeps, for each child, where its intervals begin and end and the widest gap inside. A look-up reads
// one node per level (five for a million intervals), and so does a search for room. It points to items and owns none;
// its nodes come from slabs that trees of one address space share. One thread at a time.
class VaTree {
 public:
  static constexpr unsigned kLeafFanOut = 16;
  static constexpr unsigned kFanOut = 32;
  static constexpr uint64_t kUnit = 4096;  // intervals begin and end at multiples of it

  struct Leaf {
    unsigned count = 0;
    Leaf* next = nullptr;  // to the right; an edge of the tree, and no list of its own
    uint64_t first[kLeafFanOut];
    uint64_t end[kLeafFanOut];
    VaItem* item[kLeafFanOut];
  };
  struct Inner {
    unsigned count = 0;
    uint64_t first[kFanOut];
    uint64_t end[kFanOut];
    uint64_t gap[kFanOut];
    void* child[kFanOut];
  };
  // Where nodes come from.
  struct Nodes {
    Slab<Leaf> leaves;
    Slab<Inner> inners;
  };

  // A place in the order; any insertion or erasure ends its use. It knows the way to itself, so that what was found can
  // be erased, or its place taken, without another look.
  class Cursor {
   public:
    VaItem* item() const { return leaf_ ? leaf_->item[index_] : nullptr; }
    void advance();

   private:
    friend class VaTree;
    struct Step {
      Inner* node;
      unsigned index;
    };
    static constexpr unsigned kMaxHeight = 12;

    Step steps_[kMaxHeight];
    unsigned depth_ = 0;
    Leaf* below_ = nullptr;  // where the steps lead, and where in it the address belongs
    unsigned position_ = 0;
    const Leaf* leaf_ = nullptr;  // the leaf at hand, which is the next one when the address is behind all of `below_`
    unsigned index_ = 0;
  };

  // Room wanted: `bytes` at a multiple of `alignment` (a power of two) inside [minimum, maximum).
  struct Room {
    uint64_t minimum, maximum, bytes, alignment;
  };

  explicit VaTree(Nodes& nodes) : nodes_(nodes) {}
  ~VaTree() { clear(); }
  VaTree(const VaTree&) = delete;
  VaTree& operator=(const VaTree&) = delete;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // The interval overlaps no other one.
  void insert(VaItem& item) {
    Cursor place = at(item.va);
    insert(place, item);
  }
  void insert(Cursor& at_its_va, VaItem& item);
  void erase(const VaItem& item);
  // The item of a cursor that was not advanced.
  void erase(Cursor& place);
  void clear();

  // The first interval that ends behind `va`: the one that holds it, or the next one.
  Cursor at(uint64_t va) const;
  Cursor begin() const { return at(0); }

  // The lowest place in a gap wide enough wherever it lies; if there is none, the lowest in any gap that holds it.
  std::optional<uint64_t> find_gap(const Room& room) const;

  // Whether every summary, order and link is what it should be. For tests.
  bool validate() const;

 private:
  struct Summary {
    uint64_t first, end, gap;
    friend bool operator==(const Summary&, const Summary&) = default;
  };
  struct Search;

  // What validate() saw so far.
  struct Audit {
    const Leaf* last = nullptr;
    uint64_t end = 0;
    size_t count = 0;
  };

  template <typename Node>
  static Summary summary_of(const Node& node);
  static void put_child(Inner& inner, unsigned position, void* child, Summary summary);

  void summarise(const Cursor& path, unsigned depth);
  void split_leaf(Cursor& path, unsigned position, VaItem& item);
  void add_child(Cursor& path, unsigned depth, void* child, Summary summary);
  void join_leaf(Cursor& path);
  void join_leaves(Cursor& path, unsigned index);
  void drop_only_leaf(Cursor& path);
  void join_inner(Cursor& path, unsigned depth);
  void lower_root();
  void join_inners(Cursor& path, unsigned depth, unsigned index);
  Leaf* leaf_before(const Cursor& path) const;
  void free_nodes(void* node, unsigned height);
  bool validate_node(const void* node, unsigned height, Summary& out, Audit& audit) const;

  Nodes& nodes_;
  void* root_ = nullptr;  // a Leaf at height 0
  unsigned height_ = 0;
  size_t size_ = 0;
};

}  // namespace vidmm
