// Submissions, fences, preemption and resets, on the real hardware model.
#include "softgpu/driver_fixture.h"

namespace softgpu {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SubmissionTest : public DriverTest {
 protected:
  // About 4 µs.
  static TestKernel::Build some_work(TestKernel& kernel) {
    return [&kernel](SOFTGPU_BUILDER& b) { softgpu_add_fill(&b, kernel.gpu(kFree), 0x10000, 7); };
  }
};

TEST_F(SubmissionTest, RunsInOrderAndTellsTheFences) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    for (uint32_t fence = 1; fence <= 3; ++fence) {
      kernel.submit(context, fence, [&](SOFTGPU_BUILDER& b) { softgpu_add_signal(&b, kernel.gpu(kFree), fence, 0); });
      kernel.wait();
      EXPECT_EQ(kernel.at(kFree), fence);
    }
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1", "completed 1:2", "completed 1:3"));
    EXPECT_EQ(kernel.dpcs, 3u);
    kernel.destroy_context(context);
  });
}

TEST_F(SubmissionTest, EmptyOnesHaveAFence) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kRender);
    EXPECT_EQ(kernel.submit(context, 1), STATUS_SUCCESS);
    kernel.wait();
    DXGK_SUBMITCOMMANDFLAGS flags = {};
    flags.ContextSwitch = 1;
    EXPECT_EQ(kernel.submit(nullptr, 2, {}, flags), STATUS_SUCCESS);  // on the copy engine
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 0:1", "completed 1:2"));
    kernel.destroy_context(context);
  });
}

TEST_F(SubmissionTest, NullRenderingRunsNothing) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    DXGK_SUBMITCOMMANDFLAGS flags = {};
    flags.NullRendering = 1;
    kernel.submit(context, 1, some_work(kernel), flags);
    kernel.wait();
    EXPECT_EQ(kernel.at(kFree), 0u);
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1"));
    kernel.destroy_context(context);
  });
}

// The graphics kernel counts it as completed by itself: the driver goes along and says nothing.
TEST_F(SubmissionTest, ARefusedOneCompletesInSilence) {
  on_virtual([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    auto refused = [&](uint32_t fence) {
      DXGKARG_SUBMITCOMMANDVIRTUAL args = {};
      args.hContext = context;
      args.DmaBufferVirtualAddress = kernel.gpu(kFree);
      args.DmaBufferSize = 4;  // no packet has four bytes
      args.SubmissionFenceId = fence;
      KIRQL irql;
      KeRaiseIrql(DISPATCH_LEVEL, &irql);
      EXPECT_EQ(kernel.call(kernel.table().DxgkDdiSubmitCommandVirtual, kernel.adapter(), &args),
                STATUS_INVALID_PARAMETER);
      KeLowerIrql(irql);
    };
    refused(1);
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), IsEmpty());
    EXPECT_EQ(kernel.current_fence(kCopy), 1u);

    kernel.submit(context, 2, some_work(kernel));
    refused(3);
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:2"));
    EXPECT_EQ(kernel.current_fence(kCopy), 3u);
    kernel.preempt(kCopy, 4);
    EXPECT_THAT(kernel.take_log(), ElementsAre("preempted 1:4 after 2")) << "what was refused does not count";
    kernel.destroy_context(context);
  });
}

TEST_F(SubmissionTest, ClientsSignalsAreTold) {
  on_virtual([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    kernel.submit(context, 1,
                  [&](SOFTGPU_BUILDER& b) { softgpu_add_signal(&b, kernel.gpu(kFree), 9, SOFTGPU_FLAG_INTERRUPT); });
    kernel.wait();
    EXPECT_EQ(kernel.at(kFree), 9u);
    EXPECT_THAT(kernel.take_log(), ::testing::UnorderedElementsAre("signaled 1", "completed 1:1"));
    kernel.destroy_context(context);
  });
}

// --- Lost interrupts ---

TEST_F(SubmissionTest, ALostFenceIsReportedWhenAskedFor) {
  for (const char* driver : {"softgpu", "softgpu_physical"}) {
    on(driver, [](TestKernel& kernel) {
      HANDLE context = kernel.create_context(kCopy);
      kernel.escape(SOFTGPU_ESCAPE_DROP_INTERRUPTS, kCopy, 1);
      kernel.submit(context, 1, some_work(kernel));
      kernel.wait();
      EXPECT_THAT(kernel.take_log(), IsEmpty());
      EXPECT_EQ(kernel.current_fence(kCopy), 1u);
      EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1"));
      kernel.wait();
      EXPECT_EQ(kernel.dpcs, 1u);
      EXPECT_EQ(kernel.current_fence(kCopy), 1u);
      EXPECT_THAT(kernel.take_log(), IsEmpty());
      kernel.destroy_context(context);
    });
  }
}

// --- Preemption ---

TEST_F(SubmissionTest, AnIdleEngineIsPreemptedAtOnce) {
  on_each([](TestKernel& kernel) {
    kernel.preempt(kRender, 5);
    EXPECT_THAT(kernel.take_log(), ElementsAre("preempted 0:5 after 0"));
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), IsEmpty());
    EXPECT_EQ(kernel.dpcs, 1u);
  });
}

TEST_F(SubmissionTest, PreemptionKeepsWhatRunsAndDropsTheRest) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    for (uint32_t fence = 1; fence <= 3; ++fence) kernel.submit(context, fence, some_work(kernel));
    kernel.wait(1'500);
    kernel.preempt(kCopy, 4);
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1", "preempted 1:4 after 1"));

    // They come again, as paging work with the same fence and other work with a new one.
    DXGK_SUBMITCOMMANDFLAGS flags = {};
    flags.Resubmission = 1;
    kernel.submit(context, 2, some_work(kernel), flags);
    kernel.submit(context, 5, some_work(kernel), flags);
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:2", "completed 1:5"));
    kernel.destroy_context(context);
  });
}

// Whenever the request comes it is answered once, and every fence is either told before or comes again.
TEST_F(SubmissionTest, PreemptionAtAnyTime) {
  for (uint64_t time = 0; time < 14'000; time += 350) {
    SCOPED_TRACE(time);
    options.seed = time;
    options.policy = nt::policy_for_seed(time);
    on_physical([&](TestKernel& kernel) {
      HANDLE context = kernel.create_context(kCopy);
      kernel.submit(context, 1, some_work(kernel));
      kernel.submit(context, 2, some_work(kernel));
      kernel.wait(time);
      kernel.preempt(kCopy, 3);
      kernel.wait();
      uint32_t completed = kernel.current_fence(kCopy);
      std::vector<std::string> log = kernel.take_log();
      EXPECT_EQ(log.back(), "preempted 1:3 after " + std::to_string(completed));
      log.pop_back();
      // One interrupt may tell of two fences.
      if (completed == 0) {
        EXPECT_THAT(log, IsEmpty());
      }
      if (completed == 1) {
        EXPECT_THAT(log, ElementsAre("completed 1:1"));
      }
      if (completed == 2) {
        EXPECT_THAT(log, AnyOf(ElementsAre("completed 1:1", "completed 1:2"), ElementsAre("completed 1:2")));
      }
      kernel.destroy_context(context);
    });
  }
}

TEST_F(SubmissionTest, AnEngineThatRefusesToBePreemptedGoesOn) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    kernel.escape(SOFTGPU_ESCAPE_REFUSE_PREEMPTION, kCopy, 1);
    kernel.submit(context, 1, some_work(kernel));
    kernel.submit(context, 2, some_work(kernel));
    kernel.preempt(kCopy, 3);
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1", "completed 1:2"));
    kernel.destroy_context(context);
  });
}

// --- Faults and resets ---

TEST_F(SubmissionTest, AHungEngineIsResetAlone) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    kernel.submit(context, 1, some_work(kernel));
    kernel.wait();
    kernel.escape(SOFTGPU_ESCAPE_HANG_ENGINE, kCopy, 3);
    kernel.submit(context, 2, some_work(kernel));
    kernel.submit(context, 3, some_work(kernel));
    kernel.preempt(kCopy, 4);
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1"));
    DXGKARG_QUERYENGINESTATUS status = {};
    status.NodeOrdinal = kCopy;
    kernel.call(kernel.table().DxgkDdiQueryEngineStatus, kernel.adapter(), &status);
    EXPECT_FALSE(status.EngineStatus.Responsive);

    uint32_t aborted = 0;
    EXPECT_EQ(kernel.reset_engine(kCopy, &aborted), STATUS_SUCCESS);
    EXPECT_EQ(aborted, 2u);
    kernel.submit(context, 5, some_work(kernel));
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:5"));  // the preemption is history
    kernel.destroy_context(context);
  });
}

TEST_F(SubmissionTest, AResetWithNothingToAbortNamesTheLastFence) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    kernel.submit(context, 1, some_work(kernel));
    kernel.wait();
    uint32_t aborted = 0;
    EXPECT_EQ(kernel.reset_engine(kCopy, &aborted), STATUS_SUCCESS);
    EXPECT_EQ(aborted, 1u);
    kernel.preempt(kCopy, 2);
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1", "preempted 1:2 after 1"));
    kernel.destroy_context(context);
  });
}

TEST_F(SubmissionTest, WhereAnEngineCannotBeResetTheAdapterCan) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    kernel.escape(SOFTGPU_ESCAPE_REFUSE_RESET, kCopy, 1);
    kernel.escape(SOFTGPU_ESCAPE_HANG_ENGINE, kCopy, 1);
    kernel.submit(context, 1, some_work(kernel));
    kernel.submit(context, 2, some_work(kernel));
    kernel.wait();
    uint32_t aborted = 0;
    EXPECT_LT(kernel.reset_engine(kCopy, &aborted), 0);
    kernel.reset_adapter();
    kernel.preempt(kCopy, 3);
    EXPECT_THAT(kernel.take_log(), ElementsAre("preempted 1:3 after 2"));
    kernel.submit(context, 4, some_work(kernel));
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:4"));
    kernel.destroy_context(context);
  });
}

TEST_F(SubmissionTest, AFaultNamesItsSubmission) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    kernel.escape(SOFTGPU_ESCAPE_FAULT_ENGINE, kCopy, 20);
    kernel.submit(context, 1, some_work(kernel));
    kernel.submit(context, 2, some_work(kernel));
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1", "faulted 1:2"));
    uint32_t aborted = 0;
    EXPECT_EQ(kernel.reset_engine(kCopy, &aborted), STATUS_SUCCESS);
    EXPECT_EQ(aborted, 2u);
    kernel.destroy_context(context);
  });
}

TEST_F(SubmissionTest, WorkTakesAsLongAsATestWants) {
  on_each([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kCopy);
    kernel.escape(SOFTGPU_ESCAPE_SLOW_ENGINE, kCopy, 1'000'000);
    kernel.submit(context, 1, some_work(kernel));
    kernel.wait(1'000'000'000);
    EXPECT_THAT(kernel.take_log(), IsEmpty());
    kernel.wait(9'000'000'000);
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:1"));
    kernel.escape(SOFTGPU_ESCAPE_SLOW_ENGINE, kCopy, 0);
    kernel.escape(SOFTGPU_ESCAPE_AT_ONCE, kCopy, 1);
    kernel.submit(context, 2, some_work(kernel));
    kernel.wait(1'000);
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 1:2"));
    kernel.destroy_context(context);
  });
}

}  // namespace
}  // namespace softgpu
