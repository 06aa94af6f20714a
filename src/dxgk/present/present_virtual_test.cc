// Presents at GPU virtual addresses: where the driver is told that things are, and how long they stay there.
#include <gmock/gmock.h>

#include "base/sanitizer.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/present/present.h"
#include "dxgk/testing/gpu_fixture.h"
#include "dxgk/testing/present_fixture.h"
#include "dxgk/work/device_queue.h"

namespace dxgk {
namespace {

using testing::blt;
using testing::color_fill;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Made;
using ::testing::SizeIs;

class PresentingVirtually : public testing::SceneTest<testing::GpuTest> {
 protected:
  // What the driver was shown in one call.
  struct Shown {
    D3DGPU_VIRTUAL_ADDRESS source;
    D3DGPU_VIRTUAL_ADDRESS destination;
    D3DGPU_VIRTUAL_ADDRESS dma;
    void* private_data;
  };

  PresentingVirtually() {
    driver.context_info.DmaBufferSize = 5000;
    driver.context_info.DmaBufferPrivateDataSize = 64;
    driver.present = [this](DXGKARG_PRESENT& args) { return write(args); };
    driver.submit_virtual = [this](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      submitted.push_back(args);
      return STATUS_SUCCESS;
    };
  }
  void SetUp() override {
    if (base::kSanitizer == base::Sanitizer::Thread) {
      GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
    }
  }

  NTSTATUS write(DXGKARG_PRESENT& args) {
    EXPECT_EQ(args.DmaSize, 5000u);
    EXPECT_EQ(args.PatchLocationListOutSize, 0u);
    shown.push_back({args.pAllocationInfo[DXGK_PRESENT_SOURCE_INDEX].AllocationVirtualAddress,
                     args.pAllocationInfo[DXGK_PRESENT_DESTINATION_INDEX].AllocationVirtualAddress,
                     args.DmaBufferGpuVirtualAddress, args.pDmaBufferPrivateData});
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 48;
    return STATUS_SUCCESS;
  }
  // How often the allocations are on the list of what is resident.
  static std::vector<uint32_t> listed(Scene& scene) {
    VideoMemory& memory = scene.context->adapter().memory();
    base::Guard guard(memory.lock());
    std::vector<uint32_t> counts;
    for (D3DKMT_HANDLE handle : scene.made.allocations) {
      auto view = scene.client.process->handles().get<AllocationView>(handle).take();
      counts.push_back(scene.client.device->queue().residency.count(memory.block_of(view->allocation()).block));
    }
    return counts;
  }

  std::vector<Shown> shown;
  std::vector<DXGKARG_SUBMITCOMMANDVIRTUAL> submitted;
};

TEST_F(PresentingVirtually, EverythingHasAnAddressOfTheProcess) {
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    wait_for_submissions(1);
    ASSERT_THAT(shown, SizeIs(1));
    EXPECT_NE(shown[0].source, 0u);
    EXPECT_NE(shown[0].destination, 0u);
    EXPECT_NE(shown[0].source, shown[0].destination);
    EXPECT_NE(shown[0].dma, 0u);
    ASSERT_THAT(submitted, SizeIs(1));
    EXPECT_EQ(submitted[0].DmaBufferVirtualAddress, shown[0].dma);
    EXPECT_EQ(submitted[0].DmaBufferSize, 48u);
    EXPECT_EQ(submitted[0].pDmaBufferPrivateData, shown[0].private_data);
    EXPECT_EQ(submitted[0].DmaBufferPrivateDataSize, 64u);
    EXPECT_EQ(submitted[0].DmaBufferUmdPrivateDataSize, 0u);
    EXPECT_EQ(submitted[0].Flags.Value, 2u);
    complete(submitted[0].SubmissionFenceId);
    EXPECT_TRUE(scene.context->work().idle());
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PresentingVirtually, WhatIsPresentedIsResidentUntilItIsDone) {
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    EXPECT_THAT(listed(scene), ElementsAre(1u, 1u));
    EXPECT_EQ(testing::present(*scene.context, color_fill(scene.made.allocations[1], 1)), STATUS_SUCCESS);
    EXPECT_THAT(listed(scene), ElementsAre(1u, 2u));
    wait_for_submissions(2);
    complete(submitted[0].SubmissionFenceId);
    EXPECT_THAT(listed(scene), ElementsAre(0u, 1u));
    complete(submitted[1].SubmissionFenceId);
    EXPECT_THAT(listed(scene), ElementsAre(0u, 0u));
    EXPECT_EQ(shown[1].source, 0u);
  });
}

TEST_F(PresentingVirtually, AddressesAndBuffersAreUsedAgain) {
  run_scene([&](Scene& scene) {
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(copy(scene), STATUS_SUCCESS);
      wait_for_submissions(i + 1);
      complete(submitted[i].SubmissionFenceId);
      EXPECT_EQ(shown[i].source, shown[0].source);
      EXPECT_EQ(shown[i].destination, shown[0].destination);
      EXPECT_EQ(shown[i].dma, shown[0].dma);
    }
  });
}

TEST_F(PresentingVirtually, AsManyBuffersAsTheDriverNeeds) {
  driver.present = [this](DXGKARG_PRESENT& args) {
    EXPECT_EQ(args.MultipassOffset, shown.size());
    ++args.MultipassOffset;
    NTSTATUS status = write(args);
    return shown.size() < 3 ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : status;
  };
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    EXPECT_THAT(listed(scene), ElementsAre(1u, 1u)) << "once for all of them";
    for (size_t i = 0; i < 3; ++i) {
      wait_for_submissions(i + 1);
      complete(submitted[i].SubmissionFenceId);
      EXPECT_EQ(submitted[i].DmaBufferVirtualAddress, shown[i].dma);
    }
    EXPECT_THAT(listed(scene), ElementsAre(0u, 0u));
    EXPECT_NE(shown[0].dma, shown[1].dma);
    EXPECT_TRUE(scene.context->work().idle());
  });
}

TEST_F(PresentingVirtually, ARefusalLeavesNothingBehind) {
  driver.present = [](DXGKARG_PRESENT&) { return STATUS_GRAPHICS_CANNOTCOLORCONVERT; };
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
    EXPECT_THAT(listed(scene), ElementsAre(0u, 0u));
    EXPECT_TRUE(scene.context->work().idle());
  });
}

TEST_F(PresentingVirtually, WhatIsPresentedIsDestroyedAfterwards) {
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    wait_for_submissions(1);
    EXPECT_EQ(ClientTest::destroy(scene.client, scene.made), STATUS_SUCCESS);
    settle();
    EXPECT_EQ(driver.calls(Ddi::CloseAllocation), 0u);
    complete(submitted[0].SubmissionFenceId);
    settle();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
  });
}

// The client's promise is wrong: the driver's object stays all the same, and nothing is evicted twice.
TEST_F(PresentingVirtually, APromiseDoesNotTakeTheAllocationFromAPacket) {
  observer.then = nt::Then::GoOn;
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    wait_for_submissions(1);
    EXPECT_EQ(ClientTest::destroy(scene.client, scene.made, {.assume_not_in_use = true}), STATUS_SUCCESS);
    EXPECT_THAT(broken(), IsEmpty()) << "the client may know from its fence what nobody has told the kernel yet";
    settle();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 0u);
    complete(submitted[0].SubmissionFenceId);
    settle();
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
  });
}

TEST_F(PresentingVirtually, TheBuffersGoWithTheirContext) {
  run_scene([&](Scene& scene) {
    VideoMemory& memory = scene.context->adapter().memory();
    ProcessAdapter& process = scene.client.device->process_adapter();
    auto reserved = [&](uint64_t address) {
      base::Guard guard(memory.lock());
      return memory.address_space(process)->find_reservation(address) != nullptr;
    };
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    wait_for_submissions(1);
    EXPECT_TRUE(reserved(shown[0].dma));
    complete(submitted[0].SubmissionFenceId);
    GpuTest::destroy(scene.client, *scene.context);
    EXPECT_FALSE(reserved(shown[0].dma));
  });
}

TEST_F(PresentingVirtually, AnAddressThatTheClientHasFreedIsReplaced) {
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    wait_for_submissions(1);
    complete(submitted[0].SubmissionFenceId);
    VideoMemory& memory = scene.context->adapter().memory();
    ProcessAdapter& process = scene.client.device->process_adapter();
    ASSERT_TRUE(memory.free(process, shown[0].source, 4096).ok());
    EXPECT_EQ(copy(scene), STATUS_SUCCESS);
    {
      base::Guard guard(memory.lock());
      EXPECT_NE(memory.address_space(process)->find(shown[1].source), nullptr);
    }
    wait_for_submissions(2);
    complete(submitted[1].SubmissionFenceId);
  });
}

TEST_F(PresentingVirtually, WhatDoesNotFitIsRefused) {
  driver.segments[1].Size = driver.segments[1].CommitLimit = 4096;
  driver.describe = [](DXGK_ALLOCATIONINFO& info, UINT) {
    info.Flags.CpuVisible = 0;
    info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = 2;
    info.PreferredSegment.SegmentId0 = 2;
  };
  run_scene([&](Scene& scene) {
    EXPECT_EQ(copy(scene), STATUS_NO_MEMORY);
    EXPECT_THAT(shown, IsEmpty());
    EXPECT_THAT(listed(scene), ElementsAre(0u, 0u));
  });
}

}  // namespace
}  // namespace dxgk
