// Contexts keep their registers, wherever the memory manager puts them meanwhile.
#include "softgpu/driver_fixture.h"

namespace softgpu {
namespace {

class ContextImageTest : public DriverTest {
 protected:
  static constexpr uint64_t kOut = kFree;

  // A context on the copy engine whose image is where `place` says.
  using Place = std::function<void(DXGKARG_BUILDPAGINGBUFFER&)>;
  static HANDLE create(TestKernel& kernel, const Place& place) {
    HANDLE context = kernel.create_context(kCopy);
    DXGKARG_BUILDPAGINGBUFFER init = {};
    init.Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
    init.InitContextResource.hAllocation = image_of_last(kernel);
    place(init);
    kernel.page(init);
    return context;
  }
  static HANDLE image_of_last(TestKernel& kernel) { return kernel.context_allocations.back().args.hDriverAllocation; }
  static Place in_local_memory(int64_t address) {
    return [address](DXGKARG_BUILDPAGINGBUFFER& init) {
      init.InitContextResource.Destination.SegmentId = SOFTGPU_SEGMENT_LOCAL;
      init.InitContextResource.Destination.SegmentAddress.QuadPart = address;
    };
  }
  static Place in_system_memory(TestKernel& kernel, uint64_t offset) {
    return [&kernel, offset](DXGKARG_BUILDPAGINGBUFFER& init) {
      init.InitContextResource.Destination.pMdl = kernel.mdl(offset);
      init.InitContextResource.Destination.GpuVirtualAddress = kernel.gpu(offset);
    };
  }
  // Two contexts of whichever driver it is.
  static std::vector<HANDLE> create_two(TestKernel& kernel) {
    std::vector<HANDLE> contexts;
    for (uint64_t i = 0; i < 2; ++i) {
      contexts.push_back(create(kernel, kernel.is_virtual() ? in_system_memory(kernel, 0x10000 + i * 0x1000)
                                                            : in_local_memory(static_cast<int64_t>(0x10000 * i))));
    }
    return contexts;
  }

  // Adds to register 2 and returns what it is then.
  uint64_t add(TestKernel& kernel, HANDLE context, uint64_t value) {
    kernel.submit(context, ++fence_, [&](SOFTGPU_BUILDER& b) {
      softgpu_add_add_state(&b, 2, value);
      softgpu_add_store_state(&b, 2, kernel.gpu(kOut));
    });
    kernel.wait();
    return kernel.at(kOut);
  }
  void switch_to_nobody(TestKernel& kernel) {
    DXGK_SUBMITCOMMANDFLAGS flags = {};
    flags.ContextSwitch = 1;
    kernel.submit(nullptr, ++fence_, {}, flags);
    kernel.wait();
  }
  static DXGKARG_BUILDPAGINGBUFFER transfer(HANDLE allocation) {
    DXGKARG_BUILDPAGINGBUFFER args = {};
    args.Operation = DXGK_OPERATION_TRANSFER;
    args.Transfer.hAllocation = allocation;
    args.Transfer.TransferSize = SOFTGPU_PAGE_BYTES;
    args.Transfer.Flags.TransferStart = args.Transfer.Flags.TransferEnd = 1;
    return args;
  }
  static void move(TestKernel& kernel, HANDLE allocation, int64_t from, int64_t to) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer(allocation);
    args.Transfer.Source.SegmentId = args.Transfer.Destination.SegmentId = SOFTGPU_SEGMENT_LOCAL;
    args.Transfer.Source.SegmentAddress.QuadPart = from;
    args.Transfer.Destination.SegmentAddress.QuadPart = to;
    kernel.page(args);
  }
  static void evict(TestKernel& kernel, HANDLE allocation, int64_t from, uint64_t to) {
    DXGKARG_BUILDPAGINGBUFFER args = transfer(allocation);
    args.Transfer.Source.SegmentId = SOFTGPU_SEGMENT_LOCAL;
    args.Transfer.Source.SegmentAddress.QuadPart = from;
    args.Transfer.Destination.pMdl = kernel.mdl(to);
    kernel.page(args);
  }
  static void scribble(TestKernel& kernel, int64_t address) {
    DXGKARG_BUILDPAGINGBUFFER args = {};
    args.Operation = DXGK_OPERATION_FILL;
    args.Fill.FillSize = SOFTGPU_PAGE_BYTES;
    args.Fill.FillPattern = 0x5A5A5A5A;
    args.Fill.Destination.SegmentId = SOFTGPU_SEGMENT_LOCAL;
    args.Fill.Destination.SegmentAddress.QuadPart = address;
    kernel.page(args);
  }
  static void destroy(TestKernel& kernel, const std::vector<HANDLE>& contexts) {
    for (HANDLE context : contexts) kernel.destroy_context(context);
    for (const auto& allocation : kernel.context_allocations) EXPECT_FALSE(allocation.alive);
  }

  uint32_t fence_ = 1000;
};

TEST_F(ContextImageTest, IsAskedForWithTheKernelsOwnHandles) {
  on_each([](TestKernel& kernel) {
    EXPECT_TRUE(kernel.context_allocations.empty());  // the system's context has none
    HANDLE context = kernel.create_context(kRender);
    ASSERT_EQ(kernel.context_allocations.size(), 1u);
    const DXGKARGCB_CREATECONTEXTALLOCATION& args = kernel.context_allocations[0].args;
    EXPECT_EQ(args.hAdapter, &kernel);
    EXPECT_EQ(args.hDevice, reinterpret_cast<HANDLE>(0xD0));
    EXPECT_EQ(args.hContext, reinterpret_cast<HANDLE>(0xC0));
    EXPECT_NE(args.hDriverAllocation, nullptr);
    EXPECT_EQ(args.ContextAllocationFlags.MapGpuVirtualAddress, kernel.is_virtual());
    destroy(kernel, {context});
  });
}

TEST_F(ContextImageTest, ContextsKeepTheirRegistersApart) {
  on_each([this](TestKernel& kernel) {
    std::vector<HANDLE> contexts = create_two(kernel);
    for (uint64_t turn = 1; turn <= 3; ++turn) {
      EXPECT_EQ(add(kernel, contexts[0], 1), turn);
      EXPECT_EQ(add(kernel, contexts[1], 10), 10 * turn);
    }
    EXPECT_EQ(add(kernel, contexts[1], 0), 30u);
    destroy(kernel, contexts);
  });
}

TEST_F(ContextImageTest, PreemptionLosesNothing) {
  on_each([this](TestKernel& kernel) {
    std::vector<HANDLE> contexts = create_two(kernel);
    add(kernel, contexts[0], 1);
    auto long_work = [&](SOFTGPU_BUILDER& b) { softgpu_add_fill(&b, kernel.gpu(0x12000), 0xE000, 0); };
    kernel.submit(contexts[0], ++fence_, long_work);
    kernel.submit(contexts[1], ++fence_, [](SOFTGPU_BUILDER& b) { softgpu_add_add_state(&b, 2, 1000); });
    kernel.wait(1'500);
    kernel.preempt(kCopy, ++fence_);
    kernel.wait();
    EXPECT_EQ(add(kernel, contexts[1], 10), 10u);
    EXPECT_EQ(add(kernel, contexts[0], 1), 2u);
    destroy(kernel, contexts);
  });
}

// What a hung buffer did is lost; what came before it and what others have is not.
TEST_F(ContextImageTest, AResetLosesWhatWasNotSaved) {
  on_each([this](TestKernel& kernel) {
    std::vector<HANDLE> contexts = create_two(kernel);
    add(kernel, contexts[0], 1);
    add(kernel, contexts[1], 10);
    kernel.escape(SOFTGPU_ESCAPE_HANG_ENGINE, kCopy, SOFTGPU_PACKETS_BEFORE(kernel.is_virtual()) + 2);
    kernel.submit(contexts[1], ++fence_, [&](SOFTGPU_BUILDER& b) {
      softgpu_add_add_state(&b, 2, 1000);
      softgpu_add_add_state(&b, 2, 1000);
    });
    kernel.wait();
    uint32_t aborted = 0;
    EXPECT_EQ(kernel.reset_engine(kCopy, &aborted), STATUS_SUCCESS);
    EXPECT_EQ(aborted, fence_);
    EXPECT_EQ(add(kernel, contexts[0], 1), 2u);
    // Saved at the end of each submission, or not before another context runs.
    EXPECT_EQ(add(kernel, contexts[1], 0), kernel.is_virtual() ? 10u : 0u);
    destroy(kernel, contexts);
  });
}

TEST_F(ContextImageTest, IsFollowedThroughLocalMemory) {
  on_physical([this](TestKernel& kernel) {
    HANDLE context = create(kernel, in_local_memory(0));
    EXPECT_EQ(add(kernel, context, 5), 5u);
    switch_to_nobody(kernel);
    move(kernel, image_of_last(kernel), 0, 0x40000);
    scribble(kernel, 0);
    EXPECT_EQ(add(kernel, context, 5), 10u);
    destroy(kernel, {context});
  });
}

TEST_F(ContextImageTest, IsFollowedOutOfMemoryAndBack) {
  on_physical([this](TestKernel& kernel) {
    constexpr uint64_t kStore = 0x10000;
    HANDLE context = create(kernel, in_local_memory(0x1000));
    HANDLE image = image_of_last(kernel);
    add(kernel, context, 5);
    switch_to_nobody(kernel);
    evict(kernel, image, 0x1000, kStore);
    scribble(kernel, 0x1000);

    // Into the aperture, where it is what it was in system memory.
    DXGKARG_BUILDPAGINGBUFFER map = {};
    map.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    map.MapApertureSegment.hAllocation = image;
    map.MapApertureSegment.SegmentId = SOFTGPU_SEGMENT_APERTURE;
    map.MapApertureSegment.OffsetInPages = 3;
    map.MapApertureSegment.NumberOfPages = 1;
    map.MapApertureSegment.pMdl = kernel.mdl(kStore);
    kernel.page(map);
    EXPECT_EQ(add(kernel, context, 5), 10u);
    switch_to_nobody(kernel);
    EXPECT_EQ(kernel.at(kStore), SOFTGPU_CONTEXT_MAGIC);
    EXPECT_EQ(kernel.at(kStore + 8 + 2 * 8), 10u);
    destroy(kernel, {context});
  });
}

// After a reset of the adapter the memory manager says that the content is gone: there is nothing to restore.
TEST_F(ContextImageTest, ALostOneIsNotRestored) {
  on_physical([this](TestKernel& kernel) {
    HANDLE context = create(kernel, in_local_memory(0x1000));
    add(kernel, context, 5);
    kernel.reset_adapter();
    DXGKARG_BUILDPAGINGBUFFER lost = transfer(image_of_last(kernel));
    lost.Transfer.TransferSize = 0;
    lost.Transfer.Source.SegmentId = SOFTGPU_SEGMENT_LOCAL;
    kernel.page(lost);
    EXPECT_EQ(add(kernel, context, 7), 7u);
    destroy(kernel, {context});
  });
}

// The registers of a context that is gone are still in the engine, and its memory belongs to another one.
TEST_F(ContextImageTest, NothingIsSavedForAContextThatIsGone) {
  on_physical([this](TestKernel& kernel) {
    constexpr uint64_t kBack = 0x11000;
    HANDLE gone = create(kernel, in_local_memory(0x1000));
    add(kernel, gone, 5);
    kernel.destroy_context(gone);
    HANDLE next = create(kernel, in_local_memory(0x2000));
    EXPECT_EQ(add(kernel, next, 1), 1u);
    evict(kernel, nullptr, 0x1000, kBack);
    EXPECT_EQ(kernel.at(kBack), SOFTGPU_CONTEXT_MAGIC);
    EXPECT_EQ(kernel.at(kBack + 8 + 2 * 8), 0u);
    destroy(kernel, {next});
  });
}

TEST_F(ContextImageTest, TheCpuInitialisesWhatItSees) {
  on("softgpu_compute", [this](TestKernel& kernel) {
    constexpr uint64_t kImage = 0x10000;
    HANDLE context = create(kernel, [&](DXGKARG_BUILDPAGINGBUFFER& init) {
      init.InitContextResource.Destination.SegmentId = SOFTGPU_SEGMENT_APERTURE;
      init.InitContextResource.Destination.VirtualAddress = &kernel.at(kImage);
      init.InitContextResource.Destination.GpuVirtualAddress = kernel.gpu(kImage);
    });
    EXPECT_EQ(kernel.at(kImage), SOFTGPU_CONTEXT_MAGIC);
    EXPECT_EQ(add(kernel, context, 5), 5u);
    EXPECT_EQ(kernel.at(kImage + 8 + 2 * 8), 5u);
    const DXGKARGCB_CREATECONTEXTALLOCATION& args = kernel.context_allocations[0].args;
    EXPECT_EQ(args.SupportedSegmentSet, 1u << (SOFTGPU_SEGMENT_APERTURE - 1));
    EXPECT_TRUE(args.Flags.CpuVisible);
    EXPECT_TRUE(args.Flags.Protected);
    destroy(kernel, {context});
  });
}

TEST_F(ContextImageTest, IsUpdatedWhileNothingOfTheContextRuns) {
  on_virtual([this](TestKernel& kernel) {
    std::vector<HANDLE> contexts = create_two(kernel);
    add(kernel, contexts[0], 1);
    kernel.update_offset = 0x10000;
    EXPECT_EQ(kernel.escape(SOFTGPU_ESCAPE_SET_REGISTERS, kCopy, 70, contexts[0]), STATUS_SUCCESS);
    EXPECT_EQ(add(kernel, contexts[0], 7), 77u);
    EXPECT_EQ(add(kernel, contexts[1], 7), 7u);
    EXPECT_EQ(kernel.escape(SOFTGPU_ESCAPE_SET_REGISTERS, kCopy, 70), STATUS_INVALID_PARAMETER);
    destroy(kernel, contexts);
  });
}

TEST_F(ContextImageTest, WithoutOneThereIsNoContext) {
  on_each([](TestKernel& kernel) {
    kernel.context_allocation_status = STATUS_INSUFFICIENT_RESOURCES;
    EXPECT_EQ(kernel.create_context(kRender), nullptr);
  });
}

}  // namespace
}  // namespace softgpu
