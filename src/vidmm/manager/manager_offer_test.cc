#include <gtest/gtest.h>

#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::Memory;
using testing::memory_segment;
using testing::traits;

// A full segment of four blocks of one page, on the list of one device.
struct OfferTest : ::testing::Test {
  OfferTest() : memory({memory_segment(1, 4)}), device(memory.device()) {
    for (int i = 0; i < 4; ++i) blocks.push_back(&memory.block(1, {1}));
    memory.make_resident(device, blocks);
    memory.plan.clear();
  }
  base::Result<Answer> offer(std::vector<Block*> list, OfferPriority priority = OfferPriority::Normal) {
    return memory.manager.offer(list, priority, memory.plan);
  }
  ReclaimResult reclaim(Block& block) {
    Block* list[] = {&block};
    ReclaimResult result[1];
    memory.manager.reclaim(list, result, memory.plan);
    return result[0];
  }

  Memory memory;
  DeviceResidency& device;
  std::vector<Block*> blocks;
};

TEST_F(OfferTest, AnUntouchedOfferComesBackAsItWas) {
  EXPECT_EQ(offer({blocks[0]}).value(), Answer::Done);
  EXPECT_TRUE(blocks[0]->offered());
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::Ok);
  EXPECT_FALSE(blocks[0]->offered());
  EXPECT_EQ(memory.planned(), "");
}

TEST_F(OfferTest, OffersGoFirstAndLowestFirst) {
  offer({blocks[0]}, OfferPriority::High).take();
  offer({blocks[1]}, OfferPriority::Low).take();
  offer({blocks[2]}, OfferPriority::Normal).take();
  for (Block* next : {blocks[1], blocks[2], blocks[0]}) {
    EXPECT_TRUE(next->resident());
    EXPECT_EQ(memory.make_resident(device, {&memory.block(1, {1})}), Answer::Pending);
    EXPECT_FALSE(next->resident());
  }
  EXPECT_TRUE(device.complete());  // what is offered is not missed
  EXPECT_EQ(memory.make_resident(device, {&memory.block(1, {1})}), Answer::OutOfMemory);
}

TEST_F(OfferTest, AVictimLosesItsContentWithoutACopy) {
  offer({blocks[0]}).take();
  memory.make_resident(device, {&memory.block(1, {1})});
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "discard #1 1[0x0+0x1000] -> sys\n"
            "rebind #1 1[0x0+0x1000] -> sys\n"
            "fill #5 sys -> 1[0x0+0x1000]\n"
            "rebind #5 sys -> 1[0x0+0x1000]\n");
}

TEST_F(OfferTest, ReclaimPagesInWhatIsListed) {
  offer({blocks[0]}).take();
  Block& other = memory.block(1, {1});
  memory.make_resident(device, {&other});
  memory.remove(other);
  memory.planned();
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::Discarded);
  EXPECT_EQ(memory.planned(),
            "fill #1 sys -> 1[0x0+0x1000]\n"
            "rebind #1 sys -> 1[0x0+0x1000]\n");
  EXPECT_TRUE(device.complete());
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::Ok);
  offer({blocks[0]}).take();
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::Ok);
}

TEST_F(OfferTest, WithoutRoomAReclaimedBlockIsMissed) {
  offer({blocks[0]}).take();
  memory.make_resident(device, {&memory.block(1, {1})});
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::Discarded);
  EXPECT_EQ(device.missing_count(), 1u);
  EXPECT_TRUE(memory.manager.validate());
}

TEST_F(OfferTest, AutoGoesByThePriorityOfTheBlock) {
  memory.manager.set_priority(*blocks[0], 0x28000000);
  memory.manager.set_priority(*blocks[2], 0xc8000000);
  offer({blocks[0], blocks[1], blocks[2]}, OfferPriority::Auto).take();
  EXPECT_EQ(blocks[0]->offer_state(), OfferState::Low);
  EXPECT_EQ(blocks[1]->offer_state(), OfferState::Normal);
  EXPECT_EQ(blocks[2]->offer_state(), OfferState::High);
}

TEST_F(OfferTest, IsRefusedAsAWhole) {
  BlockTraits about = traits(1, {});
  about.cpu_visible = true;
  Block& locked = memory.block(about);
  memory.manager.lock(locked, memory.plan).take();
  EXPECT_EQ(offer({blocks[0], &locked}).status(), STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(blocks[0]->offered());
  memory.manager.pin(*blocks[1], memory.plan);
  EXPECT_EQ(offer({blocks[1]}).status(), STATUS_INVALID_PARAMETER);
  offer({blocks[2]}).take();
  EXPECT_EQ(offer({blocks[2]}).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(OfferTest, AnOfferedBlockCannotBeLocked) {
  BlockTraits about = traits(1, {});
  about.cpu_visible = true;
  Block& block = memory.block(about);
  offer({&block}).take();
  EXPECT_EQ(memory.manager.lock(block, memory.plan).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(OfferTest, AlwaysDiscardOfferDoesItAtOnce) {
  memory.manager.set_knobs({.always_discard_offer = true});
  EXPECT_EQ(offer({blocks[0]}).value(), Answer::Pending);
  EXPECT_FALSE(blocks[0]->resident());
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::Discarded);
}

TEST_F(OfferTest, NeverDiscardOfferCopiesOut) {
  memory.manager.set_knobs({.never_discard_offer = true});
  offer({blocks[0]}).take();
  memory.make_resident(device, {&memory.block(1, {1})});
  EXPECT_NE(memory.planned().find("transfer_out #1"), std::string::npos);
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::Ok);
}

TEST_F(OfferTest, ADecommittedOfferMayFailToComeBack) {
  memory.manager.set_knobs({.always_decommit_offer = true, .always_fail_commit_on_reclaim = true});
  offer({blocks[0]}).take();
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "discard #1 1[0x0+0x1000] -> sys\n"
            "rebind #1 1[0x0+0x1000] -> sys\n"
            "decommit #1 sys -> sys\n");
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::NotCommitted);
  EXPECT_TRUE(blocks[0]->offered());
  memory.manager.set_knobs({});
  EXPECT_EQ(reclaim(*blocks[0]), ReclaimResult::Discarded);
  EXPECT_TRUE(blocks[0]->backed());
}

}  // namespace
}  // namespace vidmm
