#include "vidmm/address/va_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace vidmm {
namespace {

constexpr uint64_t kPage = VaTree::kUnit;

struct Item : VaItem {
  Item(uint64_t first_page, uint64_t pages) : VaItem(Kind::Mapping) {
    va = first_page * kPage;
    bytes = pages * kPage;
  }
};

// Disjoint intervals by their first address, with gaps found the slow way.
class Model {
 public:
  bool free(uint64_t va, uint64_t end) const {
    auto next = items_.upper_bound(va);
    if (next != items_.end() && next->first < end) return false;
    return next == items_.begin() || std::prev(next)->second->end() <= va;
  }
  bool has_room(const VaTree::Room& room) const {
    uint64_t behind = room.minimum;
    auto fits = [&](uint64_t end) {
      uint64_t va = (behind + room.alignment - 1) / room.alignment * room.alignment;
      return va + room.bytes <= std::min(end, room.maximum);
    };
    for (auto& [va, item] : items_) {
      if (va > behind && fits(va)) return true;
      behind = std::max(behind, item->end());
    }
    return fits(UINT64_MAX);
  }
  VaItem* at(uint64_t va) const {
    for (auto& [first, item] : items_)
      if (item->end() > va) return item.get();
    return nullptr;
  }

  std::map<uint64_t, std::unique_ptr<Item>> items_;
};

class VaTreeTest : public testing::Test {
 protected:
  VaTree::Nodes nodes_;
  VaTree tree_{nodes_};
};

TEST_F(VaTreeTest, EmptyTreeHasAllTheRoom) {
  EXPECT_EQ(tree_.at(0).item(), nullptr);
  EXPECT_EQ(tree_.find_gap({kPage, 9 * kPage, 8 * kPage, kPage}), kPage);
  EXPECT_EQ(tree_.find_gap({kPage, 9 * kPage, 9 * kPage, kPage}), std::nullopt);
  EXPECT_TRUE(tree_.validate());
}

TEST_F(VaTreeTest, AtFindsTheIntervalOrTheNext) {
  Item a(2, 2), b(8, 1);
  tree_.insert(b);
  tree_.insert(a);
  EXPECT_EQ(tree_.at(0).item(), &a);
  EXPECT_EQ(tree_.at(3 * kPage).item(), &a);
  EXPECT_EQ(tree_.at(4 * kPage).item(), &b);
  EXPECT_EQ(tree_.at(9 * kPage).item(), nullptr);
}

TEST_F(VaTreeTest, AGapOfExactlyTheSizeIsUsed) {
  Item a(1, 2), b(5, 1);
  tree_.insert(a);
  tree_.insert(b);
  EXPECT_EQ(tree_.find_gap({kPage, 100 * kPage, 2 * kPage, kPage}), 3 * kPage);
  EXPECT_EQ(tree_.find_gap({kPage, 100 * kPage, 3 * kPage, kPage}), 6 * kPage);
}

TEST_F(VaTreeTest, AGapThatHoldsTheAlignmentByChanceIsTheLastResort) {
  Item a(1, 15), b(32, 17);  // leaves [16, 32) and [49, 64)
  tree_.insert(a);
  tree_.insert(b);
  EXPECT_EQ(tree_.find_gap({kPage, 64 * kPage, 16 * kPage, 16 * kPage}), 16 * kPage);
}

TEST_F(VaTreeTest, EveryIntervalIsReachedInOrderAfterManyInsertions) {
  std::vector<std::unique_ptr<Item>> items;
  for (uint64_t i = 0; i < 5000; ++i) items.push_back(std::make_unique<Item>(i * 3, 2));
  for (auto& item : items) tree_.insert(*item);
  ASSERT_TRUE(tree_.validate());
  VaTree::Cursor cursor = tree_.begin();
  for (auto& item : items) {
    ASSERT_EQ(cursor.item(), item.get());
    cursor.advance();
  }
  EXPECT_EQ(cursor.item(), nullptr);
}

// Waves of growth and decay, so that nodes are split, joined, emptied, and the root comes and goes.
TEST_F(VaTreeTest, AgreesWithAModel) {
  uint64_t first_seed = base::seed_for_test(1);
  for (uint64_t seed = first_seed; seed < first_seed + 12; ++seed) {
    SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
    base::Rng rng(seed);
    Model model;
    uint64_t pages = 64 << (2 * rng.below(6));
    for (int step = 0; step < 4000; ++step) {
      bool grow = (step / 1000) % 2 == 0;
      if (rng.chance(grow ? 3 : 1, 4)) {
        auto item = std::make_unique<Item>(rng.below(pages), 1 + rng.below(4));
        if (!model.free(item->va, item->end())) continue;
        tree_.insert(*item);
        model.items_.emplace(item->va, std::move(item));
      } else if (!model.items_.empty()) {
        auto victim = model.items_.lower_bound(rng.below(pages) * kPage);
        if (victim == model.items_.end()) victim = model.items_.begin();
        tree_.erase(*victim->second);
        model.items_.erase(victim);
      }
      if (step % 16 == 0) {
        ASSERT_TRUE(tree_.validate());
      }
      ASSERT_EQ(tree_.size(), model.items_.size());
      uint64_t va = rng.below(pages + 8) * kPage;
      if (step % 8 == 0) {
        ASSERT_EQ(tree_.at(va).item(), model.at(va));
      }
      VaTree::Room room{va, va + (1 + rng.below(pages)) * kPage, (1 + rng.below(12)) * kPage, kPage << rng.below(5)};
      std::optional<uint64_t> found = tree_.find_gap(room);
      if (step % 8 == 0) {
        ASSERT_EQ(found.has_value(), model.has_room(room));
      }
      if (!found) continue;
      ASSERT_TRUE(model.free(*found, *found + room.bytes));
      ASSERT_EQ(*found % room.alignment, 0u);
      ASSERT_GE(*found, room.minimum);
      ASSERT_LE(*found + room.bytes, room.maximum);
    }
    tree_.clear();
  }
}

// Erasing everything in an order that leaves single children below single children.
TEST_F(VaTreeTest, ErasingDownToNothing) {
  uint64_t seed = base::seed_for_test(1);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  base::Rng rng(seed);
  std::vector<std::unique_ptr<Item>> items;
  for (uint64_t i = 0; i < 40000; ++i) items.push_back(std::make_unique<Item>(2 * i, 1));
  for (auto& item : items) tree_.insert(*item);
  while (!items.empty()) {
    size_t from = rng.below(items.size());
    size_t count = std::min<size_t>(items.size() - from, 1 + rng.below(4000));
    for (size_t i = 0; i < count; ++i) tree_.erase(*items[from + i]);
    items.erase(items.begin() + static_cast<ptrdiff_t>(from), items.begin() + static_cast<ptrdiff_t>(from + count));
    ASSERT_TRUE(tree_.validate());
  }
  EXPECT_TRUE(tree_.empty());
}

}  // namespace
}  // namespace vidmm
