#include "ks/allocator/frame_guard.h"

#include <gtest/gtest.h>

#include "ks/testing/queue_fixture.h"
#include "nt/fault/fault.h"
#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace ks {
namespace {

using nt::Machine;
using Names = std::vector<std::string>;

class FrameGuardTest : public nt::MachineTest {
 protected:
  // A frame of the kernel's own: three pages, the middle of five.
  uint8_t* make_memory() {
    memory_ = static_cast<uint8_t*>(machine().pool().allocate(5 * 4096, 0, nt::PoolKind::NonPaged, nt::PoolFill::Zero));
    return memory_ + 4096;
  }
  static bool shut(const uint8_t* address) { return FrameGuard::shut(reinterpret_cast<uintptr_t>(address)); }
  void TearDown() override { FrameGuard::forget_all(); }

  uint8_t* memory_ = nullptr;
};

TEST_F(FrameGuardTest, OnlyWholePagesInsideAFrameAreShut) {
  run([&] {
    uint8_t* page = make_memory();
    ASSERT_TRUE(FrameGuard::begin(machine(), page - 10, 2 * 4096 + 20));
    EXPECT_FALSE(shut(page - 1));
    EXPECT_TRUE(shut(page) && shut(page + 2 * 4096 - 1));
    EXPECT_FALSE(shut(page + 2 * 4096));
    FrameGuard::open(page - 10, 2 * 4096 + 20);
    EXPECT_FALSE(shut(page));
    page[0] = 1;
    FrameGuard::close(page - 10, 2 * 4096 + 20);
    EXPECT_TRUE(shut(page));
    FrameGuard::end(page - 10, 2 * 4096 + 20, false);
    EXPECT_FALSE(shut(page));
    page[1] = 1;
    EXPECT_FALSE(FrameGuard::begin(machine(), page, 4095)) << "no whole page";
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FrameGuardTest, APageOfTwoFramesIsOpenWhileOneOfThemIs) {
  run([&] {
    uint8_t* page = make_memory();
    ASSERT_TRUE(FrameGuard::begin(machine(), page, 2 * 4096));
    ASSERT_TRUE(FrameGuard::begin(machine(), page + 4096, 2 * 4096));
    FrameGuard::open(page, 2 * 4096);
    EXPECT_FALSE(shut(page + 4096));
    EXPECT_TRUE(shut(page + 2 * 4096));
    {
      FrameGuard::Opened opened(page + 2 * 4096, 4096);
      EXPECT_FALSE(shut(page + 2 * 4096));
    }
    EXPECT_TRUE(shut(page + 2 * 4096));
    FrameGuard::end(page, 2 * 4096, true);
    EXPECT_TRUE(shut(page + 4096));
    EXPECT_FALSE(shut(page));
    FrameGuard::end(page + 4096, 2 * 4096, false);
    page[4096] = 1;
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(FrameGuardTest, AFrameIsOpenWhileItIsLockedOrClonedAndForGoodWhenItHasLeft) {
  run([&] {
    LoneQueue lone(machine(), {.guard_frames = true});
    std::unique_ptr<StreamIrp> out;
    lone.on_left = [&](std::unique_ptr<StreamIrp> irp) { out = std::move(irp); };
    uint8_t* page = make_memory();
    auto frame = StreamIrp::make(*lone.queue, page, 4096);
    ASSERT_TRUE(frame && lone.queue->add(std::move(frame)).ok());
    StreamPointer* leading = lone.queue->leading();
    EXPECT_TRUE(shut(page));
    leading->lock();
    EXPECT_FALSE(shut(page));
    leading->unlock(Eject::No);
    EXPECT_TRUE(shut(page));
    auto clone = leading->clone(nullptr, 0);
    EXPECT_FALSE(shut(page));
    leading->advance();
    EXPECT_FALSE(shut(page));
    clone.take()->remove();
    ASSERT_TRUE(out);
    page[0] = 1;
    EXPECT_FALSE(shut(page));
    out.reset();
    machine().pool().free(memory_, 0);
  });
  EXPECT_EQ(broken(), Names{});
}

// A driver that writes into a frame after it unlocked the leading edge.
TEST_F(FrameGuardTest, TouchingAFrameThatIsNotLockedIsFoundByItsRule) {
  if (base::kSanitizer != base::Sanitizer::None) GTEST_SKIP() << "a sanitizer catches the access itself";
  nt::install_fault_handlers();
  run_to_stop([&] {
    LoneQueue lone(machine(), {.guard_frames = true});
    uint8_t* page = make_memory();
    auto frame = StreamIrp::make(*lone.queue, page, 4096);
    (void)lone.queue->add(std::move(frame)).ok();
    PKSSTREAM_POINTER leading = lone.queue->leading()->body();
    KsStreamPointerLock(leading);
    leading->OffsetOut.Data[0] = 1;
    KsStreamPointerUnlock(leading, FALSE);
    leading->OffsetOut.Data[1] = 1;
  });
  EXPECT_EQ(broken(), Names{"KsFrameTouchedUnlocked"});
}

}  // namespace
}  // namespace ks
