#include "dxgk/memory/video_block.h"

#include <gtest/gtest.h>

#include <vector>

#include "nt/mm/mdls.h"
#include "nt/testing/machine_fixture.h"

namespace dxgk {
namespace {

constexpr uint64_t kPage = vidmm::kPageBytes;

class SystemPagesTest : public nt::MachineTest {};

// The byte count of an MDL has 32 bits: what is larger has several, and every page is in one of them.
TEST_F(SystemPagesTest, MemoryThatIsTooLargeForOneMdlHasSeveral) {
  run([&] {
    alignas(4096) static uint8_t memory[5 * kPage];
    SystemPages whole, parts;
    ASSERT_TRUE(whole.hold(machine(), memory, sizeof(memory)).ok());
    ASSERT_TRUE(parts.hold(machine(), memory, sizeof(memory), 2 * kPage).ok());
    EXPECT_EQ(whole.mdls().size(), 1u);
    ASSERT_EQ(parts.mdls().size(), 3u);
    EXPECT_EQ(parts.count(), 5u);
    EXPECT_EQ(MmGetMdlByteCount(parts.mdls()[1]), 2 * kPage);
    EXPECT_EQ(MmGetMdlByteCount(parts.mdls()[2]), kPage);
    for (uint64_t i = 0; i < 5; ++i) EXPECT_EQ(parts.page(i), whole.page(i)) << i;
  });
}

}  // namespace
}  // namespace dxgk
