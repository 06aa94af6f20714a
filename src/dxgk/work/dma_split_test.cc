#include "dxgk/work/dma_split.h"

#include <gmock/gmock.h>

#include <set>

#include "base/rng.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;

// So many different allocations.
class Room final : public PartRoom {
 public:
  explicit Room(size_t most) : most_(most) {}
  void clear() override { there_.clear(); }
  bool add(uint32_t index) override {
    if (is_null(index)) return true;
    if (!there_.contains(index) && there_.size() == most_) return false;
    there_.insert(index);
    return true;
  }
  bool is_null(uint32_t index) const override { return index == kNull; }

  static constexpr uint32_t kNull = 99;

 private:
  const size_t most_;
  std::set<uint32_t> there_;
};

D3DDDI_PATCHLOCATIONLIST at(uint32_t split, uint32_t allocation, uint32_t slot = 0) {
  D3DDDI_PATCHLOCATIONLIST entry{};
  entry.AllocationIndex = allocation;
  entry.SlotId = slot;
  entry.SplitOffset = split;
  entry.PatchOffset = split + 8;
  return entry;
}

TEST(DmaSplit, WhatFitsIsOnePart) {
  Room room(3);
  D3DDDI_PATCHLOCATIONLIST list[] = {at(0, 0), at(64, 1), at(128, 2), at(192, 0)};
  EXPECT_THAT(split(list, 256, room), ElementsAre(DmaPart{0, 256, 0, 4}));
}

TEST(DmaSplit, NothingToPatchIsOnePart) {
  Room room(0);
  EXPECT_THAT(split({}, 256, room), ElementsAre(DmaPart{0, 256, 0, 0}));
}

TEST(DmaSplit, CutsWhereTheNextDoesNotFit) {
  Room room(3);
  D3DDDI_PATCHLOCATIONLIST list[] = {at(0, 0), at(0, 1), at(64, 2), at(64, 0), at(128, 3)};
  EXPECT_THAT(split(list, 256, room), ElementsAre(DmaPart{0, 128, 0, 4}, DmaPart{128, 256, 4, 1}));
}

// The second of a group does not fit: the whole group goes into the next part.
TEST(DmaSplit, EntriesWithOneOffsetStayTogether) {
  Room room(2);
  D3DDDI_PATCHLOCATIONLIST list[] = {at(0, 0), at(64, 1), at(64, 2)};
  EXPECT_THAT(split(list, 256, room), ElementsAre(DmaPart{0, 64, 0, 1}, DmaPart{64, 256, 1, 2}));
}

TEST(DmaSplit, NoCutWhereASlotKeepsItsAllocation) {
  Room room(2);
  D3DDDI_PATCHLOCATIONLIST list[] = {at(0, 0, 1), at(0, 1, 2), at(64, 2, 1), at(128, 3, 1), at(128, 4, 2)};
  EXPECT_THAT(split(list, 256, room), ElementsAre(DmaPart{0, 128, 0, 3}, DmaPart{128, 256, 3, 2}))
      << "at 64 slot 2 is still in use";
}

TEST(DmaSplit, ASlotThatWasEmptiedKeepsNothing) {
  Room room(2);
  D3DDDI_PATCHLOCATIONLIST list[] = {at(0, 0, 1), at(0, 1, 2), at(32, Room::kNull, 2), at(64, 2, 1)};
  EXPECT_THAT(split(list, 256, room), ElementsAre(DmaPart{0, 64, 0, 3}, DmaPart{64, 256, 3, 1}));
}

TEST(DmaSplit, NoCutBeforeWhatWasNamedEarlier) {
  Room room(1);
  D3DDDI_PATCHLOCATIONLIST list[] = {at(0, 0), at(64, 1), at(128, 2)};
  list[0].PatchOffset = 72;  // behind the first place to cut
  EXPECT_THAT(split(list, 256, room), ElementsAre(DmaPart{0, 128, 0, 2}, DmaPart{128, 256, 2, 1}));
}

TEST(DmaSplit, WithoutOffsetsThereIsNoPlaceToCut) {
  Room room(1);
  D3DDDI_PATCHLOCATIONLIST list[] = {at(0, 0), at(0, 1), at(0, 2)};
  EXPECT_THAT(split(list, 256, room), ElementsAre(DmaPart{0, 256, 0, 3}));
}

// Parts follow each other without a gap, no slot reaches from one into the next, and there is one only if all fits.
TEST(DmaSplit, RandomLists) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    base::Rng rng(seed);
    std::vector<D3DDDI_PATCHLOCATIONLIST> list;
    uint32_t offset = 0;
    for (uint64_t i = 0, count = rng.below(40); i < count; ++i) {
      if (rng.below(2)) offset += 32;
      list.push_back(at(offset, static_cast<uint32_t>(rng.below(8)), static_cast<uint32_t>(rng.below(3))));
    }
    size_t most = 1 + rng.below(9);
    Room room(most);
    std::vector<DmaPart> parts = split(list, offset + 32, room);
    uint32_t byte = 0, patch = 0;
    for (const DmaPart& part : parts) {
      EXPECT_EQ(part.from, byte);
      EXPECT_EQ(part.first_patch, patch);
      byte = part.to;
      patch += part.patch_count;
      for (uint32_t i = part.first_patch; i < patch; ++i) {
        EXPECT_GE(list[i].SplitOffset, part.from);
        EXPECT_LT(list[i].PatchOffset, part.to);
      }
      if (patch == list.size()) continue;
      std::set<uint32_t> slots;
      for (uint32_t i = part.first_patch; i < patch; ++i) slots.insert(list[i].SlotId);
      for (uint32_t i = patch; i < list.size() && list[i].SplitOffset == part.to; ++i) slots.erase(list[i].SlotId);
      EXPECT_TRUE(slots.empty());
    }
    EXPECT_EQ(byte, offset + 32);
    EXPECT_EQ(patch, list.size());
    EXPECT_TRUE(most < 8 || parts.size() == 1);
  }
}

}  // namespace
}  // namespace dxgk
