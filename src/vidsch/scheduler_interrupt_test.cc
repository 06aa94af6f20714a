#include "abi/shared/d3dkmdt_caps.h"
#include "vidsch/testing/scheduler_fixture.h"

namespace vidsch {
namespace {

TEST_F(SchedulerTest, ACompletedFenceMustBeNewAndSubmitted) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  put(a, "A2");
  run();
  EXPECT_EQ(scheduler->completed(0, 3, now).parameter, kInvalidFence);
  EXPECT_EQ(scheduler->completed(0, 0, now).parameter, kInvalidFence);
  EXPECT_EQ(scheduler->completed(7, 1, now).parameter, kInvalidFence);
  EXPECT_THAT(complete(2), ElementsAre("done A1", "done A2"));
  EXPECT_EQ(scheduler->completed(0, 2, now).parameter, kInvalidFence);
  EXPECT_EQ(scheduler->completed(0, 1, now).parameter, kInvalidFence);
}

TEST_F(SchedulerTest, FencesOfOneNodeMeanNothingOnAnother) {
  start(able());
  DeviceState& d = device();
  Context& a = context(d);
  Context& b = context(d, {.node = 1});
  put(a, "A1");
  put(a, "A2");
  put(b, "B1");
  run();
  EXPECT_EQ(scheduler->completed(1, 2, now).parameter, kInvalidFence);
  EXPECT_THAT(complete(1, 1), ElementsAre("done B1"));
}

TEST_F(SchedulerTest, OrdinalsThatDoNotExistNameNoNode) {
  SchedulerConfig config = able();
  config.engines = 2;
  start(config);
  EXPECT_EQ(scheduler->node_index(1, 1), 3u);
  EXPECT_EQ(scheduler->node_index(2, 0), Scheduler::kNoNode);
  EXPECT_EQ(scheduler->node_index(0, 2), Scheduler::kNoNode);
  EXPECT_EQ(scheduler->completed(Scheduler::kNoNode, 1, now).parameter, kInvalidFence);
}

TEST_F(SchedulerTest, FencesWrapAndZeroIsLeftOut) {
  SchedulerConfig config = able(3);
  config.first_fence = 0xFFFFFFFF;
  start(config);
  Context& a = context(device());
  for (const char* name : {"A1", "A2", "A3"}) put(a, name);
  EXPECT_THAT(run(), ElementsAre("submit A1 4294967295", "submit A2 1", "submit A3 2"));
  EXPECT_EQ(scheduler->completed(0, 0xFFFFFFFE, now).parameter, kInvalidFence);
  EXPECT_THAT(complete(1), ElementsAre("done A1", "done A2"));
  EXPECT_EQ(scheduler->completed(0, 0xFFFFFFFF, now).parameter, kInvalidFence);
  EXPECT_THAT(complete(2), ElementsAre("done A3"));
}

TEST_F(SchedulerTest, NothingIsRetiredBeforeTheDpc) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  EXPECT_TRUE(scheduler->completed(0, 1, now).fine());
  EXPECT_THAT(lines, IsEmpty());
  scheduler->retire_completed();
  EXPECT_THAT(lines, ElementsAre("done A1"));
}

TEST_F(SchedulerTest, AFaultEndsItsPacketAndItsDevice) {
  start(able(3));
  DeviceState& guilty = device();
  Context& a = context(guilty);
  Context& b = context(device());
  put(b, "B1");
  run();
  put(a, "A1");
  put(a, "A2");
  put(a, "A3");
  run();
  put(b, "B2");
  EXPECT_TRUE(scheduler->page_faulted(0, 2, DXGK_PAGE_FAULT_WRITE, now).fine());
  EXPECT_EQ(guilty.error(), DeviceError::PageFault);
  EXPECT_THAT(run(), ElementsAre("done B1", "aborted A1", "cancel A3", "submit B2 4"));
  EXPECT_EQ(scheduler->node(0).last_completed(), 2u);
  EXPECT_THAT(complete(4), ElementsAre("done A2", "cancelled A3", "done B2"));
}

TEST_F(SchedulerTest, ADmaFaultIsToldApartFromAPageFault) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  EXPECT_EQ(scheduler->faulted(0, 2, now).parameter, kInvalidFence);
  EXPECT_TRUE(scheduler->faulted(0, 1, now).fine());
  EXPECT_EQ(a.device().error(), DeviceError::Fault);
  EXPECT_THAT(run(), ElementsAre("aborted A1"));
}

TEST_F(SchedulerTest, AFaultOfAPagingCommandIsAViolation) {
  start(able());
  Context& paging = context(device(), {.system = true});
  put(paging, "P1", PacketKind::Paging);
  run();
  EXPECT_EQ(scheduler->faulted(0, 1, now).parameter, kFaultedSystemCommand);
  EXPECT_EQ(scheduler->page_faulted(0, 1, 0, now).parameter, kFaultedSystemCommand);
}

TEST_F(SchedulerTest, PageFaultFlagsMustAgreeWithEachOther) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  const uint32_t unknown = DXGK_PAGE_FAULT_FENCE_INVALID;
  EXPECT_EQ(scheduler->page_faulted(0, 0, unknown, now).parameter, kInvalidPageFault);
  EXPECT_EQ(scheduler->page_faulted(0, 1, unknown | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, now).parameter,
            kInvalidPageFault);
  EXPECT_EQ(scheduler->page_faulted(0, 1, DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR, now).parameter, kFatalPageFault);
  EXPECT_THAT(run(), IsEmpty());
}

TEST_F(SchedulerTest, APageFaultMayAskForAReset) {
  start(able());
  DeviceState& guilty = device();
  Context& a = context(guilty);
  Context& b = context(device());
  put(a, "A1");
  put(b, "B1");
  run();
  EXPECT_TRUE(scheduler->page_faulted(0, 1, DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, now).fine());
  EXPECT_THAT(run(), ElementsAre("aborted A1", "query dependents 0"));
  EXPECT_TRUE(scheduler->dependents(0, 1, now).fine());
  EXPECT_THAT(run(), ElementsAre("reset engine 0"));
  EXPECT_TRUE(scheduler->engine_reset(0, Scheduler::Reset::Done, 1, now).fine());
  EXPECT_THAT(run(), ElementsAre("submit B1 3"));
}

TEST_F(SchedulerTest, APageFaultOfAnUnknownPacketResetsTheAdapterAndBlamesTheOldest) {
  start(able());
  DeviceState& guilty = device();
  Context& a = context(guilty);
  Context& b = context(device());
  put(a, "A1");
  put(b, "B1");
  run();
  const uint32_t flags = DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED;
  EXPECT_TRUE(scheduler->page_faulted(0, 0, flags, now).fine());
  EXPECT_THAT(run(), ElementsAre("reset adapter"));
  scheduler->adapter_reset_done(now);
  EXPECT_TRUE(guilty.failed());
  EXPECT_THAT(run(), ElementsAre("aborted A1", "submit B1 3"));
}

}  // namespace
}  // namespace vidsch
