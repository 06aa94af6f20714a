#include "ks/stream/gate.h"

#include "nt/testing/machine_fixture.h"

namespace ks {
namespace {

KSGATE make_and(KSGATE* next = nullptr) {
  KSGATE gate;
  KsGateInitializeAnd(&gate, next);
  return gate;
}

KSGATE make_or(KSGATE* next = nullptr) {
  KSGATE gate;
  KsGateInitializeOr(&gate, next);
  return gate;
}

TEST(GateInput, AnAndGateIsOpenWhileEveryInputIsOn) {
  KSGATE gate = make_and();
  GateInput a, b;
  a.attach(gate, GateKind::And, true);
  EXPECT_EQ(gate.Count, 1);
  b.attach(gate, GateKind::And, false);
  EXPECT_EQ(gate.Count, 0);
  a.set(false);
  EXPECT_EQ(gate.Count, -1);
  b.set(true);
  EXPECT_FALSE(KsGateGetStateUnsafe(&gate));
  a.set(true);
  EXPECT_TRUE(KsGateGetStateUnsafe(&gate));
}

TEST(GateInput, AnOrGateIsOpenWhileAnyInputIsOn) {
  KSGATE gate = make_or();
  GateInput a, b;
  a.attach(gate, GateKind::Or, false);
  b.attach(gate, GateKind::Or, false);
  EXPECT_FALSE(KsGateGetStateUnsafe(&gate));
  a.set(true);
  b.set(true);
  EXPECT_EQ(gate.Count, 2);
  a.set(false);
  EXPECT_TRUE(KsGateGetStateUnsafe(&gate));
  b.set(false);
  EXPECT_FALSE(KsGateGetStateUnsafe(&gate));
}

TEST(GateInput, SayingTheSameTwiceCountsOnce) {
  KSGATE gate = make_and();
  GateInput input;
  input.attach(gate, GateKind::And, true);
  input.set(false);
  input.set(false);
  EXPECT_EQ(gate.Count, 0);
  input.set(true);
  input.set(true);
  EXPECT_EQ(gate.Count, 1);
}

TEST(GateInput, LeavesTheGateAsItFoundIt) {
  for (bool on : {false, true}) {
    KSGATE both = make_and(), either = make_or();
    GateInput a, b;
    a.attach(both, GateKind::And, on);
    b.attach(either, GateKind::Or, on);
    a.detach();
    b.detach();
    EXPECT_EQ(both.Count, 1);
    EXPECT_EQ(either.Count, 0);
  }
}

TEST(GateInput, AnInputOfAnOrGateOpensTheAndGateBehindIt) {
  KSGATE filter = make_and();
  KSGATE either = make_or(&filter);
  EXPECT_EQ(filter.Count, 0);
  GateInput input;
  input.attach(either, GateKind::Or, false);
  input.set(true);
  EXPECT_EQ(filter.Count, 1);
  input.set(false);
  EXPECT_EQ(filter.Count, 0);
  KsGateTerminateOr(&either);
  EXPECT_EQ(filter.Count, 1);
}

class GateJudging : public nt::MachineTest {
 protected:
  void judge(LONG count, GateKind kind) {
    run([&] {
      KSGATE gate{count, nullptr};
      EXPECT_FALSE(judge_gate(machine(), gate, kind, "pin 0"));
    });
  }
};

TEST_F(GateJudging, AnAndGateAboveOneIsMisused) {
  observer.then = nt::Then::GoOn;
  judge(2, GateKind::And);
  EXPECT_EQ(broken(), std::vector<std::string>{"KsGateMisused"});
}

TEST_F(GateJudging, AnOrGateBelowNoneIsMisused) {
  observer.then = nt::Then::GoOn;
  judge(-1, GateKind::Or);
  EXPECT_EQ(broken(), std::vector<std::string>{"KsGateMisused"});
}

TEST_F(GateJudging, OneOffInputManyOnInputsAndNoneAreAllRight) {
  run([&] {
    KSGATE shut{-3, nullptr}, open{1, nullptr}, many{5, nullptr}, none{0, nullptr};
    EXPECT_TRUE(judge_gate(machine(), shut, GateKind::And, "pin 0"));
    EXPECT_TRUE(judge_gate(machine(), open, GateKind::And, "pin 0"));
    EXPECT_TRUE(judge_gate(machine(), many, GateKind::Or, "pin 0"));
    EXPECT_TRUE(judge_gate(machine(), none, GateKind::Or, "pin 0"));
  });
  EXPECT_TRUE(broken().empty());
}

}  // namespace
}  // namespace ks
