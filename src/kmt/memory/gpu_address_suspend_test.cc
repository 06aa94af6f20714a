// Page tables that change their page size while clients are kept from the hardware, and need more room than one paging
// buffer has.
#include <gmock/gmock.h>

#include "base/sanitizer.h"
#include "kmt/testing/memory_fixture.h"
#include "nt/hardware/interrupts.h"

namespace kmt::testing {
namespace {

using dxgk::Ddi;

// Leaves of 64 KiB pages, which become leaves of 4 KiB pages when something smaller is mapped beside. Every entry of a
// paging buffer is as large as a quarter of it, and the GPU completes what it is given at once.
class GpuAddressSuspendTest : public MemoryTest {
 protected:
  static constexpr UINT kPart = 1024;

  GpuAddressSuspendTest() {
    complete_by_interrupt(0x41);
    driver.segments[1].Flags.Use64KBPages = 1;
    driver.mmu.LeafPageTableSizeFor64KPagesInBytes = 4096;
    driver.paging_buffer_bytes = 4 * kPart;
    driver.build_paging = [this](DXGKARG_BUILDPAGINGBUFFER& args) {
      if (!args.pDmaBuffer) return STATUS_SUCCESS;
      if (refuses_tables && args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) return STATUS_UNSUCCESSFUL;
      if (args.DmaSize < kPart) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + kPart;
      return STATUS_SUCCESS;
    };
    driver.submit_virtual = [this](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      (args.Flags.Paging ? paging : rendering) += 1;
      return submitted(args.SubmissionFenceId);
    };
  }
  void SetUp() override {
    MemoryTest::SetUp();
    if (base::kSanitizer == base::Sanitizer::Thread) {
      GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
    }
  }

  struct Scene {
    D3DKMT_CREATEPAGINGQUEUE queue;
    uint64_t base;  // of addresses in which the first 64 KiB are one page
    D3DKMT_HANDLE small;
  };
  Scene set_up(Program& program) {
    Scene scene{};
    scene.queue = make_queue(program);
    place_in(kLocal);
    auto local = driver.describe;
    driver.describe = [local](DXGK_ALLOCATIONINFO& info, UINT index) {
      local(info, index);
      info.Alignment = kBigPage;
    };
    D3DKMT_HANDLE big = make(program);
    place_in(kAperture);
    scene.small = make(program);
    CHECK(make_resident(program, scene.queue, {big, scene.small}) == STATUS_SUCCESS);
    scene.base = reserve(program, 4 * kBigPage);
    auto mapped = map_args(scene.queue, big, scene.base);
    CHECK(map(program, scene.queue, mapped) == STATUS_SUCCESS);
    return scene;
  }
  bool in_big_page(Program& program, uint64_t va) {
    auto process = program.client.process().on(adapter()).take();
    dxgk::VideoMemory& memory = adapter().memory();
    base::Guard guard(memory.lock());
    auto found = memory.address_space(*process)->tables().translate(va);
    return found && found->pages_64k;
  }
  NTSTATUS map_small(Program& program, const Scene& scene) {
    auto mapped = map_args(scene.queue, scene.small, scene.base + kBigPage, 1);
    return map(program, scene.queue, mapped);
  }

  uint32_t paging = 0, rendering = 0;  // packets that the GPU was given
  bool refuses_tables = false;

 private:
};

TEST_F(GpuAddressSuspendTest, PagingGoesOnWhileClientsAreSuspended) {
  run_program([&](Program& program) {
    Scene scene = set_up(program);
    ASSERT_TRUE(in_big_page(program, scene.base));
    paging = 0;
    EXPECT_EQ(map_small(program, scene), STATUS_SUCCESS);
    EXPECT_FALSE(in_big_page(program, scene.base)) << "no table has changed its page size";
    EXPECT_GE(paging, 2u) << "the change fits into one buffer: nothing was waited for";
    EXPECT_TRUE(translated(program, scene.base));
    EXPECT_TRUE(translated(program, scene.base + kBigPage));
  });
  EXPECT_EQ(findings(), Findings());
}

// A driver that fails in the middle loses the device whose change it was. Others run.
TEST_F(GpuAddressSuspendTest, AChangeThatBreaksOffLeavesNoClientSuspended) {
  run_program([&](Program& program) {
    Scene scene = set_up(program);
    refuses_tables = true;
    static_cast<void>(map_small(program, scene));
    adapter().memory().wait_idle();
    refuses_tables = false;
    Program other(kernel(), "other");
    other.start(adapter());
    D3DKMT_CREATECONTEXTVIRTUAL context{};
    context.hDevice = other.device;
    ASSERT_EQ(CreateContextVirtual(other.client, &context), STATUS_SUCCESS);
    D3DKMT_SUBMITCOMMAND submit{};
    submit.BroadcastContextCount = 1;
    submit.BroadcastContext[0] = context.hContext;
    submit.CommandLength = 16;
    ASSERT_EQ(SubmitCommand(other.client, &submit), STATUS_SUCCESS);
    D3DKMT_DESTROYCONTEXT destroy{.hContext = context.hContext};
    EXPECT_EQ(DestroyContext(other.client, &destroy), STATUS_SUCCESS);  // waits for what is queued
    EXPECT_EQ(rendering, 1u);
  });
  EXPECT_EQ(findings(), Findings{"IllegalStatus"});
}

}  // namespace
}  // namespace kmt::testing
