// D3DKMTRender: what the client gets back, and what a careless or hostile one is refused.
#include <algorithm>

#include "base/sanitizer.h"
#include "dxgk/object/context.h"
#include "dxgk/object/resource.h"
#include "kmt/testing/kmt_fixture.h"
#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"

namespace kmt::testing {
namespace {

using dxgk::Ddi;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The GPU of this driver completes what it is given at once.
class RenderThunk : public KmtTest {
 protected:
  RenderThunk() : KmtTest(dxgk::testing::Model::Wddm13) {
    complete_by_interrupt(0x41);
    driver.paging_segment = 0;
    driver.context_info.DmaBufferSize = 4096;
    driver.context_info.AllocationListSize = 16;
    driver.context_info.PatchLocationListSize = 32;
    driver.submit = [this](const DXGKARG_SUBMITCOMMAND& command) { return submitted(command.SubmissionFenceId); };
  }

  // `body` with a context, one allocation, and arguments that render with it.
  void run_context(const std::function<void(Program&)>& body) {
    run_program([&](Program& program) {
      context = {};
      context.hDevice = program.device;
      ASSERT_EQ(CreateContext(program.client, &context), STATUS_SUCCESS);
      CreateArgs create = CreateArgs::driver(program.device);
      ASSERT_EQ(create.create(program), STATUS_SUCCESS);
      allocation = create.info.hAllocation;
      refill();
      body(program);
    });
  }
  // The lists as a client fills them, anew: a fill, an allocation that it writes and where its address stands.
  void refill() {
    std::fill_n(static_cast<uint8_t*>(context.pCommandBuffer), 64, uint8_t{1});
    context.pAllocationList[0] = {};
    context.pAllocationList[0].hAllocation = allocation;
    context.pAllocationList[0].WriteOperation = 1;
    context.pPatchLocationList[0] = {};
    context.pPatchLocationList[0].PatchOffset = 8;
    args = {};
    args.hContext = context.hContext;
    args.CommandLength = 64;
    args.AllocationCount = 1;
    args.PatchLocationCount = 1;
  }
  NTSTATUS render(Program& program) { return Render(program.client, &args); }
  // The arguments are refused with this status, and the driver hears nothing of it.
  void expect_refused(Program& program, NTSTATUS status) {
    size_t before = driver.calls(Ddi::Render);
    EXPECT_EQ(render(program), status);
    EXPECT_EQ(driver.calls(Ddi::Render), before);
    refill();
  }

  D3DKMT_CREATECONTEXT context{};
  D3DKMT_HANDLE allocation = 0;
  D3DKMT_RENDER args{};

 private:
};

TEST_F(RenderThunk, CreateContextHandsOutBuffers) {
  run_context([&](Program&) {
    EXPECT_EQ(context.CommandBufferSize, 4096u);
    EXPECT_EQ(context.AllocationListSize, 16u);
    EXPECT_EQ(context.PatchLocationListSize, 32u);
    EXPECT_NE(context.pCommandBuffer, nullptr);
    EXPECT_EQ(context.CommandBuffer, 0u);
  });
}

TEST_F(RenderThunk, RendersAndHandsOutTheNextBuffers) {
  run_context([&](Program& program) {
    EXPECT_EQ(render(program), STATUS_SUCCESS);
    EXPECT_NE(args.pNewCommandBuffer, nullptr);
    EXPECT_EQ(args.NewCommandBufferSize, 4096u);
    EXPECT_EQ(args.NewAllocationListSize, 16u);
    EXPECT_EQ(args.NewPatchLocationListSize, 32u);
    EXPECT_EQ(args.QueuedBufferCount, 1u);
    EXPECT_EQ(driver.calls(Ddi::Render), 1u);
  });
  EXPECT_EQ(driver.calls(Ddi::SubmitCommand), 1u) << "before the context went";
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(RenderThunk, OC07_WhatIsOpenForReadingIsNotWritten) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  run_context([&](Program& program) {
    CreateArgs create = CreateArgs::driver(program.device);
    create.args.Flags.CreateResource = 1;
    ASSERT_EQ(create.create(program), STATUS_SUCCESS);
    program.client.find<dxgk::ResourceView>(create.args.hResource).value()->read_only = true;
    allocation = create.info.hAllocation;
    refill();
    context.pAllocationList[0].WriteOperation = 0;
    EXPECT_EQ(render(program), STATUS_SUCCESS);
    EXPECT_THAT(findings(), IsEmpty());
    refill();
    EXPECT_EQ(render(program), STATUS_SUCCESS);
    EXPECT_THAT(findings(), ElementsAre("ReadOnlyWritten"));
  });
}

TEST_F(RenderThunk, TheCommandsBeginAtTheOffset) {
  UINT length = 0;
  const void* from = nullptr;
  driver.render = [&](DXGKARG_RENDER& render) {
    length = render.CommandLength;
    from = render.pCommand;
    return STATUS_SUCCESS;
  };
  run_context([&](Program& program) {
    args.CommandOffset = 16;
    args.PatchLocationCount = 0;
    EXPECT_EQ(render(program), STATUS_SUCCESS);
    EXPECT_EQ(length, 48u);
    EXPECT_EQ(from, static_cast<uint8_t*>(context.pCommandBuffer) + 16);
  });
}

TEST_F(RenderThunk, BuffersGrowAndNeverShrinkBelowTheDriversSizes) {
  run_context([&](Program& program) {
    args.Flags.ResizeCommandBuffer = args.Flags.ResizeAllocationList = args.Flags.ResizePatchLocationList = 1;
    args.NewCommandBufferSize = 10'000;
    args.NewAllocationListSize = 20;
    args.NewPatchLocationListSize = 1;
    ASSERT_EQ(render(program), STATUS_SUCCESS);
    EXPECT_EQ(args.NewCommandBufferSize, 10'000u);
    EXPECT_EQ(args.NewAllocationListSize, 20u);
    EXPECT_EQ(args.NewPatchLocationListSize, 32u);
    static_cast<uint8_t*>(args.pNewCommandBuffer)[9'999] = 1;
    args.pNewAllocationList[19].hAllocation = allocation;

    context.pCommandBuffer = args.pNewCommandBuffer;
    context.pAllocationList = args.pNewAllocationList;
    context.pPatchLocationList = args.pNewPatchLocationList;
    refill();
    args.CommandLength = 10'000;
    EXPECT_EQ(render(program), STATUS_SUCCESS);
    refill();
    args.CommandLength = 10'001;
    EXPECT_EQ(render(program), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(RenderThunk, RefusedArguments) {
  run_context([&](Program& program) {
    args.CommandLength = 4097;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.CommandOffset = 65;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.CommandOffset = UINT_MAX;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.AllocationCount = 17;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.PatchLocationCount = 33;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.PatchLocationCount = UINT_MAX;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.Flags.Reserved = 1;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.Flags.RenderKm = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.BroadcastContextCount = 65;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.BroadcastContextCount = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.hContext = 0;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.hContext = kNoHandle;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.hContext = program.device;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    context.pAllocationList[0].Reserved = 1;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    EXPECT_THAT(findings(), IsEmpty());
  });
}

// US-01
TEST_F(RenderThunk, HandlesOfNothingAreTheClientsFault) {
  run_context([&](Program& program) {
    for (D3DKMT_HANDLE handle : {kNoHandle, program.device, program.adapter}) {
      context.pAllocationList[0].hAllocation = handle;
      expect_refused(program, STATUS_INVALID_HANDLE);
      EXPECT_THAT(findings(), ElementsAre("RenderDeadHandle"));
    }
    D3DKMT_HANDLE second = program.create_device(program.adapter);
    CreateArgs foreign = CreateArgs::driver(second);
    ASSERT_EQ(foreign.create(program), STATUS_SUCCESS);
    context.pAllocationList[0].hAllocation = foreign.info.hAllocation;
    expect_refused(program, STATUS_INVALID_HANDLE);
    EXPECT_EQ(destroy_list(program, {allocation}), STATUS_SUCCESS);
    expect_refused(program, STATUS_INVALID_HANDLE);
    EXPECT_THAT(findings(), ElementsAre("RenderDeadHandle", "RenderDeadHandle"));
  });
}

TEST_F(RenderThunk, AContextThatHasGone) {
  run_context([&](Program& program) {
    D3DKMT_DESTROYCONTEXT destroy{};
    destroy.hContext = context.hContext;
    EXPECT_EQ(DestroyContext(program.client, &destroy), STATUS_SUCCESS);
    EXPECT_EQ(render(program), STATUS_INVALID_PARAMETER);
  });
}

// Nothing is queued for a client that cannot be told of it.
TEST_F(RenderThunk, AnAnswerThatCannotBeWritten) {
  run_context([&](Program& program) {
    EdgePages pages;
    auto* user = static_cast<D3DKMT_RENDER*>(pages.before(sizeof(args)));
    std::memcpy(static_cast<void*>(user), &args, sizeof(args));
    pages.protect(PROT_READ);
    EXPECT_EQ(Render(program.client, user), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(driver.calls(Ddi::Render), 0u);
    pages.protect(PROT_READ | PROT_WRITE);
  });
}

class VirtualRenderThunk : public KmtTest {};

// US-07
TEST_F(VirtualRenderThunk, ContextsWithVirtualAddressesDoNotRender) {
  run_program([&](Program& program) {
    D3DKMT_CREATECONTEXTVIRTUAL create{};
    create.hDevice = program.device;
    ASSERT_EQ(CreateContextVirtual(program.client, &create), STATUS_SUCCESS);
    D3DKMT_RENDER args{};
    args.hContext = create.hContext;
    EXPECT_EQ(Render(program.client, &args), STATUS_INVALID_PARAMETER);
  });
}

}  // namespace
}  // namespace kmt::testing
