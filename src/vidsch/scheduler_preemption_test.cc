#include "vidsch/testing/scheduler_fixture.h"

namespace vidsch {
namespace {

TEST_F(SchedulerTest, AHigherLevelTakesTheHardware) {
  start(able());
  Context& low = context(device());
  Context& high = context(device(), {.level = 20});
  put(low, "L1");
  put(low, "L2");
  put(low, "L3");
  run();
  put(high, "H");
  EXPECT_THAT(run(), ElementsAre("preempt 3"));
  put(high, "H2");
  EXPECT_THAT(run(), IsEmpty());  // one request at a time, and nothing goes to the node before its answer
  EXPECT_THAT(preempted(3, 0), ElementsAre("submit H 4", "submit H2 5"));
  EXPECT_THAT(complete(5), ElementsAre("done H", "done H2", "submit L1 again 6", "submit L2 again 7"));
  EXPECT_THAT(complete(7), ElementsAre("done L1", "done L2", "submit L3 8"));
}

TEST_F(SchedulerTest, ADriverThatKnowsNoPreemptionIsNotAsked) {
  SchedulerConfig config = able();
  config.preemption_aware = false;
  start(config);
  Context& low = context(device());
  Context& high = context(device(), {.level = 20});
  put(low, "L1");
  run();
  put(high, "H");
  EXPECT_THAT(run(), ElementsAre("submit H 2"));
}

TEST_F(SchedulerTest, APreemptionMayComeAfterSomeOrAllWereCompleted) {
  start(able(3));
  Context& low = context(device());
  Context& high = context(device(), {.level = 20});
  for (const char* name : {"L1", "L2", "L3"}) put(low, name);
  run();
  put(high, "H");
  run();
  EXPECT_THAT(complete(1), ElementsAre("done L1"));  // in flight with the request
  EXPECT_THAT(preempted(4, 2), ElementsAre("done L2", "submit H 5", "submit L3 again 6"));

  put(high, "H2");
  EXPECT_THAT(complete(5), ElementsAre("done H", "preempt 7"));
  EXPECT_THAT(complete(6), ElementsAre("done L3"));  // idle, and the answer is still owed
  EXPECT_THAT(preempted(7, 6), ElementsAre("submit H2 8"));
}

TEST_F(SchedulerTest, PreemptedPagingKeepsItsFencesAndGoesFirst) {
  start(able(4));
  Context& low = context(device());
  Context& high = context(device(), {.level = 20});
  Context& paging = context(device(), {.system = true});
  put(low, "L1");
  put(low, "L2");
  run();
  scheduler->suspend(high);
  put(high, "H");
  // Paging comes behind render packets in the hardware: this leads to a preemption that is not needed any more.
  put(paging, "P1", PacketKind::Paging);
  EXPECT_THAT(run(), ElementsAre("preempt 3"));
  EXPECT_THAT(preempted(3, 0), ElementsAre("submit P1 4", "submit L1 again 5", "submit L2 again 6"));
  put(paging, "P2", PacketKind::Paging);
  EXPECT_THAT(run(), ElementsAre("preempt 7"));
  scheduler->resume(high);
  EXPECT_THAT(preempted(7, 0), ElementsAre("submit P1 again 4", "submit P2 8", "submit H 9", "submit L1 again 10"));
  EXPECT_THAT(complete(4), ElementsAre("done P1", "submit L2 again 11"));
  EXPECT_THAT(complete(11), ElementsAre("done P2", "done H", "done L1", "done L2"));
}

TEST_F(SchedulerTest, PagingThatComesAgainDoesNotTakeTheLastSubmittedFenceBack) {
  start(able(4));
  Context& low = context(device());
  Context& paging = context(device(), {.system = true});
  put(paging, "P1", PacketKind::Paging);
  put(low, "L1");
  EXPECT_THAT(run(), ElementsAre("submit P1 1", "submit L1 2"));
  put(paging, "P2", PacketKind::Paging);
  EXPECT_THAT(run(), ElementsAre("preempt 3"));
  scheduler->suspend(paging);
  scheduler->suspend(low);
  EXPECT_THAT(preempted(3, 0), ElementsAre("submit P1 again 1"));
  EXPECT_EQ(scheduler->node(0).last_submitted(), 2u);
}

TEST_F(SchedulerTest, WhatWasPreemptedComesBackBeforeItsEqualsAndInOrder) {
  start(able(2));
  DeviceState& d = device();
  Context& a = context(d);
  Context& b = context(d);
  Context& c = context(d);
  Context& high = context(d, {.level = 20});
  put(a, "A1");
  put(b, "B1");
  run();
  put(c, "C1");
  put(high, "H");
  EXPECT_THAT(run(), ElementsAre("preempt 3"));
  EXPECT_THAT(preempted(3, 0), ElementsAre("submit H 4", "submit A1 again 5"));
  EXPECT_THAT(complete(5), ElementsAre("done H", "done A1", "submit B1 again 6", "submit C1 7"));
}

TEST_F(SchedulerTest, AnExpiredQuantumGivesTheHardwareToAnEqual) {
  start(able(2));
  DeviceState& d = device();
  Context& a = context(d, {.quantum_ns = 5 * kMs});
  Context& b = context(d, {.quantum_ns = 5 * kMs});
  for (const char* name : {"A1", "A2", "A3"}) put(a, name);
  run();
  EXPECT_EQ(scheduler->next_deadline(), 2 * kSecond);  // no other context waits
  put(b, "B1");
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_EQ(scheduler->next_deadline(), 5 * kMs);
  now = 5 * kMs;
  EXPECT_THAT(run(), ElementsAre("preempt 3"));
  EXPECT_THAT(preempted(3, 0), ElementsAre("submit B1 4", "submit A1 again 5"));
}

TEST_F(SchedulerTest, ALowerLevelGetsNothingByQuantum) {
  start(able(2));
  Context& a = context(device(), {.level = 10, .quantum_ns = 5 * kMs});
  Context& b = context(device(), {.level = 9});
  put(a, "A1");
  put(a, "A2");
  put(b, "B1");
  run();
  now = 100 * kMs;
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_EQ(scheduler->next_deadline(), 2 * kSecond);
}

TEST_F(SchedulerTest, SignalsAndWaitsBehindAPreemptedPacketStayBehindIt) {
  start(able(4));
  DeviceState& d = device();
  Context& a = context(d);
  Context& high = context(d, {.level = 20});
  put(a, "A1");
  put(a, "S", PacketKind::Signal);
  put(a, "A2");
  Packet& wait = put(a, "W", PacketKind::Wait);
  put(a, "A3");
  run();
  put(high, "H");
  run();
  EXPECT_THAT(preempted(3, 1), ElementsAre("done A1", "signal S", "done S", "submit H 4", "submit A2 again 5"));
  EXPECT_THAT(complete(5), ElementsAre("done H", "done A2"));
  scheduler->wake(wait);  // it was begun before the preemption and is not begun again
  EXPECT_THAT(run(), ElementsAre("done W", "submit A3 6"));
}

TEST_F(SchedulerTest, PreemptedPacketsOfAFailedDeviceAreCancelled) {
  start(able(2));
  DeviceState& d = device();
  Context& a = context(d);
  Context& high = context(device(), {.level = 20});
  put(a, "A1");
  put(a, "S", PacketKind::Signal);
  run();
  put(high, "H");
  run();
  scheduler->fail(d);
  EXPECT_THAT(preempted(2, 0), ElementsAre("cancel A1", "cancelled A1", "cancelled S", "submit H 3"));
}

TEST_F(SchedulerTest, WhatWasCancelledBehindAPreemptedPacketStaysCancelled) {
  start(able(1));
  Context& a = context(device());
  Context& high = context(device(), {.level = 20});
  put(a, "A1");
  put(a, "A2");
  run();
  scheduler->cancel(a);
  EXPECT_THAT(run(), ElementsAre("cancel A2"));
  put(a, "A3");
  put(high, "H");
  run();
  EXPECT_THAT(preempted(2, 0), ElementsAre("submit H 3"));
  EXPECT_THAT(complete(3), ElementsAre("done H", "submit A1 again 4"));
  EXPECT_THAT(complete(4), ElementsAre("done A1", "cancelled A2", "submit A3 5"));
}

TEST_F(SchedulerTest, ARefusedPacketIsNotSubmittedAgain) {
  start(able(3));
  Context& a = context(device());
  Context& b = context(device());
  Context& high = context(device(), {.level = 20});
  put(a, "A1");
  put(b, "B1");
  (void)scheduler->submitted(*scheduler->next(now).packet, Scheduler::Submission::Accepted);
  (void)scheduler->submitted(*scheduler->next(now).packet, Scheduler::Submission::Refused);
  put(high, "H");
  EXPECT_THAT(run(), ElementsAre("preempt 3"));
  EXPECT_THAT(preempted(3, 0), ElementsAre("aborted B1", "submit H 4", "submit A1 again 5"));
}

// The scheduler counts a refused packet as completed; the last fence of such a driver is the one before it.
TEST_F(SchedulerTest, ADriverNeedNotCountWhatItRefused) {
  start(able(3));
  Context& a = context(device());
  Context& b = context(device());
  Context& high = context(device(), {.level = 20});
  put(a, "A1");
  put(b, "B1");
  (void)scheduler->submitted(*scheduler->next(now).packet, Scheduler::Submission::Accepted);
  (void)scheduler->submitted(*scheduler->next(now).packet, Scheduler::Submission::Refused);
  put(high, "H");
  EXPECT_THAT(run(), ElementsAre("preempt 3"));
  EXPECT_THAT(complete(1), ElementsAre("done A1", "aborted B1"));
  EXPECT_TRUE(scheduler->preempted(0, 3, 1, now).fine());
  EXPECT_THAT(run(), ElementsAre("submit H 4"));
}

TEST_F(SchedulerTest, APreemptionThatWasNotRequestedIsAViolation) {
  start(able());
  Context& a = context(device());
  put(a, "A1");
  run();
  EXPECT_EQ(scheduler->preempted(0, 2, 0, now).parameter, kInvalidFence);
  EXPECT_EQ(scheduler->preempted(0, 0, 0, now).parameter, kInvalidFence);
}

TEST_F(SchedulerTest, APreemptionOfTheWrongFencesIsAViolation) {
  start(able());
  Context& a = context(device());
  Context& high = context(device(), {.level = 20});
  put(a, "A1");
  run();
  put(high, "H");
  run();
  EXPECT_EQ(scheduler->preempted(0, 7, 0, now).parameter, kInvalidFence);
  EXPECT_EQ(scheduler->preempted(0, 2, 2, now).parameter, kInvalidFence);  // its own fence belongs to no packet
  EXPECT_THAT(preempted(2, 1), ElementsAre("done A1", "submit H 3"));
  EXPECT_EQ(scheduler->preempted(0, 2, 1, now).parameter, kInvalidFence);  // twice
}

TEST_F(SchedulerTest, FencesOfPreemptedPacketsAreVoid) {
  start(able());
  Context& a = context(device());
  Context& high = context(device(), {.level = 20});
  put(a, "A1");
  run();
  put(high, "H");
  run();
  preempted(2, 0);
  EXPECT_EQ(scheduler->completed(0, 1, now).parameter, kInvalidFence);
}

}  // namespace
}  // namespace vidsch
