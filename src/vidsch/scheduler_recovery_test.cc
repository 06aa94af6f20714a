#include "abi/shared/d3dkmdt_caps.h"
#include "vidsch/testing/scheduler_fixture.h"

namespace vidsch {
namespace {

using Reset = Scheduler::Reset;

class RecoveryTest : public SchedulerTest {
 public:
  // The ladder up to the question which engines depend on node 0, at the earliest times. What `meanwhile` submits does
  // not time out with it.
  template <typename F>
  void time_out_node_0(F meanwhile) {
    now = scheduler->next_deadline();
    EXPECT_THAT(run(), ElementsAre("query fence", testing::StartsWith("preempt")));
    meanwhile();
    now = scheduler->next_deadline();
    EXPECT_THAT(run(), ElementsAre("query dependents 0"));
  }
  void time_out_node_0() {
    time_out_node_0([] {});
  }
  std::vector<std::string> reset_engine_0(FenceId last_aborted) {
    EXPECT_TRUE(scheduler->dependents(0, 1, now).fine());
    EXPECT_THAT(run(), ElementsAre("reset engine 0"));
    EXPECT_TRUE(scheduler->engine_reset(0, Reset::Done, last_aborted, now).fine());
    return run();
  }
};

TEST_F(RecoveryTest, ATimeoutLeadsFromPreemptionToAnEngineReset) {
  start(able());
  DeviceState& guilty = device();
  Context& a = context(guilty);
  Context& b = context(device());
  put(a, "A1");
  put(b, "B1");
  run();
  put(a, "A2");
  EXPECT_EQ(scheduler->next_deadline(), 2 * kSecond);
  now = 2 * kSecond - 1;
  EXPECT_THAT(run(), IsEmpty());
  now = 2 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "preempt 3"));
  now = 4 * kSecond - 1;
  EXPECT_THAT(run(), IsEmpty());
  now = 4 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query dependents 0"));
  EXPECT_TRUE(scheduler->dependents(0, 1, now).fine());
  EXPECT_THAT(run(), ElementsAre("reset engine 0"));
  EXPECT_TRUE(scheduler->completed(0, 1, now).fine());  // too late: ignored
  EXPECT_TRUE(scheduler->engine_reset(0, Reset::Done, 1, now).fine());
  EXPECT_EQ(guilty.error(), DeviceError::Hung);
  EXPECT_THAT(run(), ElementsAre("aborted A1", "cancel A2", "cancelled A2", "submit B1 4"));
  EXPECT_EQ(scheduler->node(0).last_completed(), 1u);
  EXPECT_THAT(complete(4), ElementsAre("done B1"));
}

TEST_F(RecoveryTest, ARecoverySaysWhetherTimeBeganIt) {
  start(able());
  put(context(device()), "A1");
  run();
  now = scheduler->next_deadline();
  EXPECT_THAT(run(), ElementsAre("query fence", "preempt 2"));
  now = scheduler->next_deadline();
  const Action late = scheduler->next(now);
  EXPECT_EQ(late.kind, Action::Kind::QueryDependents);
  EXPECT_TRUE(late.timed_out);
}

TEST_F(RecoveryTest, ARecoveryThatAFaultBeganIsNoTimeout) {
  start(able());
  put(context(device()), "A1");
  run();
  EXPECT_TRUE(scheduler->page_faulted(0, 1, DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, now).fine());
  const Action wanted = scheduler->next(now);
  EXPECT_EQ(wanted.kind, Action::Kind::QueryDependents);
  EXPECT_FALSE(wanted.timed_out);
}

TEST_F(RecoveryTest, AViolationDoesNotStopTheRecovery) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  time_out_node_0();
  EXPECT_EQ(scheduler->dependents(0, 2, now).parameter, kInvalidNodeMask);
  EXPECT_THAT(run(), ElementsAre("reset engine 0"));
  EXPECT_EQ(scheduler->engine_reset(0, Reset::Done, 2, now).parameter, kInvalidAbortedFence);
  EXPECT_THAT(run(), ElementsAre("reset adapter"));
  scheduler->adapter_reset_done(now);
  EXPECT_THAT(run(), ElementsAre("aborted A1"));
}

TEST_F(RecoveryTest, AnAdapterThatGoesGivesEverythingBack) {
  start(able());
  Context& a = context(device());
  Context& b = context(device(), {.node = 1});
  put(a, "A1");
  put(a, "A2");
  put(a, "A3");
  run();
  put(b, "B1");
  const Action action = scheduler->next(now);
  scheduler->stop();
  scheduler->retire_completed();
  EXPECT_THAT(lines, ElementsAre("aborted A1", "aborted A2")) << "B1 is still in the driver";
  EXPECT_TRUE(scheduler->submitted(*action.packet, Scheduler::Submission::Refused).fine());
  scheduler->fail(a.device());
  EXPECT_THAT(run(), ElementsAre("aborted A1", "aborted A2", "aborted B1", "cancelled A3"));
  EXPECT_TRUE(scheduler->idle());
  EXPECT_EQ(scheduler->next_deadline(), base::kForever);
  put(b, "B2");
  EXPECT_THAT(run(), ElementsAre("cancelled B2"));
}

TEST_F(RecoveryTest, TheClockOfAPacketStartsWhenItCouldRun) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  put(a, "A2");
  run();
  now = 1 * kSecond;
  complete(1);
  EXPECT_EQ(scheduler->next_deadline(), 3 * kSecond);
}

TEST_F(RecoveryTest, ALostInterruptIsFoundByAsking) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  now = 2 * kSecond;
  EXPECT_EQ(scheduler->next(now).kind, Action::Kind::QueryFence);
  EXPECT_THAT(complete(1), ElementsAre("done A1"));
}

TEST_F(RecoveryTest, APreemptionInTimeSavesThePacket) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  now = 2 * kSecond;
  run();
  now = 3 * kSecond;
  EXPECT_THAT(preempted(2, 0), ElementsAre("submit A1 again 3"));
  EXPECT_EQ(scheduler->next_deadline(), 5 * kSecond);
}

TEST_F(RecoveryTest, APreemptionAskedBeforeIsNotAskedAgain) {
  start(able());
  Context& a = context(device());
  Context& high = context(device(), {.level = 20});
  put(a, "A1");
  run();
  now = 1 * kSecond;
  put(high, "H");
  EXPECT_THAT(run(), ElementsAre("preempt 2"));
  now = 2 * kSecond;
  EXPECT_THAT(run(), IsEmpty());
  now = 3 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "query dependents 0"));
  EXPECT_THAT(reset_engine_0(1), ElementsAre("aborted A1", "submit H 3"));
}

TEST_F(RecoveryTest, ADriverOfWindows7IsResetWithoutBeingAsked) {
  start({});
  Context& a = context(device());
  put(a, "A1");
  run();
  now = 2 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "reset adapter"));
  scheduler->adapter_reset_done(now);
  EXPECT_THAT(run(), ElementsAre("aborted A1"));
}

TEST_F(RecoveryTest, APreemptionThatIsNeverAnsweredOnIdleHardwareIsNoted) {
  start(able());
  Context& a = context(device());
  Context& high = context(device(), {.level = 20});
  put(a, "A1");
  run();
  put(high, "H");
  run();
  complete(1);
  now = 2 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "unanswered 2"));
  EXPECT_THAT(run(), ElementsAre("submit H 3"));
  EXPECT_TRUE(scheduler->preempted(0, 2, 1, now).fine());  // late
  EXPECT_EQ(scheduler->preempted(0, 2, 1, now).parameter, kInvalidFence);
  EXPECT_THAT(complete(3), ElementsAre("done H"));
}

TEST_F(RecoveryTest, WhatFollowsTheAbortedPacketRunsAgain) {
  start(able(4));
  DeviceState& guilty = device();
  Context& a = context(guilty);
  Context& b = context(device());
  Context& c = context(device());
  put(c, "C1");
  put(a, "A1");
  put(b, "B1");
  run();
  put(b, "S", PacketKind::Signal);
  put(c, "C2");
  run();
  time_out_node_0();
  // The driver ran C1, hung in A1, and never came to the rest. C1's completion was not seen in time: for the scheduler
  // it was aborted as well.
  EXPECT_THAT(reset_engine_0(2), ElementsAre("aborted C1", "aborted A1", "cancel C2", "cancelled C2", "submit B1 6"));
  EXPECT_THAT(complete(6), ElementsAre("done B1", "signal S", "done S"));
}

TEST_F(RecoveryTest, PagingBehindTheAbortedPacketKeepsItsFence) {
  SchedulerConfig config = able(4);
  config.preemption_aware = false;
  start(config);
  Context& a = context(device());
  Context& b = context(device());
  Context& paging = context(device(), {.system = true});
  put(a, "A1");
  put(b, "B1");
  run();
  put(paging, "P1", PacketKind::Paging);
  run();
  now = 2 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "query dependents 0"));
  EXPECT_THAT(reset_engine_0(1), ElementsAre("aborted A1", "submit P1 3", "submit B1 4"));
  EXPECT_THAT(complete(3), ElementsAre("done P1"));
}

TEST_F(RecoveryTest, AnAbortedPagingPacketResetsTheAdapter) {
  start(able());
  Context& paging = context(device(), {.system = true});
  Context& b = context(device());
  put(paging, "P1", PacketKind::Paging);
  put(b, "B1");
  run();
  time_out_node_0();
  EXPECT_THAT(reset_engine_0(1), ElementsAre("aborted P1", "reset adapter"));
  scheduler->adapter_reset_done(now);
  EXPECT_FALSE(paging.device().failed());
  EXPECT_THAT(run(), ElementsAre("submit B1 4"));
}

TEST_F(RecoveryTest, AFailedEngineResetBecomesOneOfTheAdapter) {
  start(able());
  DeviceState& guilty = device();
  DeviceState& other = device();
  Context& a = context(guilty);
  Context& a1 = context(guilty, {.node = 1});
  Context& b = context(other, {.node = 1});
  put(a, "A1");
  run();
  time_out_node_0([&] {
    put(b, "B1");
    put(a1, "A2");
    run();
    put(b, "B2");
    complete(1, 1);
  });
  EXPECT_TRUE(scheduler->dependents(0, 1, now).fine());
  run();
  EXPECT_TRUE(scheduler->engine_reset(0, Reset::Failed, 0, now).fine());
  const Action action = scheduler->next(now);
  EXPECT_EQ(action.kind, Action::Kind::ResetAdapter);
  EXPECT_EQ(action.deadline, now + 5 * kSecond);
  EXPECT_TRUE(scheduler->completed(1, 2, now).fine());  // ignored
  scheduler->adapter_reset_done(now);
  EXPECT_TRUE(guilty.failed());
  EXPECT_FALSE(other.failed());
  EXPECT_EQ(scheduler->node(1).last_completed(), scheduler->node(1).last_submitted());
  EXPECT_THAT(run(), ElementsAre("aborted A1", "aborted A2", "submit B2 4"));
}

TEST_F(RecoveryTest, AfterAnAdapterResetPagingHasNewFencesAndNothingContinuesWhereItStopped) {
  SchedulerConfig config = able(4);
  config.per_engine_tdr = false;
  start(config);
  DeviceState& d = device();
  Context& hung = context(d, {.node = 1});
  Context& b = context(device());
  Context& high = context(device(), {.level = 20});
  Context& paging = context(device(), {.system = true});
  put(b, "B1");
  run();
  put(high, "H");
  run();
  EXPECT_THAT(preempted(2, 0), ElementsAre("submit H 3", "submit B1 again 4"));
  EXPECT_THAT(complete(3), ElementsAre("done H"));
  put(hung, "X");
  run();
  now = 1 * kSecond;
  put(paging, "P1", PacketKind::Paging);
  run();
  EXPECT_THAT(preempted(5, 3), ElementsAre("submit P1 6", "submit B1 again 7"));
  now = 2 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "preempt 2"));  // of node 1
  now = 4 * kSecond;
  // Node 0 is late by now, too, but it is node 1 that did not answer its preemption.
  EXPECT_THAT(run(), ElementsAre("query fence", "preempt 8", "reset adapter"));
  scheduler->adapter_reset_done(now);
  EXPECT_THAT(run(), ElementsAre("aborted X", "submit P1 9", "submit B1 10"));
}

TEST_F(RecoveryTest, DependentEnginesMayPreemptFirst) {
  start(able());
  DeviceState& guilty = device();
  Context& a = context(guilty);
  Context& b = context(device(), {.node = 1});
  put(a, "A1");
  run();
  time_out_node_0([&] {
    now += 1 * kSecond;
    for (const char* name : {"B1", "B2", "B3"}) put(b, name);
    run();
  });
  EXPECT_TRUE(scheduler->dependents(0, 3, now).fine());
  EXPECT_THAT(run(), ElementsAre("preempt 3"));
  EXPECT_EQ(scheduler->next_deadline(), now + 500 * kMs);
  EXPECT_THAT(preempted(3, 0, 1), ElementsAre("reset engine 0"));
  EXPECT_TRUE(scheduler->engine_reset(0, Reset::Done, 1, now).fine());
  EXPECT_THAT(run(), ElementsAre("aborted A1", "submit B1 again 4", "submit B2 again 5"));
}

TEST_F(RecoveryTest, DependentEnginesThatDoNotPreemptAreResetInOrder) {
  SchedulerConfig config = able();
  config.nodes = 3;
  start(config);
  Context& a = context(device(), {.node = 1});
  Context& b = context(device(), {.node = 0});
  Context& c = context(device(), {.node = 2});
  put(a, "A1");
  run();
  now = 3500 * kMs;
  EXPECT_THAT(run(), ElementsAre("query fence", "preempt 2"));
  now = 5 * kSecond;
  put(b, "B1");
  put(c, "C1");
  run();
  now = 5500 * kMs;
  EXPECT_THAT(run(), ElementsAre("query dependents 1"));
  EXPECT_TRUE(scheduler->dependents(1, 7, now).fine());
  EXPECT_THAT(run(), ElementsAre("preempt 2", "preempt 2"));
  now += 500 * kMs;
  EXPECT_THAT(run(), ElementsAre("reset engine 0"));
  EXPECT_TRUE(scheduler->engine_reset(0, Reset::Done, 0, now).fine());
  EXPECT_THAT(run(), ElementsAre("reset engine 1"));
  EXPECT_TRUE(scheduler->engine_reset(1, Reset::Done, 1, now).fine());
  EXPECT_THAT(run(), ElementsAre("aborted A1", "reset engine 2"));
  EXPECT_TRUE(scheduler->engine_reset(2, Reset::Done, 1, now).fine());
  EXPECT_THAT(run(), ElementsAre("aborted C1", "submit B1 3"));
  EXPECT_FALSE(b.device().failed());
}

TEST_F(RecoveryTest, APacketThatHangsAgainAfterItWasSparedResetsTheAdapter) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  time_out_node_0();
  EXPECT_THAT(reset_engine_0(0), ElementsAre("submit A1 3"));
  now = scheduler->next_deadline();
  EXPECT_THAT(run(), ElementsAre("query fence", "preempt 4"));
  now = scheduler->next_deadline();
  EXPECT_THAT(run(), ElementsAre("reset adapter"));
}

TEST_F(RecoveryTest, TheSixthResetInAMinuteIsFatal) {
  start({});
  for (int i = 0; i < 5; ++i) {
    put(context(device()), "A");
    run();
    now += 2 * kSecond;
    EXPECT_THAT(run(), ElementsAre("query fence", "reset adapter"));
    scheduler->adapter_reset_done(now);
    EXPECT_THAT(run(), ElementsAre("aborted A"));
  }
  put(context(device()), "A");
  run();
  now += 2 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "bug check 0x116"));
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_EQ(scheduler->next_deadline(), base::kForever);
}

TEST_F(RecoveryTest, ResetsLongAgoAreForgiven) {
  start({});
  for (int i = 0; i < 20; ++i) {
    put(context(device()), "A");
    run();
    now += 12 * kSecond;
    EXPECT_THAT(run(), ElementsAre("query fence", "reset adapter"));
    scheduler->adapter_reset_done(now);
    EXPECT_THAT(run(), ElementsAre("aborted A"));
  }
}

// DisableGpuTimeout: such packets end when they end, and those of others are timed from there on.
TEST_F(RecoveryTest, APacketThatMayRunLongIsNeverGivenUp) {
  start(able());
  Context& patient = context(device(), {.may_run_long = true});
  Context& a = context(device());
  put(patient, "L1");
  put(a, "A1");
  EXPECT_THAT(run(), ElementsAre("submit L1 1", "submit A1 2"));
  EXPECT_EQ(scheduler->next_deadline(), base::kForever);
  now = 100 * kSecond;
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_THAT(complete(1), ElementsAre("done L1"));
  EXPECT_EQ(scheduler->next_deadline(), 102 * kSecond);
  now = 102 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "preempt 3"));
}

TEST_F(RecoveryTest, APreemptionOfAPacketThatMayRunLongHasTime) {
  start(able());
  Context& patient = context(device(), {.level = 4, .may_run_long = true});
  Context& urgent = context(device(), {.level = 20});
  put(patient, "L1");
  run();
  put(urgent, "U1");
  EXPECT_THAT(run(), ElementsAre("preempt 2"));
  now = 100 * kSecond;
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_THAT(preempted(2, 0), ElementsAre("submit U1 3", "submit L1 again 4"));
}

// The destruction of a device waits for its packets, and a packet that never ends must not keep it for ever.
TEST_F(RecoveryTest, PatienceEndsWithTheDevice) {
  start(able());
  DeviceState& going = device();
  put(context(going, {.may_run_long = true}), "L1");
  run();
  now = 100 * kSecond;
  EXPECT_THAT(run(), IsEmpty());
  scheduler->end_patience(going, now);
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_EQ(scheduler->next_deadline(), 102 * kSecond);
  now = 102 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "preempt 2"));
}

TEST_F(RecoveryTest, LevelsOfRecovery) {
  SchedulerConfig config;
  config.timeout.level = TdrLevel::BugCheck;
  start(config);
  Context& a = context(device());
  put(a, "A1");
  run();
  now = 2 * kSecond;
  EXPECT_THAT(run(), ElementsAre("query fence", "bug check 0x116"));
}

TEST_F(RecoveryTest, DetectionCanBeSwitchedOff) {
  SchedulerConfig config = able();
  config.timeout.level = TdrLevel::Off;
  start(config);
  Context& a = context(device());
  put(a, "A1");
  run();
  EXPECT_EQ(scheduler->next_deadline(), base::kForever);
  now = 100 * kSecond;
  EXPECT_THAT(run(), IsEmpty());
}

}  // namespace
}  // namespace vidsch
