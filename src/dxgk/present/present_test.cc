// Presents whose addresses are patched: what the driver is told, what it may do, and what becomes of it.
#include "dxgk/present/present.h"

#include "base/sanitizer.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/testing/present_fixture.h"
#include "dxgk/testing/render_fixture.h"

namespace dxgk {
namespace {

using testing::blt;
using testing::color_fill;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Made;

class Presenting : public testing::SceneTest<testing::RenderTest> {};

TEST_F(Presenting, TellsTheDriverWhatGoesWhere) {
  static const uint8_t kData[] = {1, 2, 3};
  driver.present = [&](DXGKARG_PRESENT& args) {
    EXPECT_EQ(machine().self().irql, PASSIVE_LEVEL);
    EXPECT_EQ(args.Flags.Value, 1u);
    EXPECT_EQ(args.pAllocationList[0].hDeviceSpecificAllocation, nullptr);
    EXPECT_NE(args.pAllocationList[1].hDeviceSpecificAllocation, nullptr);
    EXPECT_NE(args.pAllocationList[2].hDeviceSpecificAllocation, nullptr);
    EXPECT_NE(args.pAllocationList[1].hDeviceSpecificAllocation, args.pAllocationList[2].hDeviceSpecificAllocation);
    EXPECT_FALSE(args.pAllocationList[1].WriteOperation);
    EXPECT_TRUE(args.pAllocationList[2].WriteOperation);
    EXPECT_EQ(args.SrcRect.right, 8);
    EXPECT_EQ(args.DstRect.left, 10);
    EXPECT_EQ(args.SubRectCnt, 2u);
    EXPECT_EQ(args.pDstSubRects[1].left, 14);
    EXPECT_EQ(args.DmaSize, 4096u);
    EXPECT_EQ(args.DmaBufferPrivateDataSize, 64u);
    EXPECT_EQ(args.PatchLocationListOutSize, 32u);
    EXPECT_EQ(args.MultipassOffset, 0u);
    EXPECT_EQ(args.PrivateDriverDataSize, 3u);
    EXPECT_EQ(static_cast<const uint8_t*>(args.pPrivateDriverData)[2], 3);
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 32;
    for (UINT index : {1u, 2u}) {
      *args.pPatchLocationListOut = {};
      args.pPatchLocationListOut->AllocationIndex = index;
      args.pPatchLocationListOut->PatchOffset = 8 * index;
      ++args.pPatchLocationListOut;
    }
    return STATUS_SUCCESS;
  };
  UINT patch_flags = 0, submit_flags = 0;
  driver.patch = [&](const DXGKARG_PATCH& args) {
    patch_flags = args.Flags.Value;
    EXPECT_EQ(args.AllocationListSize, 3u);
    EXPECT_EQ(args.pAllocationList[1].SegmentId, 2u);
    EXPECT_EQ(args.pAllocationList[2].SegmentId, 2u);
    return STATUS_SUCCESS;
  };
  auto submit = driver.submit;
  driver.submit = [&](const DXGKARG_SUBMITCOMMAND& args) {
    submit_flags = args.Flags.Value;
    return submit(args);
  };
  run_scene([&](Scene& scene) {
    testing::Present present = blt(scene.made.allocations[0], scene.made.allocations[1]);
    present.to = {10, 10, 18, 18};
    present.parts = {{10, 10, 12, 12}, {14, 14, 18, 18}};
    present.private_data = kData;
    EXPECT_EQ(testing::present(*scene.context, present), STATUS_SUCCESS);
    settle();
    EXPECT_TRUE(scene.context->work().idle());
    EXPECT_THAT(submissions(), ElementsAre("SubmitCommand(0-32)"));
  });
  EXPECT_EQ(patch_flags, 2u);
  EXPECT_EQ(submit_flags, 2u);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Presenting, AFillHasNoSource) {
  run_scene([&](Scene& scene) {
    auto write = [&](DXGKARG_PRESENT& args) {
      EXPECT_EQ(args.Flags.Value, 2u);
      EXPECT_EQ(args.Color, 0xFF00FF00u);
      EXPECT_EQ(args.pAllocationList[1].hDeviceSpecificAllocation, nullptr);
      args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 16;
      *args.pPatchLocationListOut = {};
      args.pPatchLocationListOut->AllocationIndex = 2;
      ++args.pPatchLocationListOut;
      return STATUS_SUCCESS;
    };
    driver.present = write;
    EXPECT_EQ(testing::present(*scene.context, color_fill(scene.made.allocations[1], 0xFF00FF00)), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(submissions(), ElementsAre("SubmitCommand(0-16)"));
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Presenting, NothingToDrawIsNotTheDriversBusiness) {
  run_scene([&](Scene& scene) {
    testing::Present present = blt(scene.made.allocations[0], scene.made.allocations[1]);
    present.parts = {};
    EXPECT_EQ(testing::present(*scene.context, present), STATUS_SUCCESS);
    EXPECT_EQ(driver.calls(Ddi::Present), 0u);
    EXPECT_TRUE(scene.context->work().idle());
  });
}

TEST_F(Presenting, AsManyBuffersAsTheDriverNeeds) {
  std::vector<UINT> offsets;
  driver.present = [&](DXGKARG_PRESENT& args) {
    offsets.push_back(args.MultipassOffset);
    EXPECT_EQ(args.SubRectCnt, 1u) << "the same list each time";
    for (UINT index : {1u, 2u}) {
      *args.pPatchLocationListOut = {};
      args.pPatchLocationListOut->AllocationIndex = index;
      ++args.pPatchLocationListOut;
    }
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 16;
    args.MultipassOffset += 10;
    return offsets.size() < 3 ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
  };
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(submissions(), ElementsAre("SubmitCommand(0-16)", "SubmitCommand(0-16)", "SubmitCommand(0-16)"));
  });
  EXPECT_THAT(offsets, ElementsAre(0u, 10u, 20u));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Presenting, ARefusalInTheMiddleQueuesNothing) {
  driver.present = [&](DXGKARG_PRESENT& args) {
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 16;
    args.MultipassOffset = 1;
    return driver.calls(Ddi::Present) < 2 ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
                                          : STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  };
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
    settle();
    EXPECT_TRUE(scene.context->work().idle());
    EXPECT_THAT(submissions(), IsEmpty());
    EXPECT_EQ(scene.client.device->state(), Device::State::Active);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Presenting, AnExceptionOfTheGpuLosesTheDevice) {
  driver.fail(Ddi::Present, STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
    EXPECT_EQ(scene.client.device->state(), Device::State::Error);
    EXPECT_EQ(copy(scene), STATUS_DEVICE_REMOVED);
    EXPECT_EQ(driver.calls(Ddi::Present), 1u);
  });
}

// Not one of those that its page lists.
TEST_F(Presenting, AStatusThatItMayNotReturn) {
  observer.then = nt::Then::GoOn;
  driver.fail(Ddi::Present, STATUS_INVALID_PARAMETER);
  run_scene([&](Scene& scene) {
    EXPECT_LT(copy(scene), 0);
    EXPECT_THAT(submissions(), IsEmpty());
  });
  EXPECT_THAT(broken(), ElementsAre("IllegalStatus"));
}

TEST_F(Presenting, ADriverThatPresentsNothing) {
  driver.table.DxgkDdiPresent = nullptr;
  run_scene([&](Scene& scene) { EXPECT_EQ(copy(scene), STATUS_NOT_SUPPORTED); });
}

// US-03
TEST_F(Presenting, WhatIsLockedInLocalMemoryIsRefused) {
  run_scene([&](Scene& scene) {
    testing::Present present = blt(scene.made.allocations[0], scene.made.allocations[1]);
    auto source = scene.client.process->handles().get<AllocationView>(scene.made.allocations[0]).take();
    source->locks = 1;
    EXPECT_EQ(testing::present(*scene.context, present), STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION);
    source->locks = 0;
    EXPECT_EQ(driver.calls(Ddi::Present), 0u);
  });
}

TEST_F(Presenting, WhatIsPresentedIsDestroyedAfterwards) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  completes_at_once = false;
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(destroy(scene.client, scene.made), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(driver.calls(Ddi::CloseAllocation), 0u);
    complete();
    EXPECT_EQ(driver.calls(Ddi::CloseAllocation), 1u);
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
  });
}

// --- What a driver may not do ---

struct Misdeed {
  const char* name;
  std::string finding;
  std::function<NTSTATUS(DXGKARG_PRESENT&)> present;
};
void PrintTo(const Misdeed& misdeed, std::ostream* out) { *out << misdeed.name; }

uint8_t* bytes(void* at) { return static_cast<uint8_t*>(at); }

NTSTATUS write_one(DXGKARG_PRESENT& args, UINT index) {
  *args.pPatchLocationListOut = {};
  args.pPatchLocationListOut->AllocationIndex = index;
  ++args.pPatchLocationListOut;
  args.pDmaBuffer = bytes(args.pDmaBuffer) + 32;
  return STATUS_SUCCESS;
}

class PresentMisdeeds : public Presenting, public ::testing::WithParamInterface<Misdeed> {};

TEST_P(PresentMisdeeds, AreFoundAndNothingIsQueued) {
  observer.then = nt::Then::GoOn;
  driver.present = GetParam().present;
  run_scene([&](Scene& scene) {
    EXPECT_LT(copy(scene), 0);
    settle();
    EXPECT_THAT(submissions(), IsEmpty());
    EXPECT_THAT(broken(), ElementsAre(GetParam().finding));
    EXPECT_THAT(observer.violations.back().sentence, HasSubstr("DxgkDdiPresent"));
  });
}

INSTANTIATE_TEST_SUITE_P(All, PresentMisdeeds,
                         ::testing::Values(Misdeed{"Beyond", "RenderBufferOverrun",
                                                   [](DXGKARG_PRESENT& args) {
                                                     args.pDmaBuffer = bytes(args.pDmaBuffer) + args.DmaSize + 1;
                                                     return STATUS_SUCCESS;
                                                   }},
                                           Misdeed{"TooManyLocations", "RenderPatchListOverrun",
                                                   [](DXGKARG_PRESENT& args) {
                                                     args.pPatchLocationListOut += args.PatchLocationListOutSize + 1;
                                                     return STATUS_SUCCESS;
                                                   }},
                                           Misdeed{"NoProgress", "RenderNoProgress",
                                                   [](DXGKARG_PRESENT&) {
                                                     return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
                                                   }},
                                           Misdeed{"NoEnd", "RenderNoProgress",
                                                   [](DXGKARG_PRESENT& args) {
                                                     ++args.MultipassOffset;
                                                     return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
                                                   }},
                                           Misdeed{"NoSuchAllocation", "PatchIndexWrong",
                                                   [](DXGKARG_PRESENT& args) { return write_one(args, 3); }}),
                         [](const auto& about) { return std::string(about.param.name); });

TEST_F(Presenting, AReferenceThatTheDriverLeavesOutIsAFinding) {
  observer.then = nt::Then::GoOn;
  driver.present = [&](DXGKARG_PRESENT& args) { return write_one(args, DXGK_PRESENT_SOURCE_INDEX); };
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(broken(), ElementsAre("PatchReferenceMissing"));
    EXPECT_THAT(observer.violations.back().sentence, HasSubstr("destination"));
  });
}

TEST_F(Presenting, TheListOfPartsIsNotTheDriversToChange) {
  observer.then = nt::Then::GoOn;
  driver.present = [&](DXGKARG_PRESENT& args) {
    const_cast<RECT*>(args.pDstSubRects)->left = 1;
    return STATUS_SUCCESS;
  };
  run_scene([&](Scene& scene) { EXPECT_EQ(copy(scene), STATUS_SUCCESS); });
  EXPECT_THAT(broken(), ElementsAre("ConstDataChanged"));
}

}  // namespace
}  // namespace dxgk
