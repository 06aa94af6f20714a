#include "dxgk/memory/mapped_before.h"

#include <gtest/gtest.h>

#include <vector>

namespace dxgk {
namespace {

using vidmm::VaSpace;

constexpr uint64_t kTile = 65536;
constexpr uint64_t kBase = uint64_t{1} << 40;

// A reservation in which every tile shows the same part of one allocation.
struct Tiles {
  explicit Tiles(uint64_t count) : space(kTile, uint64_t{1} << 48), what(2 * kTile) {
    CHECK(space.reserve({.base = kBase, .bytes = count * kTile}, ops).ok());
    for (uint64_t i = 0; i < count; ++i) CHECK(space.update({{tile(i, 0)}}, ops).ok());
    ops.clear();
  }
  ~Tiles() { space.clear(); }

  VaSpace::Update tile(uint64_t index, uint64_t offset) {
    return {.kind = VaSpace::Update::Kind::Map,
            .va = kBase + index * kTile,
            .bytes = kTile,
            .what = &what,
            .offset = offset};
  }
  uint64_t offset_at(uint64_t index) const { return space.find(kBase + index * kTile)->offset; }

  VaSpace space;
  vidmm::Mapped what;
  vidmm::VaOpList ops;
};

TEST(MappedBefore, KeepsWhatAnUpdateReplacesAndNothingBetween) {
  Tiles tiles(1000);
  std::vector<VaSpace::Update> updates = {tiles.tile(999, kTile), tiles.tile(0, kTile), tiles.tile(1, kTile),
                                          tiles.tile(0, kTile)};
  MappedBefore before(tiles.space, updates);
  EXPECT_EQ(before.size(), 3u);
  ASSERT_TRUE(tiles.space.update(updates, tiles.ops).ok());
  for (uint64_t changed : {0, 1, 999}) EXPECT_EQ(tiles.offset_at(changed), kTile);
  before.put_back(tiles.space, tiles.ops);
  for (uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(tiles.offset_at(i), 0u) << i;
  EXPECT_TRUE(tiles.space.validate());
}

TEST(MappedBefore, PutsBackPartsOfAMapping) {
  Tiles tiles(4);
  MappedBefore before(tiles.space, kBase + kTile / 2, 2 * kTile);
  EXPECT_EQ(before.size(), 3u);
  ASSERT_TRUE(tiles.space.free(kBase + kTile / 2, 2 * kTile, tiles.ops).ok());
  EXPECT_EQ(tiles.space.find(kBase + kTile), nullptr);
  before.put_back(tiles.space, tiles.ops);
  for (uint64_t at = 0; at < 4 * kTile; at += vidmm::kPageBytes) {
    const vidmm::Mapping* found = tiles.space.find(kBase + at);
    ASSERT_NE(found, nullptr) << at;
    ASSERT_EQ(found->offset + (kBase + at - found->va), at % kTile);
  }
  EXPECT_TRUE(tiles.space.validate());
}

}  // namespace
}  // namespace dxgk
