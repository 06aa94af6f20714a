#include "vidsch/testing/scheduler_fixture.h"

namespace vidsch {
namespace {

TEST_F(SchedulerTest, FencesCountFromOnePerNode) {
  start(able());
  DeviceState& d = device();
  Context& a = context(d);
  Context& b = context(d, {.node = 1});
  put(a, "A1");
  put(a, "A2");
  put(b, "B1");
  EXPECT_THAT(run(), ElementsAre("submit A1 1", "submit A2 2", "submit B1 1"));
}

TEST_F(SchedulerTest, TheHardwareHoldsNoMoreThanItsDepth) {
  start(able(2));
  Context& a = context(device());
  for (const char* name : {"A1", "A2", "A3", "A4"}) put(a, name);
  EXPECT_THAT(run(), ElementsAre("submit A1 1", "submit A2 2"));
  EXPECT_EQ(a.in_hardware(), 2u);
  EXPECT_THAT(complete(1), ElementsAre("done A1", "submit A3 3"));
}

TEST_F(SchedulerTest, ACompletionCompletesWhatCameBefore) {
  start(able(3));
  Context& a = context(device());
  for (const char* name : {"A1", "A2", "A3"}) put(a, name);
  run();
  EXPECT_THAT(complete(2), ElementsAre("done A1", "done A2"));
}

TEST_F(SchedulerTest, ASignalIsPerformedInOrderButDoesNotKeepPacketsFromTheHardware) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  put(a, "S", PacketKind::Signal);
  put(a, "M", PacketKind::Marker);
  put(a, "A2");
  put(a, "E", PacketKind::Event);
  EXPECT_THAT(run(), ElementsAre("submit A1 1", "submit A2 2"));
  EXPECT_THAT(complete(1), ElementsAre("done A1", "signal S", "done S", "done M"));
  EXPECT_THAT(complete(2), ElementsAre("done A2", "signal E", "done E"));
}

TEST_F(SchedulerTest, AWaitBlocksItsContextOnly) {
  start(able());
  DeviceState& d = device();
  Context& a = context(d);
  Context& b = context(d);
  Packet& wait = put(a, "W", PacketKind::Wait);
  put(a, "A1");
  put(b, "B1");
  EXPECT_THAT(run(), ElementsAre("submit B1 1"));
  scheduler->wake(wait);
  EXPECT_THAT(run(), ElementsAre("done W", "submit A1 2"));
}

TEST_F(SchedulerTest, AWaitThatIsSatisfiedIsPassedAtOnce) {
  start(able());
  Context& a = context(device());
  satisfied = {"W"};
  put(a, "A1");
  put(a, "W", PacketKind::Wait);
  put(a, "A2");
  EXPECT_THAT(run(), ElementsAre("submit A1 1", "submit A2 2"));
  EXPECT_THAT(complete(1), ElementsAre("done A1", "done W"));
}

TEST_F(SchedulerTest, AWakeOfACancelledWaitIsForgotten) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  Packet& cancelled = put(a, "W1", PacketKind::Wait);
  run();
  scheduler->cancel(a);
  run();
  put(a, "W2", PacketKind::Wait);
  put(a, "A2");
  run();
  scheduler->wake(cancelled);
  EXPECT_THAT(complete(1), ElementsAre("done A1", "cancelled W1"));
}

TEST_F(SchedulerTest, AContextThatIsNotReadyWaitsForItsMemory) {
  start(able());
  DeviceState& d = device();
  Context& a = context(d, {.level = 10});
  Context& b = context(device());
  unready = {&a};
  put(a, "A1");
  put(b, "B1");
  EXPECT_THAT(run(), ElementsAre("submit B1 1"));
  unready.clear();
  EXPECT_THAT(run(), IsEmpty());  // resume() has not been called yet
  EXPECT_THAT(complete(1), ElementsAre("done B1"));
  scheduler->resume(d);
  EXPECT_THAT(run(), ElementsAre("submit A1 2"));
}

TEST_F(SchedulerTest, NoContextIsPreemptedForOneThatIsNotReady) {
  start(able());
  Context& a = context(device());
  Context& b = context(device(), {.level = 10});
  put(a, "A1");
  run();
  unready = {&b};
  put(b, "B1");
  EXPECT_THAT(run(), IsEmpty());
}

TEST_F(SchedulerTest, SuspendedContextsAndDevicesSubmitNothing) {
  start(able());
  DeviceState& d = device();
  Context& a = context(d);
  Context& b = context(d);
  scheduler->suspend(a);
  scheduler->suspend(d);
  put(a, "A1");
  put(b, "B1");
  EXPECT_THAT(run(), IsEmpty());
  scheduler->resume(d);
  EXPECT_THAT(run(), ElementsAre("submit B1 1"));
  scheduler->resume(a);
  EXPECT_THAT(run(), ElementsAre("submit A1 2"));
}

TEST_F(SchedulerTest, PauseLetsTheHardwareRunDry) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  scheduler->pause();
  put(a, "A2");
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_FALSE(scheduler->idle());
  EXPECT_THAT(complete(1), ElementsAre("done A1"));
  EXPECT_TRUE(scheduler->idle());
  scheduler->unpause();
  EXPECT_THAT(run(), ElementsAre("submit A2 2"));
}

// The memory manager pauses clients while it changes page tables, and waits for the packets that change them.
TEST_F(SchedulerTest, PagingGoesOnWhileClientsArePaused) {
  start(able());
  Context& a = context(device());
  Context& paging = context(device(), {.system = true});
  scheduler->pause();
  put(a, "A1");
  put(paging, "P1", PacketKind::Paging);
  EXPECT_THAT(run(), ElementsAre("submit P1 1"));
  EXPECT_THAT(complete(1), ElementsAre("done P1"));
  scheduler->unpause();
  EXPECT_THAT(run(), ElementsAre("submit A1 2"));
}

TEST_F(SchedulerTest, PagingGetsTheHardwareWhileClientsArePaused) {
  start(able());
  Context& paging = context(device(), {.system = true});
  Context& a = context(device());
  put(a, "A1");
  run();
  put(paging, "P1", PacketKind::Paging);
  EXPECT_THAT(run(), ElementsAre("preempt 2"));
  scheduler->pause();
  EXPECT_THAT(preempted(2, 0), ElementsAre("submit P1 3"));
  EXPECT_THAT(complete(3), ElementsAre("done P1"));
  scheduler->unpause();
  EXPECT_THAT(run(), ElementsAre("submit A1 again 4"));
}

TEST_F(SchedulerTest, TheHigherLevelGoesFirst) {
  start(able());
  DeviceState& d = device();
  Context& low = context(d, {.level = 4});
  Context& high = context(d, {.level = 20});
  Context& paging = context(device(), {.system = true});
  put(low, "L");
  put(high, "H");
  put(paging, "P", PacketKind::Paging);
  EXPECT_THAT(run(), ElementsAre("submit P 1", "submit H 2"));
  scheduler->set_level(low, 21);
  EXPECT_THAT(complete(1), ElementsAre("done P", "preempt 3"));
  EXPECT_THAT(preempted(3, 1), ElementsAre("submit L 4", "submit H again 5"));
}

TEST_F(SchedulerTest, EqualsTakeTurnsByQuantum) {
  start(able(1));
  DeviceState& d = device();
  Context& a = context(d, {.quantum_ns = 4 * kMs});
  Context& b = context(d, {.quantum_ns = 4 * kMs});
  for (const char* name : {"A1", "A2", "A3", "A4"}) put(a, name);
  for (const char* name : {"B1", "B2", "B3"}) put(b, name);
  std::vector<std::string> order = run();
  for (FenceId fence = 1; fence <= 7; ++fence) {
    now += 2 * kMs;
    for (const std::string& line : complete(fence)) order.push_back(line);
  }
  std::erase_if(order, [](const std::string& line) { return line.starts_with("done"); });
  EXPECT_THAT(order, ElementsAre("submit A1 1", "submit A2 2", "submit B1 3", "submit B2 4", "submit A3 5",
                                 "submit A4 6", "submit B3 7"));
}

TEST_F(SchedulerTest, ASignalBetweenPacketsKeepsTheTurn) {
  start(able(1));
  DeviceState& d = device();
  Context& a = context(d);
  Context& b = context(d);
  put(a, "A1");
  put(a, "S", PacketKind::Signal);
  put(a, "A2");
  put(b, "B1");
  run();
  EXPECT_THAT(complete(1), ElementsAre("done A1", "signal S", "done S", "submit A2 2"));
}

TEST_F(SchedulerTest, ARefusedSubmissionIsOverWhenItsPredecessorsAre) {
  start(able());
  DeviceState& guilty = device();
  Context& a = context(device());
  Context& b = context(guilty);
  put(a, "A1");
  put(b, "B1");
  put(b, "B2");
  Action action = scheduler->next(now);
  EXPECT_TRUE(scheduler->submitted(*action.packet, Scheduler::Submission::Accepted).fine());
  action = scheduler->next(now);
  EXPECT_TRUE(scheduler->submitted(*action.packet, Scheduler::Submission::Refused).fine());
  EXPECT_EQ(guilty.error(), DeviceError::Refused);
  EXPECT_THAT(run(), ElementsAre("cancel B2"));
  EXPECT_THAT(complete(1), ElementsAre("done A1", "aborted B1", "cancelled B2"));
  EXPECT_EQ(scheduler->node(0).last_completed(), 2u);
  EXPECT_TRUE(scheduler->completed(0, 2, now).fine());  // the driver may say so too
}

TEST_F(SchedulerTest, ARefusedSubmissionToIdleHardwareIsOverAtOnce) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  const Action action = scheduler->next(now);
  EXPECT_TRUE(scheduler->submitted(*action.packet, Scheduler::Submission::Refused).fine());
  EXPECT_THAT(run(), ElementsAre("aborted A1"));
  EXPECT_TRUE(scheduler->idle());
}

TEST_F(SchedulerTest, APacketIsNotRetiredWhileTheWorkerIsInTheDriverWithIt) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  const Action action = scheduler->next(now);
  EXPECT_TRUE(scheduler->completed(0, 1, now).fine());
  scheduler->retire_completed();
  EXPECT_THAT(lines, IsEmpty());
  EXPECT_TRUE(scheduler->submitted(*action.packet, Scheduler::Submission::Accepted).fine());
  EXPECT_THAT(run(), ElementsAre("done A1"));
}

TEST_F(SchedulerTest, APacketIsNotRetiredWhileTheDriverCancelsIt) {
  start(able(1));
  DeviceState& d = device();
  Context& a = context(d);
  put(a, "A1");
  put(a, "A2");
  run();
  scheduler->fail(d);
  const Action action = scheduler->next(now);
  ASSERT_EQ(action.kind, Action::Kind::Cancel);
  EXPECT_TRUE(scheduler->completed(0, 1, now).fine());
  scheduler->retire_completed();
  EXPECT_THAT(std::exchange(lines, {}), ElementsAre("done A1"));
  scheduler->cancelled(*action.packet);
  EXPECT_THAT(run(), ElementsAre("cancelled A2"));
}

TEST_F(SchedulerTest, CompletedAndThenRefusedIsAViolation) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  const Action action = scheduler->next(now);
  EXPECT_TRUE(scheduler->completed(0, 1, now).fine());
  EXPECT_EQ(scheduler->submitted(*action.packet, Scheduler::Submission::Refused).parameter, kInvalidFence);
  EXPECT_TRUE(a.device().failed());
}

TEST_F(SchedulerTest, AFailedDeviceCancelsEveryQueuedPacketOnce) {
  start(able());
  DeviceState& d = device();
  Context& a = context(d);
  Context& b = context(d, {.node = 1});
  for (const char* name : {"A1", "A2", "A3"}) put(a, name);
  put(a, "S", PacketKind::Signal);
  put(b, "W", PacketKind::Wait);
  put(b, "B1");
  run();
  scheduler->fail(d);
  EXPECT_THAT(run(), ElementsAre("cancel A3", "cancel B1", "cancelled W", "cancelled B1"));
  put(a, "A4");
  EXPECT_THAT(run(), ElementsAre("cancel A4"));
  EXPECT_THAT(complete(2), ElementsAre("done A1", "done A2", "cancelled A3", "cancelled S", "cancelled A4"));
}

TEST_F(SchedulerTest, ADriverThatKnowsNoCancelIsNotAsked) {
  SchedulerConfig config = able(1);
  config.cancel_aware = false;
  start(config);
  DeviceState& d = device();
  Context& a = context(d);
  put(a, "A1");
  put(a, "A2");
  run();
  scheduler->fail(d);
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_THAT(complete(1), ElementsAre("done A1", "cancelled A2"));
}

TEST_F(SchedulerTest, CancellingAContextIsForWhatIsQueuedNow) {
  start(able(1));
  Context& a = context(device());
  put(a, "A1");
  put(a, "A2");
  run();
  scheduler->cancel(a);
  EXPECT_THAT(run(), ElementsAre("cancel A2"));
  put(a, "A3");
  EXPECT_THAT(complete(1), ElementsAre("done A1", "cancelled A2", "submit A3 2"));
}

TEST(PriorityTest, ClassesFoldIntoLevels) {
  EXPECT_EQ(fold_priority(ProcessClass::Normal, 0), kNormalLevel);
  EXPECT_EQ(fold_priority(ProcessClass::Normal, -7), 1);
  EXPECT_EQ(fold_priority(ProcessClass::Idle, -7), 1);
  EXPECT_EQ(fold_priority(ProcessClass::High, 7), 15);
  EXPECT_EQ(fold_priority(ProcessClass::Realtime, -7), 17);
  EXPECT_EQ(fold_priority(ProcessClass::Realtime, 7), 31);
}

}  // namespace
}  // namespace vidsch
