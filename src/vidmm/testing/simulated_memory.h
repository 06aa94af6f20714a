#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <span>
#include <vector>

#include "vidmm/manager/plan.h"
#include "vidmm/segment/segment.h"

namespace vidmm::testing {

// Memory that executes plans: a number for every page of segments and backings. What a block holds is one number, its
// stamp, from which those of its pages follow (zero: all zero). Fails the test when an op makes no sense.
class SimulatedMemory {
 public:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint64_t kMixed = UINT64_MAX;  // the stamp of pages that do not belong together

  explicit SimulatedMemory(std::span<const SegmentInfo> segments) {
    for (const SegmentInfo& info : segments) {
      segments_.push_back({info.aperture, std::vector<uint64_t>(info.size / kPageBytes, kMixed),
                           std::vector<const Block*>(info.size / kPageBytes, nullptr)});
    }
  }

  void add(const Block& block) { backings_[&block].assign(block.bytes() / kPageBytes, 0); }
  void remove(const Block& block) {
    EXPECT_TRUE(bound_[&block].none());
    backings_.erase(&block);
    bound_.erase(&block);
    notified_.erase(&block);
  }

  void execute(const Plan& plan) {
    std::set<const Block*> idle;
    for (const PagingOp& op : plan) {
      SCOPED_TRACE(to_string(op));
      execute(op, idle);
    }
  }

  // Where the GPU's mappings lead.
  const Place& bound(const Block& block) { return bound_[&block]; }
  uint64_t read(const Block& block) { return stamp_at(block, bound_[&block]); }
  uint64_t write(const Block& block, uint64_t stamp) { return fill(block, bound_[&block], stamp); }
  uint64_t write_backing(const Block& block, uint64_t stamp) { return fill(block, {}, stamp); }
  // The adapter was reset: no notice was given that a block left.
  void forget_notifications() { notified_.clear(); }

 private:
  using Kind = PagingOp::Kind;

  struct SimulatedSegment {
    bool aperture;
    std::vector<uint64_t> pages;
    std::vector<const Block*> mapped;
  };

  static uint64_t page_value(uint64_t stamp, size_t page) { return stamp == 0 ? 0 : stamp * 4096 + page; }

  bool aperture(const Place& place) const { return !place.none() && segments_[place.segment - 1].aperture; }

  // The pages of a block at a place, in order.
  std::vector<uint64_t*> cells(const Block& block, const Place& place) {
    std::vector<uint64_t*> cells;
    size_t count = block.bytes() / kPageBytes;
    if (place.none() || aperture(place)) {
      for (const Extent& extent : place.extents) {
        for (uint64_t page = extent.offset / kPageBytes; page < extent.end() / kPageBytes; ++page) {
          EXPECT_EQ(segments_[place.segment - 1].mapped[page], &block);
        }
      }
      for (uint64_t& page : backings_.at(&block)) cells.push_back(&page);
      return cells;
    }
    for (const Extent& extent : place.extents) {
      for (uint64_t page = extent.offset / kPageBytes; page < extent.end() / kPageBytes; ++page) {
        if (cells.size() < count) cells.push_back(&segments_[place.segment - 1].pages[page]);
      }
    }
    EXPECT_EQ(cells.size(), count);
    return cells;
  }

  uint64_t fill(const Block& block, const Place& place, uint64_t stamp) {
    size_t page = 0;
    for (uint64_t* cell : cells(block, place)) *cell = page_value(stamp, page++);
    return stamp;
  }
  uint64_t stamp_at(const Block& block, const Place& place) {
    std::vector<uint64_t*> all = cells(block, place);
    uint64_t stamp = *all[0] / 4096;
    for (size_t page = 0; page < all.size(); ++page) {
      if (*all[page] != page_value(stamp, page)) return kMixed;
    }
    return stamp;
  }
  void copy(const Block& block, const Place& from, const Place& to) {
    std::vector<uint64_t*> source = cells(block, from);
    std::vector<uint64_t*> target = cells(block, to);
    for (size_t i = 0; i < source.size(); ++i) *target[i] = *source[i];
  }
  void map(const Place& place, const Block* before, const Block* after) {
    EXPECT_TRUE(aperture(place));
    EXPECT_FALSE(place.extents.empty());
    for (const Extent& extent : place.extents) {
      for (uint64_t page = extent.offset / kPageBytes; page < extent.end() / kPageBytes; ++page) {
        EXPECT_EQ(segments_[place.segment - 1].mapped[page], before);
        segments_[place.segment - 1].mapped[page] = after;
      }
    }
  }

  void execute(const PagingOp& op, std::set<const Block*>& idle) {
    const Block& block = *op.block;
    switch (op.kind) {
      case Kind::WaitIdle:
        idle.insert(&block);
        break;
      case Kind::NotifyEvict:
        EXPECT_TRUE(block.traits().explicit_notification && notified_.erase(&block) == 1);
        break;
      case Kind::NotifyResident:
        EXPECT_TRUE(block.traits().explicit_notification && notified_.insert(&block).second);
        break;
      case Kind::Fill:
        EXPECT_FALSE(aperture(op.to));
        fill(block, op.to, 0);
        break;
      case Kind::TransferIn:
        copy(block, {}, op.to);
        break;
      case Kind::TransferOut:
        EXPECT_TRUE(idle.count(&block));
        copy(block, op.from, op.to);
        break;
      case Kind::Move:
        EXPECT_TRUE(idle.count(&block));
        copy(block, op.from, op.to);
        break;
      case Kind::Discard:
        EXPECT_TRUE(op.from.none() || idle.count(&block));
        fill(block, op.from, kPoison);
        break;
      case Kind::Lose:
        fill(block, op.from, kPoison);
        break;
      case Kind::Decommit:
        fill(block, {}, 0);
        break;
      case Kind::MapAperture:
        map(op.to, nullptr, &block);
        break;
      case Kind::UnmapAperture:
        map(op.from, &block, nullptr);
        break;
      case Kind::Rebind:
        EXPECT_EQ(bound_[&block], op.from);
        bound_[&block] = op.to;
        break;
      case Kind::InitContext:
        EXPECT_EQ(bound_[&block], op.to);
        break;
    }
  }

  static constexpr uint64_t kPoison = 0xdead;

  std::vector<SimulatedSegment> segments_;
  std::map<const Block*, std::vector<uint64_t>> backings_;
  std::map<const Block*, Place> bound_;
  std::set<const Block*> notified_;
};

}  // namespace vidmm::testing
