// D3DKMTLock and what the GPU does: US-18, US-19, US-20.
#include <atomic>
#include <deque>

#include "base/sanitizer.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/object/device.h"
#include "dxgk/work/gpu.h"
#include "kmt/testing/lock_fixture.h"
#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"
#include "nt/ke/dpc_queues.h"

namespace kmt::testing {
namespace {

using dxgk::Ddi;
using dxgk::testing::Model;

D3DDDICB_LOCKFLAGS operator|(D3DDDICB_LOCKFLAGS a, D3DDDICB_LOCKFLAGS b) {
  a.Value |= b.Value;
  return a;
}
constexpr D3DDDICB_LOCKFLAGS flag(UINT value) {
  D3DDDICB_LOCKFLAGS flags{};
  flags.Value = value;
  return flags;
}
constexpr D3DDDICB_LOCKFLAGS kPlain = flag(0), kReadOnly = flag(0x1), kDonotWait = flag(0x4), kIgnoreSync = flag(0x8),
                             kDiscard = flag(0x80), kNoExistingReference = flag(0x100), kIgnoreReadSync = flag(0x400);

// Commands are patched, and stay in the GPU until the test says that one is done.
class LockSyncTest : public LockTest {
 protected:
  static constexpr uint32_t kVector = 0x41;
  static constexpr UINT kAperture = 1, kLocal = 2;

  void SetUp() override {
    if (base::kSanitizer == base::Sanitizer::Thread) {
      GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
    }
  }

  LockSyncTest() : LockTest(Model::Wddm13) {
    hardware.line = nt::InterruptLine{kVector, 6};
    driver.paging_segment = 0;
    driver.context_info.DmaBufferSize = 4096;
    driver.context_info.AllocationListSize = 16;
    driver.context_info.PatchLocationListSize = 32;
    driver.describe = [this](DXGK_ALLOCATIONINFO& info, UINT) {
      info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = segments;
      info.PreferredSegment.SegmentId0 = segments & kLocal ? 2 : 1;
    };
    driver.submit = [this](const DXGKARG_SUBMITCOMMAND& args) {
      (args.Flags.Paging ? paging_ : rendering_).push_back(args.SubmissionFenceId);
      if (args.Flags.Paging) machine().interrupts().raise(kVector);
      return STATUS_SUCCESS;
    };
    driver.at[Ddi::InterruptRoutine] = [this] {
      for (UINT fence : paging_) notify_completed(fence);
      paging_.clear();
      if (std::exchange(one_is_done_, false)) {
        notify_completed(rendering_.front());
        rendering_.pop_front();
      }
      driver.interface.DxgkCbQueueDpc(driver.device_handle());
    };
    driver.at[Ddi::DpcRoutine] = [this] { driver.interface.DxgkCbNotifyDpc(driver.device_handle()); };
  }

  // `body` with a context and an allocation. What it leaves in the GPU comes back afterwards.
  void run_context(const std::function<void(Program&)>& body) {
    run_program([&](Program& program) {
      prepare(program);
      body(program);
      while (!rendering_.empty()) complete_one();
    });
  }
  void prepare(Program& program) {
    context_ = {};
    context_.hDevice = program.device;
    ASSERT_EQ(CreateContext(program.client, &context_), STATUS_SUCCESS);
    allocation = make(program);
  }
  // Commands that write the allocation, or only read it. They are in the GPU when this returns, if nothing is in front.
  void render(Program& program, bool writes = true) {
    context_.pAllocationList[0] = {};
    context_.pAllocationList[0].hAllocation = allocation;
    context_.pAllocationList[0].WriteOperation = writes;
    context_.pPatchLocationList[0] = {};
    context_.pPatchLocationList[0].PatchOffset = 8;
    D3DKMT_RENDER args{};
    args.hContext = context_.hContext;
    args.CommandLength = 64;
    args.AllocationCount = args.PatchLocationCount = 1;
    ASSERT_EQ(Render(program.client, &args), STATUS_SUCCESS);
    context_.pCommandBuffer = args.pNewCommandBuffer;
    context_.pAllocationList = args.pNewAllocationList;
    context_.pPatchLocationList = args.pNewPatchLocationList;
    settle();
  }
  // The first of what is in the GPU is done.
  void complete_one() {
    ASSERT_FALSE(rendering_.empty());
    one_is_done_ = true;
    machine().interrupts().raise(kVector);
    machine().deliver();
    machine().dpcs().flush();
    settle();
  }
  // Lets the kernel's threads, and those of the test, go as far as they can.
  void settle() { machine().executor().sleep_for(1'000'000); }

  // What it answers. It is unlocked again.
  NTSTATUS try_lock(Program& program, D3DDDICB_LOCKFLAGS flags = kPlain) {
    D3DKMT_LOCK args = entire(program, allocation);
    args.Flags.Value |= flags.Value;
    NTSTATUS status = Lock(program.client, &args);
    if (status != STATUS_SUCCESS) return status;
    return unlock(program, {allocation});
  }
  struct Blocked {
    std::atomic<NTSTATUS> status{STATUS_PENDING};
  };
  // The same by another thread, which has come as far as it can when this returns.
  Blocked& lock_aside(Program& program, D3DDDICB_LOCKFLAGS flags = kPlain) {
    Blocked& blocked = blocked_.emplace_back();
    machine().create_thread("locker", [this, &blocked, &program, flags] { blocked.status = try_lock(program, flags); });
    settle();
    return blocked;
  }
  // It does not come back before what is in the GPU does.
  void expect_waits(Program& program, D3DDDICB_LOCKFLAGS flags) {
    Blocked& locker = lock_aside(program, flags);
    EXPECT_EQ(locker.status, STATUS_PENDING) << std::hex << flags.Value;
    complete_one();
    EXPECT_EQ(locker.status, STATUS_SUCCESS) << std::hex << flags.Value;
  }

  UINT segments = kAperture;
  D3DKMT_HANDLE allocation = 0;

 private:
  void notify_completed(UINT fence) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA completed{};
    completed.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    completed.DmaCompleted.SubmissionFenceId = fence;
    driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &completed);
  }

  D3DKMT_CREATECONTEXT context_{};
  std::deque<UINT> rendering_, paging_;  // fences in the GPU
  bool one_is_done_ = false;
  std::deque<Blocked> blocked_;  // until every thread has ended
};

TEST_F(LockSyncTest, WhatIsIdleIsLockedAtOnce) {
  run_context([&](Program& program) {
    EXPECT_EQ(try_lock(program, kDonotWait), STATUS_SUCCESS);
    render(program);
    complete_one();
    for (D3DDDICB_LOCKFLAGS flags : {kPlain, kReadOnly, kDonotWait, kIgnoreSync | kDonotWait}) {
      EXPECT_EQ(try_lock(program, flags), STATUS_SUCCESS) << std::hex << flags.Value;
    }
  });
}

TEST_F(LockSyncTest, WaitsUntilTheGpuIsDone) {
  run_context([&](Program& program) {
    for (UINT where : {kAperture, kLocal | kAperture}) {
      segments = where;
      allocation = make(program);
      render(program);
      expect_waits(program, kPlain);
    }
  });
}

TEST_F(LockSyncTest, DonotWaitIsToldThatItIsBusy) {
  run_context([&](Program& program) {
    render(program);
    EXPECT_EQ(try_lock(program, kDonotWait), STATUS_GRAPHICS_ALLOCATION_BUSY);
    complete_one();
    EXPECT_EQ(try_lock(program, kDonotWait), STATUS_SUCCESS);
  });
}

TEST_F(LockSyncTest, OnlyWhatWasQueuedBeforeIsWaitedFor) {
  run_context([&](Program& program) {
    render(program);
    render(program);
    Blocked& locker = lock_aside(program);
    render(program);
    complete_one();
    EXPECT_EQ(locker.status, STATUS_PENDING);
    complete_one();
    EXPECT_EQ(locker.status, STATUS_SUCCESS);
    EXPECT_EQ(try_lock(program, kDonotWait), STATUS_GRAPHICS_ALLOCATION_BUSY) << "the third is still there";
  });
}

TEST_F(LockSyncTest, OtherAllocationsAreNotInTheWay) {
  run_context([&](Program& program) {
    render(program);
    allocation = make(program);
    EXPECT_EQ(try_lock(program, kDonotWait), STATUS_SUCCESS);
  });
}

TEST_F(LockSyncTest, ReadersShare) {
  run_context([&](Program& program) {
    render(program, false);
    EXPECT_EQ(try_lock(program, kReadOnly), STATUS_SUCCESS);
    EXPECT_EQ(try_lock(program, kIgnoreReadSync | kDonotWait), STATUS_SUCCESS);
    EXPECT_EQ(try_lock(program, kDonotWait), STATUS_GRAPHICS_ALLOCATION_BUSY);
    complete_one();
    render(program, true);
    EXPECT_EQ(try_lock(program, kReadOnly | kDonotWait), STATUS_GRAPHICS_ALLOCATION_BUSY);
    EXPECT_EQ(try_lock(program, kIgnoreReadSync | kDonotWait), STATUS_GRAPHICS_ALLOCATION_BUSY);
    expect_waits(program, kReadOnly);
  });
}

TEST_F(LockSyncTest, US19_IgnoreSyncNeedsDonotWait) {
  run_context([&](Program& program) {
    render(program);
    EXPECT_EQ(try_lock(program, kIgnoreSync | kDonotWait), STATUS_SUCCESS);
    expect_waits(program, kIgnoreSync);
  });
}

TEST_F(LockSyncTest, IgnoreSyncIsForApertures) {
  segments = kLocal;
  run_context([&](Program& program) {
    EXPECT_EQ(try_lock(program, kIgnoreSync | kDonotWait), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(try_lock(program, kIgnoreReadSync), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(try_lock(program), STATUS_SUCCESS);
  });
}

// The bytes are where the CPU does not see them, and the GPU needs them there.
TEST_F(LockSyncTest, WhatHasToBeMovedFirstIsWaitedFor) {
  segments = kLocal | kAperture;
  run_context([&](Program& program) {
    render(program, false);
    EXPECT_EQ(try_lock(program, kReadOnly | kDonotWait), STATUS_GRAPHICS_ALLOCATION_BUSY);
    expect_waits(program, kReadOnly);
    allocation = make(program);
    render(program);
    expect_waits(program, kIgnoreSync | kDonotWait);
  });
}

TEST_F(LockSyncTest, US20_Lock2DoesNotLookAtTheGpu) {
  run_context([&](Program& program) {
    render(program);
    EXPECT_EQ(lock2(program, allocation), STATUS_SUCCESS);
    EXPECT_EQ(unlock2(program, allocation), STATUS_SUCCESS);
  });
}

TEST_F(LockSyncTest, ALostDeviceEndsTheWait) {
  run_context([&](Program& program) {
    render(program);
    Blocked& locker = lock_aside(program);
    ASSERT_EQ(locker.status, STATUS_PENDING);
    auto device = program.client.find<dxgk::Device>(program.device).take();
    adapter().gpu().lose(*device, dxgk::Device::State::Error);
    settle();
    EXPECT_EQ(locker.status, STATUS_DEVICE_REMOVED) << "although the GPU has not given anything back";
    EXPECT_EQ(try_lock(program, kIgnoreSync | kDonotWait), STATUS_DEVICE_REMOVED);
  });
}

// Drivers of this model know no surprise removal: they are left alone with what they have.
TEST_F(LockSyncTest, ASurpriseRemovalEndsTheWait) {
  auto ended = run_started([&](dxgk::Adapter& its) {
    Program program(kernel(), "client");
    program.start(its);
    prepare(program);
    render(program);
    Blocked& locker = lock_aside(program);
    ASSERT_EQ(locker.status, STATUS_PENDING);
    its.surprise_remove();
    settle();
    EXPECT_EQ(locker.status, STATUS_DEVICE_REMOVED);
  });
  EXPECT_EQ(ended, nt::Machine::Ended::Returned);
}

TEST_F(LockSyncTest, DestroyedWhileItIsWaitedFor) {
  run_context([&](Program& program) {
    render(program);
    Blocked& locker = lock_aside(program);
    EXPECT_EQ(destroy_list(program, {allocation}), STATUS_SUCCESS);
    EXPECT_EQ(locker.status, STATUS_PENDING);
    complete_one();
    EXPECT_EQ(locker.status, STATUS_INVALID_PARAMETER);
    EXPECT_EQ(program.client.locked_views(), 0u);
  });
}

TEST_F(LockSyncTest, US18_DiscardNeedsAFlushedDriver) {
  run_context([&](Program& program) {
    EXPECT_EQ(try_lock(program, kDiscard), STATUS_GRAPHICS_ALLOCATION_BUSY) << "commands may be out of sight";
    EXPECT_EQ(try_lock(program, kDiscard | kNoExistingReference), STATUS_SUCCESS);
    render(program);
    EXPECT_EQ(try_lock(program, kDiscard), STATUS_GRAPHICS_ALLOCATION_BUSY);
    expect_waits(program, kDiscard | kNoExistingReference);
  });
}

TEST_F(LockSyncTest, US19_DiscardOutweighsDonotWaitAndIgnoreSync) {
  run_context([&](Program& program) {
    render(program, false);
    expect_waits(program, kDiscard | kNoExistingReference | kDonotWait | kIgnoreSync | kIgnoreReadSync);
  });
}

TEST_F(LockSyncTest, DiscardIsIgnoredForSharedAllocations) {
  run_context([&](Program& program) {
    CreateArgs create = CreateArgs::driver(program.device);
    create.args.Flags.CreateResource = create.args.Flags.CreateShared = 1;
    ASSERT_EQ(create.create(program), STATUS_SUCCESS);
    allocation = create.info.hAllocation;
    EXPECT_EQ(try_lock(program, kDiscard), STATUS_SUCCESS);
    render(program);
    EXPECT_EQ(try_lock(program, kDiscard | kDonotWait), STATUS_GRAPHICS_ALLOCATION_BUSY);
    expect_waits(program, kDiscard);
  });
}

}  // namespace
}  // namespace kmt::testing
