#include "dxgk/work/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sanitizer.h"
#include "dxgk/sync/queue_sync.h"
#include "dxgk/testing/gpu_fixture.h"

namespace dxgk {
namespace {

using ::testing::Each;
using testing::GpuTest;
using ::testing::IsEmpty;
using testing::Made;

class GpuOfAnAdapter : public GpuTest {
 protected:
  ob::UnpublishedObject<SyncObject> make_fence(const Client& client) {
    SyncObject::Info info{};
    info.Type = D3DDDI_MONITORED_FENCE;
    return SyncObject::create(*client.device, info).take();
  }
};

TEST_F(GpuOfAnAdapter, FencesCountFromOneAndPassInOrder) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(2);  // as many as the hardware holds
    EXPECT_EQ(context->work().completed(), 0u);
    complete(1);
    wait_for_submissions(3);
    EXPECT_EQ(context->work().completed(), 1u);
    complete(3);
    EXPECT_EQ(context->work().completed(), 3u);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(GpuOfAnAdapter, ARootIsToldBeforeTheFirstPacketOfAContext) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    auto fence = make_fence(client);
    ASSERT_TRUE(gpu_address_of(*client.device, *fence).ok());  // gives the process its page tables
    base::Ref<Context> context = make_context(client);
    driver.log.clear();
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(1);
    complete(1);
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(2);
    complete(2);
    auto root = std::find(driver.log.begin(), driver.log.end(), "SetRootPageTable");
    auto first = std::find(driver.log.begin(), driver.log.end(), "SubmitCommandVirtual(1)");
    EXPECT_LT(root, first);
    EXPECT_EQ(driver.calls(Ddi::SetRootPageTable), 2u);  // the paging process's, and this one
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// The three ways to write a client's tables; those of the paging process are always the CPU's.
TEST_F(GpuOfAnAdapter, TablesWrittenByGpuAddressLieInThePagingProcess) {
  driver.mmu.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
  std::vector<D3DGPU_VIRTUAL_ADDRESS> written;
  size_t by_cpu = 0;
  driver.build_paging = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) return STATUS_SUCCESS;
    if (args.UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
      by_cpu += args.UpdatePageTable.PageTableAddress.CpuVirtual != nullptr && !args.pDmaBuffer;
    } else {
      written.push_back(args.UpdatePageTable.PageTableAddress.GpuVirtual);
    }
    return STATUS_SUCCESS;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    auto fence = make_fence(client);
    ASSERT_TRUE(gpu_address_of(*client.device, *fence).ok());
    adapter.memory().wait_idle();
    client.process->end();
  });
  EXPECT_GT(by_cpu, 0u);
  EXPECT_GE(written.size(), driver.levels.size());
  EXPECT_THAT(written, Each(::testing::Ne(0u)));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(GpuOfAnAdapter, FencesThatCannotBeAreFindings) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    complete(1);  // nothing was submitted
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(1);
    complete(7);     // never given
    complete(1, 5);  // no such node
    EXPECT_EQ(context->work().completed(), 0u);
    complete(1);
    complete(1);  // a second time
    DXGKARGCB_NOTIFY_INTERRUPT_DATA unasked{};
    unasked.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    unasked.DmaPreempted.PreemptionFenceId = 2;
    unasked.DmaPreempted.LastCompletedFenceId = 1;
    notify(unasked);
    EXPECT_EQ(context->work().completed(), 1u);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_EQ(broken(), std::vector<std::string>(5, "FenceWrong"));
}

TEST_F(GpuOfAnAdapter, ARefusedSubmissionLosesOnlyItsDevice) {
  run_started([&](Adapter& adapter) {
    Client guilty = open(adapter, "guilty"), other = open(adapter, "other");
    base::Ref<Context> bad = make_context(guilty), good = make_context(other);
    driver.submit_virtual = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
      return args.hContext == bad->driver_context() ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
    };
    ASSERT_TRUE(submit(bad).ok());
    wait_for_submissions(1);
    adapter.gpu().wait([&] { return bad->work().idle(); });
    EXPECT_EQ(guilty.device->state(), Device::State::Error);
    EXPECT_EQ(submit(bad).status(), STATUS_DEVICE_REMOVED);
    ASSERT_TRUE(submit(good).ok());
    wait_for_submissions(2);
    complete(2);
    EXPECT_EQ(other.device->state(), Device::State::Active);
    EXPECT_TRUE(good->work().idle());
    destroy(guilty, *bad);
    destroy(other, *good);
    guilty.process->end();
    other.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(GpuOfAnAdapter, AnAllocationDestroyedInUseGoesWhenItsFenceHasPassed) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    Made made = create(client, flags(false), 1);
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(1);
    ASSERT_FALSE(destroy_allocations(*client.device, made.allocations, {}));
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 0u);
    complete(1);
    adapter.destructions().drain(*client.device);
    EXPECT_EQ(driver.calls(Ddi::DestroyAllocation), 1u);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(GpuOfAnAdapter, ASignalComesAfterTheWorkBeforeIt) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    auto fence = make_fence(client);
    FenceValue three{fence.ref(), 3};
    ASSERT_TRUE(submit(context).ok());
    {
      ParkingLock lock(client.device->mutex());
      ASSERT_TRUE(queue_signal({&context, 1}, {&three, 1}, vidsch::Rewind::Refused, {}).ok());
    }
    wait_for_submissions(1);
    EXPECT_EQ(fence->value(), 0u);
    complete(1);
    adapter.gpu().wait([&] { return context->work().idle(); });
    EXPECT_EQ(fence->value(), 3u);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(GpuOfAnAdapter, AWaitHoldsItsOwnContextOnly) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> waiting = make_context(client), free = make_context(client);
    auto fence = make_fence(client);
    FenceValue one{fence.ref(), 1};
    {
      ParkingLock lock(client.device->mutex());
      ASSERT_TRUE(queue_wait(*waiting, {&one, 1}).ok());
    }
    ASSERT_TRUE(submit(waiting).ok());
    ASSERT_TRUE(submit(free).ok());
    wait_for_submissions(1);
    complete(1);
    EXPECT_TRUE(free->work().idle());
    EXPECT_EQ(driver.calls(Ddi::SubmitCommandVirtual), 1u);
    ASSERT_TRUE(fence->signal(1, vidsch::Rewind::Refused).ok());
    wait_for_submissions(2);
    complete(2);
    EXPECT_TRUE(waiting->work().idle());
    destroy(client, *waiting);
    destroy(client, *free);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// The wait is never satisfied: the context is destroyed all the same, and what stood behind the wait is cancelled.
TEST_F(GpuOfAnAdapter, AContextThatWaitsForNothingCanBeDestroyed) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    auto fence = make_fence(client);
    FenceValue one{fence.ref(), 1};
    {
      ParkingLock lock(client.device->mutex());
      ASSERT_TRUE(queue_wait(*context, {&one, 1}).ok());
    }
    ASSERT_TRUE(submit(context).ok());
    destroy(client, *context);
    EXPECT_EQ(driver.calls(Ddi::SubmitCommandVirtual), 0u);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// The fake driver cannot reset an engine (it names no group, not even the engine itself), so the whole adapter is:
// every device is lost, and each says whether it was the one that hung.
TEST_F(GpuOfAnAdapter, AHungPacketCostsItsDevice) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter), innocent = open(adapter, "innocent");
    base::Ref<Context> context = make_context(client);
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(1);
    let_pass(20 * kSecond);
    EXPECT_EQ(client.device->state(), Device::State::Hung);
    EXPECT_EQ(innocent.device->state(), Device::State::Reset);
    EXPECT_TRUE(context->work().idle());
    destroy(client, *context);
    client.process->end();
    innocent.process->end();
  });
  EXPECT_THAT(broken(), Each("DependentsWithoutItself"));
}

// DisableGpuTimeout of a device, and of a context.
TEST_F(GpuOfAnAdapter, APacketThatMayRunLongCostsNothing) {
  run_started([&](Adapter& adapter) {
    D3DKMT_CREATEDEVICEFLAGS long_device{};
    long_device.DisableGpuTimeout = 1;
    Context::Request long_context{.virtual_addressing = true};
    long_context.flags.DisableGpuTimeout = 1;
    uint32_t fence = 0;
    auto run_for_long = [&](D3DKMT_CREATEDEVICEFLAGS flags, const Context::Request& request) {
      base::Ref<Process> process = kernel().create_process("patient");
      {
        ob::UnpublishedObject<Device> device = Device::create(process->on(adapter).take(), flags).take();
        ob::UnpublishedObject<Context> context = Context::create(*device, request, {}).take();
        ASSERT_TRUE(submit(context.ref()).ok());
        wait_for_submissions(++fence);
        let_pass(100 * kSecond);
        EXPECT_EQ(device->state(), Device::State::Active);
        complete(fence);
        EXPECT_TRUE(context->work().idle());
      }
      process->end();
    };
    run_for_long(long_device, {.virtual_addressing = true});
    run_for_long({}, long_context);
    EXPECT_EQ(driver.calls(Ddi::ResetFromTimeout), 0u);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(GpuOfAnAdapter, APriorityBelowNormalActs) {
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> low = make_context(client), normal = make_context(client);
    auto level = [&](int32_t priority, int32_t in_process) {
      low->priority = priority;
      low->in_process_priority = in_process;
      adapter.gpu().set_priority(*low);
      return low->queue().level();
    };
    const vidsch::Level normal_level = normal->queue().level();
    EXPECT_LT(level(-7, 0), normal_level);
    EXPECT_LT(level(0, -7), normal_level);
    EXPECT_EQ(level(-7, 7), normal_level);
    EXPECT_GT(level(7, 0), normal_level);
    EXPECT_LT(level(-1, 0), normal_level);
    destroy(client, *low);
    destroy(client, *normal);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace dxgk
