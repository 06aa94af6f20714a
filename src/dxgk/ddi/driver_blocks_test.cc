// When a driver frees what its handles point to.
#include "dxgk/ddi/driver_blocks.h"

#include <gmock/gmock.h>

#include <utility>

#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DriverBlocks : public nt::MachineTest {
 protected:
  DriverBlocks() { observer.then = nt::Then::GoOn; }
  HANDLE allocate() { return machine().pool().allocate(8, kTag, nt::PoolKind::NonPaged, nt::PoolFill::Zero); }
  void free(HANDLE block) { machine().pool().free(block, kTag); }
  DriverBlock block_of(HANDLE handle) {
    auto block = driver_block(machine(), handle);
    CHECK(block);
    return *block;
  }
  // One is freed in the call, the other behind it.
  void destroy_two(LateReleases& releases) {
    HANDLE in_time = allocate(), late = allocate();
    releases.enter();
    std::vector<DriverBlock> destroyed{block_of(in_time), block_of(late)};
    free(in_time);
    releases.leave(destroyed);
    free(late);
  }

  static constexpr uint32_t kTag = 0x6B6C4244;
};

TEST_F(DriverBlocks, AreWhatAHandlePointsTo) {
  run([&] {
    HANDLE made = allocate();
    EXPECT_TRUE(driver_block(machine(), made));
    EXPECT_FALSE(driver_block(machine(), static_cast<char*>(made) + 1)) << "inside of the block";
    EXPECT_FALSE(driver_block(machine(), nullptr));
    EXPECT_FALSE(driver_block(machine(), reinterpret_cast<HANDLE>(uintptr_t{7}))) << "a number";
    DriverBlock block = block_of(made);
    EXPECT_FALSE(freed(machine(), block));
    free(made);
    EXPECT_TRUE(freed(machine(), block));
    EXPECT_FALSE(driver_block(machine(), made));
  });
}

TEST_F(DriverBlocks, FreedAfterTheCallWereReleasedTooLate) {
  run([&] {
    LateReleases releases(machine());
    destroy_two(releases);
    EXPECT_THAT(broken(), IsEmpty());
    releases.judge();
  });
  ASSERT_THAT(broken(), ElementsAre("DestroyedLater"));
  EXPECT_EQ(observer.violations[0].stacks.size(), 3u) << "where it is told, allocated, freed";
}

TEST_F(DriverBlocks, FreedBetweenTwoCallsAreToldWithTheSecond) {
  run([&] {
    LateReleases releases(machine());
    destroy_two(releases);
    releases.enter();
    EXPECT_THAT(broken(), ElementsAre("DestroyedLater"));
    releases.leave({});
    releases.judge();
  });
  EXPECT_THAT(broken(), ElementsAre("DestroyedLater")) << "once";
}

TEST_F(DriverBlocks, KeptForLaterAreNoFinding) {
  run([&] {
    LateReleases releases(machine());
    HANDLE cached = allocate(), again = allocate(), trimmed = allocate();
    releases.enter();
    releases.leave({block_of(cached), block_of(again), block_of(trimmed)});
    releases.reused(again);
    free(again);
    releases.enter();  // the next destruction makes room in the cache
    free(trimmed);
    releases.leave({});
    releases.judge();  // the adapter stops; the cache goes after that
    free(cached);
    releases.judge();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

class NestedBlocks : public DriverBlocks {
 protected:
  // Makes an allocation with two blocks besides, and destroys it.
  void destroy_all_but_nested(LateReleases& releases) {
    nt::Scope creation(nt::ScopeKind::Allocation, "create 1", &machine().root_scope());
    nt::Scope* outer = std::exchange(machine().self().scope, &creation);
    HANDLE handle = allocate();
    for (HANDLE& one : nested_) one = allocate();
    machine().self().scope = outer;
    std::vector<DriverBlock> blocks{block_of(handle)};
    releases.enter();
    free(handle);
    releases.leave(blocks);
    releases.creation_over(creation);
    machine().hand_over(creation, machine().root_scope());
  }

  HANDLE nested_[2];
};

TEST_F(NestedBlocks, FreedAfterTheLastAllocationOfTheirCreationAreTooLate) {
  run([&] {
    LateReleases releases(machine());
    destroy_all_but_nested(releases);
    free(nested_[0]);
    { LateReleases::Elsewhere create(releases); }
    EXPECT_THAT(broken(), ElementsAre("DestroyedLater"));
    free(nested_[1]);
    releases.judge();
  });
  EXPECT_THAT(broken(), ElementsAre("DestroyedLater", "DestroyedLater"));
}

// A slab of a driver's own allocator, or a table that grew.
TEST_F(NestedBlocks, MayGoWithOtherObjects) {
  run([&] {
    LateReleases releases(machine());
    destroy_all_but_nested(releases);
    {
      LateReleases::Elsewhere create(releases);
      free(nested_[0]);
    }
    releases.enter();
    free(nested_[1]);
    releases.leave({});
    releases.judge();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// With two threads in the function it is not known which of them freed the block.
TEST_F(DriverBlocks, AreNotJudgedWhileAnotherCallIsInside) {
  run([&] {
    LateReleases releases(machine());
    HANDLE trimmed = allocate();
    releases.enter();
    releases.leave({block_of(trimmed)});
    releases.enter();
    free(trimmed);
    releases.enter();
    releases.leave({});
    releases.leave({});
    releases.judge();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk
