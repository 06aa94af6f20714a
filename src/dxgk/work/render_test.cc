// Commands that are patched: what the driver is told when, what it may do, and what becomes of it in memory.
#include "dxgk/work/render.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/rng.h"
#include "base/sanitizer.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/testing/render_fixture.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Made;

class Rendering : public testing::RenderTest {
 protected:
  // A client with so many allocations of a page each, and a context.
  struct Scene {
    Client client;
    Made made;
    base::Ref<Context> context;
  };
  void run_scene(uint32_t allocations, const std::function<void(Scene&)>& body) {
    nt::Machine::Ended ended = run_started([&](Adapter& adapter) {
      Client client = open(adapter);
      Scene scene{client, create(client, flags(false), allocations), make_context(client)};
      driver.log.clear();
      body(scene);
      client.process->end();
    });
    EXPECT_TRUE(ended == nt::Machine::Ended::Returned)
        << (observer.violations.empty() ? "" : observer.violations.back().sentence);
    EXPECT_TRUE(driver.empty());
    EXPECT_THAT(driver.complaints, IsEmpty());
  }
  // The local segment has room for so many allocations.
  void shrink_memory(uint32_t pages) { driver.segments[1].Size = driver.segments[1].CommitLimit = pages * 4096ull; }
};

TEST_F(Rendering, TranslatesPatchesAndSubmits) {
  std::vector<std::string> seen;
  driver.patch = [&](const DXGKARG_PATCH& args) {
    seen.push_back(fmt::format("patch at IRQL {}", machine().self().irql));
    EXPECT_EQ(args.AllocationListSize, 2u);
    EXPECT_EQ(args.PatchLocationListSubmissionStart, 0u);
    EXPECT_EQ(args.PatchLocationListSubmissionLength, 2u);
    for (UINT i = 0; i < 2; ++i) EXPECT_EQ(args.pAllocationList[i].SegmentId, 2u);
    EXPECT_NE(args.pAllocationList[0].PhysicalAddress.QuadPart, args.pAllocationList[1].PhysicalAddress.QuadPart);
    EXPECT_EQ(args.Flags.Value, 0u);
    return STATUS_SUCCESS;
  };
  auto submit = driver.submit;
  driver.submit = [&](const DXGKARG_SUBMITCOMMAND& args) {
    seen.push_back(fmt::format("submit at IRQL {}", machine().self().irql));
    EXPECT_EQ(args.DmaBufferSegmentId, 0u) << "contiguous system memory";
    EXPECT_NE(args.DmaBufferPhysicalAddress.QuadPart, 0);
    EXPECT_EQ(args.DmaBufferSize, 4096u);
    EXPECT_EQ(args.DmaBufferPrivateDataSize, 64u);
    EXPECT_EQ(args.Flags.Value, 0u);
    return submit(args);
  };
  run_scene(2, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_SUCCESS);
    settle();
    EXPECT_TRUE(scene.context->work().idle());
    EXPECT_THAT(submissions(), ElementsAre("SubmitCommand(0-64)"));
  });
  EXPECT_THAT(seen, ElementsAre("patch at IRQL 0", "submit at IRQL 2"));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Rendering, OnlyWhatTheDriverNamesIsPagedIn) {
  driver.patch = [&](const DXGKARG_PATCH& args) {
    EXPECT_EQ(args.pAllocationList[0].SegmentId, 0u);
    EXPECT_EQ(args.pAllocationList[0].PhysicalAddress.QuadPart, 0);
    EXPECT_EQ(args.pAllocationList[1].SegmentId, 2u);
    return STATUS_SUCCESS;
  };
  run_scene(2, [&](Scene& scene) {
    auto patches = patch_each(1);
    patches[0].AllocationIndex = 1;
    EXPECT_EQ(render(*scene.context, scene.made.allocations, patches), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(driver.calls(Ddi::Patch), 1u);
  });
}

// Paging goes the same way, before what needs it: with nothing to patch, and for no context (documented).
TEST_F(Rendering, PagingBuffersArePatchedAndSubmitted) {
  driver.build_paging = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.pDmaBuffer) args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 16;
    return STATUS_SUCCESS;
  };
  std::vector<UINT> patches, submitted;
  driver.patch = [&](const DXGKARG_PATCH& args) {
    patches.push_back(args.Flags.Value);
    EXPECT_EQ(args.hContext == nullptr, args.Flags.Paging == 1);
    EXPECT_EQ(args.AllocationListSize + args.PatchLocationListSize, args.Flags.Paging ? 0u : 2u);
    EXPECT_EQ(args.pAllocationList == nullptr && args.pPatchLocationList == nullptr, args.Flags.Paging == 1);
    return STATUS_SUCCESS;
  };
  auto submit = driver.submit;
  driver.submit = [&](const DXGKARG_SUBMITCOMMAND& args) {
    submitted.push_back(args.Flags.Value);
    EXPECT_EQ(args.hContext == nullptr, args.Flags.Paging == 1);
    return submit(args);
  };
  run_scene(1, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(submissions(), ElementsAre("SubmitCommand(0-16)", "SubmitCommand(0-32)")) << "filled with zero first";
    EXPECT_THAT(submitted, ElementsAre(1u, 0u));
    EXPECT_EQ(patches, submitted);
  });
}

TEST_F(Rendering, AnAllocationThatIsThereIsShownToRender) {
  std::vector<UINT> segments;
  driver.render = [&](DXGKARG_RENDER& args) {
    segments.push_back(args.pAllocationList[0].SegmentId);
    *args.pPatchLocationListOut = *args.pPatchLocationListIn;
    ++args.pPatchLocationListOut;
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 32;
    return STATUS_SUCCESS;
  };
  run_scene(1, [&](Scene& scene) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_SUCCESS);
      settle();
    }
  });
  EXPECT_THAT(segments, ElementsAre(0u, 2u));
}

TEST_F(Rendering, PrivateDataStayAsTheDriverLeftThem) {
  std::vector<int> first;
  driver.render = [&](DXGKARG_RENDER& args) {
    auto* data = static_cast<uint8_t*>(args.pDmaBufferPrivateData);
    first.push_back(data[63]);
    data[63] = 7;
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 8;
    return STATUS_SUCCESS;
  };
  run_scene(0, [&](Scene& scene) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(render(*scene.context, {}), STATUS_SUCCESS);
      settle();
    }
  });
  EXPECT_THAT(first, ElementsAre(0, 7));
}

TEST_F(Rendering, NullRenderingIsToldToBoth) {
  UINT patch_flags = 0, submit_flags = 0;
  driver.patch = [&](const DXGKARG_PATCH& args) {
    patch_flags = args.Flags.Value;
    return STATUS_SUCCESS;
  };
  auto submit = driver.submit;
  driver.submit = [&](const DXGKARG_SUBMITCOMMAND& args) {
    submit_flags = args.Flags.Value;
    return submit(args);
  };
  run_scene(1, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations, true), STATUS_SUCCESS);
    settle();
  });
  EXPECT_EQ(patch_flags, 8u);
  EXPECT_EQ(submit_flags, 8u);
}

TEST_F(Rendering, AsManyBuffersAsTheDriverNeeds) {
  std::vector<UINT> offsets;
  driver.render = [&](DXGKARG_RENDER& args) {
    offsets.push_back(args.MultipassOffset);
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 16;
    args.MultipassOffset += 10;
    return offsets.size() < 3 ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
  };
  run_scene(0, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, {}), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(submissions(), ElementsAre("SubmitCommand(0-16)", "SubmitCommand(0-16)", "SubmitCommand(0-16)"));
  });
  EXPECT_THAT(offsets, ElementsAre(0u, 10u, 20u));
}

TEST_F(Rendering, ARefusalInTheMiddleQueuesNothing) {
  driver.render = [&](DXGKARG_RENDER& args) {
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 16;
    args.MultipassOffset = 1;
    return driver.calls(Ddi::Render) < 2 ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_ILLEGAL_INSTRUCTION;
  };
  run_scene(1, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_ILLEGAL_INSTRUCTION);
    settle();
    EXPECT_TRUE(scene.context->work().idle());
    EXPECT_THAT(submissions(), IsEmpty());
    EXPECT_EQ(scene.client.device->state(), Device::State::Active);
  });
}

TEST_F(Rendering, AnExceptionOfTheGpuLosesTheDevice) {
  driver.fail(Ddi::Render, STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  run_scene(1, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
    EXPECT_EQ(scene.client.device->state(), Device::State::Error);
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_DEVICE_REMOVED);
  });
}

// --- What a driver may not do ---

struct Misdeed {
  const char* name;
  std::string finding;
  std::function<NTSTATUS(DXGKARG_RENDER&)> render;
};
void PrintTo(const Misdeed& misdeed, std::ostream* out) { *out << misdeed.name; }

uint8_t* bytes(void* at) { return static_cast<uint8_t*>(at); }

// One location for allocation 0, at the end of 32 bytes, and as `change` wants it.
template <typename Change>
auto patched(Change change) {
  return [change](DXGKARG_RENDER& args) {
    D3DDDI_PATCHLOCATIONLIST* list = args.pPatchLocationListOut;
    list[0] = list[1] = {};
    list[0].PatchOffset = 8;
    list[1].PatchOffset = 24;
    change(list);
    args.pPatchLocationListOut += 2;
    args.pDmaBuffer = bytes(args.pDmaBuffer) + 32;
    return STATUS_SUCCESS;
  };
}

class Misdeeds : public Rendering, public ::testing::WithParamInterface<Misdeed> {};

TEST_P(Misdeeds, AreFoundAndNothingIsQueued) {
  observer.then = nt::Then::GoOn;
  driver.render = GetParam().render;
  run_scene(1, [&](Scene& scene) {
    EXPECT_LT(render(*scene.context, scene.made.allocations), 0);
    settle();
    EXPECT_THAT(submissions(), IsEmpty());
    EXPECT_TRUE(scene.context->work().idle());
    EXPECT_THAT(broken(), ElementsAre(GetParam().finding));
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, Misdeeds,
    ::testing::Values(
        Misdeed{"Beyond", "RenderBufferOverrun",
                [](DXGKARG_RENDER& args) {
                  args.pDmaBuffer = bytes(args.pDmaBuffer) + args.DmaSize + 1;
                  return STATUS_SUCCESS;
                }},
        Misdeed{"Backwards", "RenderBufferOverrun",
                [](DXGKARG_RENDER& args) {
                  args.pDmaBuffer = bytes(args.pDmaBuffer) - 1;
                  return STATUS_SUCCESS;
                }},
        Misdeed{"TooManyLocations", "RenderPatchListOverrun",
                [](DXGKARG_RENDER& args) {
                  args.pPatchLocationListOut += args.PatchLocationListOutSize + 1;
                  return STATUS_SUCCESS;
                }},
        Misdeed{"HalfALocation", "RenderPatchListOverrun",
                [](DXGKARG_RENDER& args) {
                  args.pPatchLocationListOut =
                      reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(bytes(args.pPatchLocationListOut) + 4);
                  return STATUS_SUCCESS;
                }},
        Misdeed{"NoProgress", "RenderNoProgress",
                [](DXGKARG_RENDER&) { return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; }},
        Misdeed{"NoEnd", "RenderNoProgress",
                [](DXGKARG_RENDER& args) {
                  ++args.MultipassOffset;
                  return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
                }},
        Misdeed{"NoSuchAllocation", "PatchIndexWrong", patched([](auto* list) { list[1].AllocationIndex = 1; })},
        Misdeed{"BehindTheCommands", "PatchOffsetWrong", patched([](auto* list) { list[1].PatchOffset = 32; })},
        Misdeed{"NoSuchSlot", "PatchSlotWrong", patched([](auto* list) { list[1].SlotId = 1; })},
        Misdeed{"SplitsGoBackwards", "PatchSplitWrong", patched([](auto* list) { list[0].SplitOffset = 8; })}),
    [](const auto& about) { return std::string(about.param.name); });

TEST_F(Rendering, WhatTheDriverLeavesOutIsAFinding) {
  observer.then = nt::Then::GoOn;
  driver.render = [&](DXGKARG_RENDER& args) {
    args.pDmaBuffer = bytes(args.pDmaBuffer) + 32;
    return STATUS_SUCCESS;
  };
  run_scene(1, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_SUCCESS);
    EXPECT_THAT(broken(), ElementsAre("PatchReferenceMissing"));
    settle();
  });
}

// US-09. The run ends where it stands, with all that it has: in a process of its own, which goes with it.
TEST_F(Rendering, PatchAndSubmitMustNotFail) {
  observer.then = nt::Then::GoOn;
  for (Ddi ddi : {Ddi::Patch, Ddi::SubmitCommand}) {
    auto run_and_leave = [&, failing = ddi] {
      driver.fail(failing, STATUS_NO_MEMORY);
      nt::Machine::Ended ended = run_started([&](Adapter& adapter) {
        Client client = open(adapter);
        Made made = create(client, flags(false), 1);
        base::Ref<Context> context = make_context(client);
        static_cast<void>(render(*context, made.allocations));
        settle();
      });
      std::fputs(observer.violations.empty() ? "nothing was found" : observer.violations.back().sentence.c_str(),
                 stderr);
      _exit(ended == nt::Machine::Ended::Stopped ? 0 : 1);
    };
    EXPECT_EXIT(run_and_leave(), ::testing::ExitedWithCode(0), HasSubstr(std::string(row(ddi).name) + " returned"));
  }
}

// --- Memory ---

TEST_F(Rendering, WhatDoesNotFitTogetherIsSplit) {
  shrink_memory(2);
  run_scene(5, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_SUCCESS);
    settle();
    EXPECT_THAT(submissions(), ElementsAre("SubmitCommand(0-64)", "SubmitCommand(64-128)", "SubmitCommand(128-160)"));
    EXPECT_TRUE(scene.context->work().idle());
  });
}

TEST_F(Rendering, APacketWaitsForTheMemoryOfAnother) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  shrink_memory(2);
  completes_at_once = false;
  run_scene(4, [&](Scene& scene) {
    base::Ref<Context> other = make_context(scene.client);
    const auto& all = scene.made.allocations;
    EXPECT_EQ(render(*scene.context, {all[0], all[1]}), STATUS_SUCCESS);
    EXPECT_EQ(render(*other, {all[2], all[3]}), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(driver.calls(Ddi::SubmitCommand), 1u) << "no room beside the first";
    complete();
    EXPECT_EQ(driver.calls(Ddi::SubmitCommand), 2u);
    complete();
    EXPECT_TRUE(scene.context->work().idle() && other->work().idle());
  });
}

TEST_F(Rendering, WhatNeverFitsLosesItsDevice) {
  shrink_memory(2);
  run_scene(3, [&](Scene& scene) {
    auto patches = patch_each(3);
    for (auto& entry : patches) entry.SplitOffset = 0;  // no place to cut
    EXPECT_EQ(render(*scene.context, scene.made.allocations, patches), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(scene.client.device->state(), Device::State::Error);
    EXPECT_THAT(submissions(), IsEmpty());
    EXPECT_TRUE(scene.context->work().idle());
  });
}

TEST_F(Rendering, AnAllocationInFlightIsDestroyedAfterwards) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  completes_at_once = false;
  run_scene(1, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(destroy(scene.client, scene.made), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 0u);
    complete();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
  });
}

// The client's promise is wrong, and the driver's object stays nevertheless for as long as a packet names it.
TEST_F(Rendering, APromiseDoesNotTakeMemoryFromAPacket) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  observer.then = nt::Then::GoOn;
  completes_at_once = false;
  run_scene(1, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, scene.made.allocations), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(destroy(scene.client, scene.made, {.assume_not_in_use = true}), STATUS_SUCCESS);
    EXPECT_THAT(broken(), IsEmpty()) << "the client may know from its fence what nobody has told the kernel yet";
    settle();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 0u);
    complete();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
  });
}

// Several contexts that need more memory than there is: all of their packets complete, in whatever order they wait for
// each other.
TEST_F(Rendering, RandomPacketsInLittleMemory) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  shrink_memory(3);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    options.seed = seed;
    options.policy = nt::policy_for_seed(seed);
    base::Rng rng(seed);
    run_scene(6, [&](Scene& scene) {
      base::Ref<Context> others[] = {make_context(scene.client), make_context(scene.client)};
      for (int i = 0; i < 30; ++i) {
        completes_at_once = rng.chance(1, 2);
        std::vector<D3DKMT_HANDLE> used;
        for (uint64_t count = rng.below(6); used.size() < count;) used.push_back(scene.made.allocations[rng.below(6)]);
        uint64_t which = rng.below(3);
        EXPECT_EQ(render(which == 2 ? *scene.context : *others[which], used), STATUS_SUCCESS);
        if (rng.chance(1, 3)) complete();
      }
      completes_at_once = true;
      complete();
      EXPECT_TRUE(scene.context->work().idle() && others[0]->work().idle() && others[1]->work().idle());
      EXPECT_EQ(scene.client.device->state(), Device::State::Active);
    });
    EXPECT_THAT(broken(), IsEmpty());
  }
}

// --- Clients ---

// US-01
TEST_F(Rendering, HandlesOfNothingOrOfOthersAreRefused) {
  run_scene(1, [&](Scene& scene) {
    auto second = Device::create(scene.client.process->on(scene.client.device->adapter()).take());
    ASSERT_TRUE(second.ok());
    Client other{scene.client.process, second.value().ref()};
    auto reservation = scene.client.process->handles().reserve();
    reservation.take().publish(second.take());
    Made theirs = create(other, flags(false), 1);

    D3DKMT_HANDLE ours = scene.made.allocations[0];
    EXPECT_EQ(render(*scene.context, {ours, 0x1EADBEED}), STATUS_INVALID_HANDLE);
    EXPECT_EQ(render(*scene.context, {scene.client.device->handle}), STATUS_INVALID_HANDLE) << "no allocation";
    EXPECT_EQ(render(*scene.context, {ours, theirs.allocations[0]}), STATUS_INVALID_HANDLE) << "of another device";
    EXPECT_EQ(destroy(scene.client, scene.made), STATUS_SUCCESS);
    EXPECT_EQ(render(*scene.context, {ours}), STATUS_INVALID_HANDLE) << "destroyed";
    EXPECT_EQ(driver.calls(Ddi::Render), 0u);
  });
}

TEST_F(Rendering, ANullElementUnbinds) {
  driver.patch = [&](const DXGKARG_PATCH& args) {
    EXPECT_EQ(args.pAllocationList[0].hDeviceSpecificAllocation, nullptr);
    EXPECT_EQ(args.pAllocationList[0].SegmentId, 0u);
    EXPECT_EQ(args.pAllocationList[1].SegmentId, 2u);
    return STATUS_SUCCESS;
  };
  run_scene(1, [&](Scene& scene) {
    EXPECT_EQ(render(*scene.context, {0, scene.made.allocations[0]}), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(driver.calls(Ddi::SubmitCommand), 1u);
  });
}

TEST_F(Rendering, DmaBuffersInAMemorySegmentAreRefused) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    driver.context_info.DmaBufferSegmentSet = 2;  // not of the system's own context, with which it would not start
    auto context = Context::create(*client.device, {}, {});
    ASSERT_TRUE(context.ok());
    EXPECT_EQ(context.value()->make_command_buffers().status(), STATUS_INVALID_PARAMETER);
    EXPECT_THAT(broken(), ElementsAre("ContextSegmentsWrong"));
    { auto closed = context.take(); }
    client.process->end();
  });
}

}  // namespace
}  // namespace dxgk
