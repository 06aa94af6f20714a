// D3DKMTPresent: what the driver sees of a client's request, and what a careless or hostile client is refused.
#include <fmt/format.h>

#include "dxgk/object/context.h"
#include "kmt/testing/kmt_fixture.h"
#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"

namespace kmt::testing {
namespace {

using dxgk::Ddi;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string text(const RECT& rectangle) {
  return fmt::format("{},{}-{},{}", rectangle.left, rectangle.top, rectangle.right, rectangle.bottom);
}

// The GPU of this driver completes what it is given at once.
class PresentThunk : public KmtTest {
 protected:
  static constexpr uint32_t kVector = 0x41;

  explicit PresentThunk(dxgk::testing::Model model = dxgk::testing::Model::Wddm13) : KmtTest(model) {
    hardware.line = nt::InterruptLine{kVector, 6};
    driver.context_info.DmaBufferSize = 4096;
    driver.context_info.AllocationListSize = 16;
    driver.context_info.PatchLocationListSize = 32;
    driver.submit = [this](const DXGKARG_SUBMITCOMMAND& submitted) { return complete(submitted.SubmissionFenceId); };
    driver.submit_virtual = [this](const DXGKARG_SUBMITCOMMANDVIRTUAL& submitted) {
      return complete(submitted.SubmissionFenceId);
    };
    driver.at[Ddi::InterruptRoutine] = [this] {
      DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
      data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      data.DmaCompleted.SubmissionFenceId = fence_;
      driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &data);
      driver.interface.DxgkCbQueueDpc(driver.device_handle());
    };
    driver.at[Ddi::DpcRoutine] = [this] { driver.interface.DxgkCbNotifyDpc(driver.device_handle()); };
    if (model == dxgk::testing::Model::Wddm13) driver.paging_segment = 0;
    driver.present = [this](DXGKARG_PRESENT& shown) {
      presented.push_back(shown);
      parts.clear();
      for (UINT i = 0; i < shown.SubRectCnt; ++i) parts.push_back(text(shown.pDstSubRects[i]));
      return STATUS_SUCCESS;
    };
  }

  // `body` with a context, two allocations, and arguments that copy from the first to the second.
  void run_context(const std::function<void(Program&)>& body) {
    run_program([&](Program& program) {
      context = make_context(program);
      source = make_allocation(program, program.device);
      destination = make_allocation(program, program.device);
      refill();
      body(program);
    });
  }
  virtual D3DKMT_HANDLE make_context(Program& program) {
    D3DKMT_CREATECONTEXT create{};
    create.hDevice = program.device;
    EXPECT_EQ(CreateContext(program.client, &create), STATUS_SUCCESS);
    return create.hContext;
  }
  static D3DKMT_HANDLE make_allocation(Program& program, D3DKMT_HANDLE device) {
    CreateArgs create = CreateArgs::driver(device);
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    return create.info.hAllocation;
  }
  void refill() {
    args = {};
    args.hContext = context;
    args.hSource = source;
    args.hDestination = destination;
    args.Flags.Blt = args.Flags.SrcRectValid = 1;
    args.SrcRect = {0, 0, 16, 16};
    args.SubRectCnt = 1;
    args.pSrcSubRects = &whole;
  }
  void fill_with(UINT color) {
    refill();
    args.hSource = 0;
    args.Flags = {};
    args.Flags.ColorFill = 1;
    args.Color = color;
  }
  NTSTATUS present(Program& program) { return Present(program.client, &args); }
  // The arguments are refused with this status, and the driver hears nothing of it.
  void expect_refused(Program& program, NTSTATUS status, base::Here where = base::Here::now()) {
    size_t before = driver.calls(Ddi::Present);
    EXPECT_EQ(present(program), status) << "line " << where.line;
    EXPECT_EQ(driver.calls(Ddi::Present), before) << "line " << where.line;
    refill();
  }

  RECT whole{0, 0, 16, 16};
  D3DKMT_HANDLE context = 0;
  D3DKMT_HANDLE source = 0;
  D3DKMT_HANDLE destination = 0;
  D3DKMT_PRESENT args{};
  std::vector<DXGKARG_PRESENT> presented;
  std::vector<std::string> parts;  // of the last

 private:
  NTSTATUS complete(UINT fence) {
    fence_ = fence;
    machine().interrupts().raise(kVector);
    return STATUS_SUCCESS;
  }

  UINT fence_ = 0;
};

TEST_F(PresentThunk, CopiesTheWholeOfTheSource) {
  run_context([&](Program& program) {
    EXPECT_EQ(present(program), STATUS_SUCCESS);
    EXPECT_THAT(parts, ElementsAre("0,0-16,16"));
    EXPECT_EQ(presented[0].Flags.Value, 1u);
    EXPECT_EQ(text(presented[0].DstRect), "0,0-16,16") << "where it was";
  });
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(PresentThunk, PartsOfTheSourceBecomePartsOfTheDestination) {
  run_context([&](Program& program) {
    RECT some[] = {{4, 4, 8, 8}, {12, 12, 100, 100}, {20, 0, 30, 10}};
    args.SubRectCnt = 3;
    args.pSrcSubRects = some;
    args.DstRect = {100, 200, 116, 216};
    args.Flags.DstRectValid = 1;
    args.Flags.LinearToSrgb = 1;
    EXPECT_EQ(present(program), STATUS_SUCCESS);
    EXPECT_THAT(parts, ElementsAre("104,204-108,208", "112,212-116,216"));
    EXPECT_EQ(text(presented[0].SrcRect), "0,0-16,16");
    EXPECT_EQ(text(presented[0].DstRect), "100,200-116,216");
    EXPECT_EQ(presented[0].Flags.Value, 0x41u);
  });
}

TEST_F(PresentThunk, PartsOfAFillAreOfTheDestination) {
  run_context([&](Program& program) {
    RECT some[] = {{4, 4, 8, 8}, {2, 6, 20, 7}};
    fill_with(0xFF102030);
    args.SubRectCnt = 2;
    args.pSrcSubRects = some;
    EXPECT_EQ(present(program), STATUS_SUCCESS);
    EXPECT_THAT(parts, ElementsAre("4,4-8,8", "2,6-20,7"));
    EXPECT_EQ(text(presented[0].DstRect), "2,4-20,8");
    EXPECT_EQ(presented[0].Color, 0xFF102030u);
    args.Flags.DstRectValid = 1;
    args.DstRect = {0, 0, 6, 6};
    EXPECT_EQ(present(program), STATUS_SUCCESS);
    EXPECT_THAT(parts, ElementsAre("4,4-6,6"));
  });
}

TEST_F(PresentThunk, PrivateDataReachTheDriver) {
  std::vector<uint8_t> seen;
  driver.present = [&](DXGKARG_PRESENT& shown) {
    const auto* data = static_cast<const uint8_t*>(shown.pPrivateDriverData);
    seen.assign(data, data + shown.PrivateDriverDataSize);
    return STATUS_SUCCESS;
  };
  run_context([&](Program& program) {
    uint8_t data[] = {7, 8, 9};
    args.PrivateDriverDataSize = 3;
    args.pPrivateDriverData = data;
    EXPECT_EQ(present(program), STATUS_SUCCESS);
    EXPECT_THAT(seen, ElementsAre(7, 8, 9));
  });
}

// The lists of its page.
TEST_F(PresentThunk, CombinationsThatCannotBe) {
  run_context([&](Program& program) {
    constexpr NTSTATUS kWrong = STATUS_INVALID_PARAMETER;
    args.pSrcSubRects = nullptr;
    expect_refused(program, kWrong);
    args.SubRectCnt = 0;
    expect_refused(program, kWrong);
    args.Flags.Blt = 0;
    expect_refused(program, kWrong);
    args.Flags.SrcRectValid = 0;
    expect_refused(program, kWrong);
    args.Flags.ColorFill = 1;
    expect_refused(program, kWrong);
    args.Flags.Flip = 1;
    expect_refused(program, kWrong);
    args.Flags.FlipDoNotFlip = 1;
    expect_refused(program, kWrong);
    args.Flags.FlipDoNotWait = 1;
    expect_refused(program, kWrong);
    args.Flags.FlipRestart = 1;
    expect_refused(program, kWrong);
    args.Flags.SrcColorKey = 1;
    expect_refused(program, kWrong);
    args.Flags.DstColorKey = 1;
    expect_refused(program, kWrong);
    args.hSource = destination;
    expect_refused(program, kWrong);
    args.Flags.Reserved = 1;
    expect_refused(program, kWrong);
    args.Flags = {};
    expect_refused(program, kWrong);
    fill_with(1);
    args.Flags.SrcRectValid = 1;
    expect_refused(program, kWrong);
    fill_with(1);
    args.Flags.FlipRestart = 1;
    expect_refused(program, kWrong);
    fill_with(1);
    args.Flags.DstColorKey = 1;
    expect_refused(program, kWrong);
    args.BroadcastContextCount = D3DDDI_MAX_BROADCAST_CONTEXT + 1;
    expect_refused(program, kWrong);
  });
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(PresentThunk, WhatNeedsADisplay) {
  run_context([&](Program& program) {
    args.Flags = {};
    args.Flags.Flip = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.RestrictVidPnSource = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.Rotate = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.PresentToBitmap = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.RedirectedFlip = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.RedirectedBlt = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.PresentHistoryTokenOnly = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.BltStereoUseRight = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.PresentRegionsValid = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.RemoteSession = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.PresentIndirect = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.Flags.PresentCountValid = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.BroadcastContextCount = 1;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.PresentLimitSemaphore = &args;
    expect_refused(program, STATUS_NOT_SUPPORTED);
    args.hDestination = 0;
    expect_refused(program, STATUS_NOT_SUPPORTED);
  });
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(PresentThunk, RectanglesWithNothingInside) {
  run_context([&](Program& program) {
    args.SrcRect = {4, 4, 4, 8};
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.SrcRect = {8, 4, 4, 8};
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.Flags.DstRectValid = 1;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    RECT nothing{3, 3, 3, 3}, beside{16, 0, 20, 4};
    args.pSrcSubRects = &nothing;
    expect_refused(program, STATUS_SUCCESS);
    args.pSrcSubRects = &beside;
    expect_refused(program, STATUS_SUCCESS);
    fill_with(1);
    args.pSrcSubRects = &nothing;
    expect_refused(program, STATUS_SUCCESS);
  });
}

TEST_F(PresentThunk, HandlesOfNothingOrOfOthers) {
  run_context([&](Program& program) {
    D3DKMT_HANDLE second = program.create_device(program.adapter);
    D3DKMT_HANDLE foreign = make_allocation(program, second);
    for (D3DKMT_HANDLE handle : {D3DKMT_HANDLE{0}, kNoHandle, program.device, context, foreign}) {
      args.hSource = handle;
      expect_refused(program, STATUS_INVALID_PARAMETER);
      if (handle) args.hDestination = handle;
      if (handle) expect_refused(program, STATUS_INVALID_PARAMETER);
    }
    for (D3DKMT_HANDLE handle : {D3DKMT_HANDLE{0}, kNoHandle, program.device, source}) {
      args.hContext = handle;
      expect_refused(program, STATUS_INVALID_PARAMETER);
    }
    EXPECT_EQ(destroy_list(program, {source}), STATUS_SUCCESS);
    expect_refused(program, STATUS_INVALID_PARAMETER);
  });
}

TEST_F(PresentThunk, MemoryThatIsNotThere) {
  run_context([&](Program& program) {
    EdgePages pages;
    args.SubRectCnt = 2;
    args.pSrcSubRects = static_cast<const RECT*>(pages.before(sizeof(RECT) + 4));
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.SubRectCnt = UINT_MAX;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.SubRectCnt = (1u << 16) + 1;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.PrivateDriverDataSize = 8;
    expect_refused(program, STATUS_INVALID_PARAMETER);
    args.PrivateDriverDataSize = UINT_MAX;
    args.pPrivateDriverData = pages.before(8);
    expect_refused(program, STATUS_NO_MEMORY);
  });
}

TEST_F(PresentThunk, ADeviceThatIsLost) {
  run_context([&](Program& program) {
    D3DKMT_MARKDEVICEASERROR mark{};
    mark.hDevice = program.device;
    mark.Reason = D3DKMT_DEVICE_ERROR_REASON_DRIVER_ERROR;
    ASSERT_EQ(MarkDeviceAsError(program.client, &mark), STATUS_SUCCESS);
    expect_refused(program, STATUS_DEVICE_REMOVED);
  });
}

TEST_F(PresentThunk, AContextThatHasGone) {
  run_context([&](Program& program) {
    D3DKMT_DESTROYCONTEXT destroy{};
    destroy.hContext = context;
    EXPECT_EQ(DestroyContext(program.client, &destroy), STATUS_SUCCESS);
    expect_refused(program, STATUS_INVALID_PARAMETER);
  });
}

TEST_F(PresentThunk, WslHasNone) {
  policy.flavour = dxgk::Flavour::Wsl;
  run_program([&](Program& program) { EXPECT_EQ(Present(program.client, &args), STATUS_NOT_SUPPORTED); });
}

class VirtualPresentThunk : public PresentThunk {
 protected:
  VirtualPresentThunk() : PresentThunk(dxgk::testing::Model::Wddm20) {}

  D3DKMT_HANDLE make_context(Program& program) override {
    D3DKMT_CREATECONTEXTVIRTUAL create{};
    create.hDevice = program.device;
    EXPECT_EQ(CreateContextVirtual(program.client, &create), STATUS_SUCCESS);
    return create.hContext;
  }
};

TEST_F(VirtualPresentThunk, ShowsAddresses) {
  driver.present = [this](DXGKARG_PRESENT& shown) {
    presented.push_back(shown);
    EXPECT_EQ(shown.NumSrcAllocations, 1u);
    EXPECT_EQ(shown.NumDstAllocations, 1u);
    EXPECT_NE(shown.pAllocationInfo[DXGK_PRESENT_SOURCE_INDEX].AllocationVirtualAddress, 0u);
    EXPECT_NE(shown.pAllocationInfo[DXGK_PRESENT_DESTINATION_INDEX].AllocationVirtualAddress, 0u);
    shown.pDmaBuffer = static_cast<uint8_t*>(shown.pDmaBuffer) + 16;
    return STATUS_SUCCESS;
  };
  run_context([&](Program& program) { EXPECT_EQ(present(program), STATUS_SUCCESS); });
  ASSERT_EQ(presented.size(), 1u);
  EXPECT_EQ(driver.calls(Ddi::SubmitCommandVirtual), 1u) << "before the context went";
  EXPECT_THAT(findings(), IsEmpty());
}

}  // namespace
}  // namespace kmt::testing
