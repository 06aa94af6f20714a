#include "softgpu/hw/interrupts.h"

#include <gtest/gtest.h>

#include "softgpu/hw/testing/fake_host.h"
#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {
namespace {

constexpr uint32_t kFence = SOFTGPU_INT_FENCE(0), kOtherFence = SOFTGPU_INT_FENCE(1), kFault = SOFTGPU_INT_FAULT(0);

class InterruptsTest : public ::testing::Test {
 protected:
  InterruptsTest() { interrupts.enable(SOFTGPU_INT_ALL); }

  FakeHost services;
  Host host{services.services()};
  Interrupts interrupts{host};
};

TEST_F(InterruptsTest, TheLineIsUpWhileSomethingIsPending) {
  interrupts.add(kFence);
  EXPECT_TRUE(services.raised);
  EXPECT_EQ(interrupts.read_status(), kFence);
  interrupts.acknowledge(kFence);
  EXPECT_FALSE(services.raised);
  EXPECT_EQ(interrupts.read_status(), 0u);
  EXPECT_EQ(services.interrupts, 1);
}

TEST_F(InterruptsTest, WhatIsNotEnabledWaits) {
  interrupts.enable(kFault);
  interrupts.add(kFence);
  EXPECT_FALSE(services.raised);
  interrupts.enable(kFence);
  EXPECT_TRUE(services.raised);
  interrupts.enable(0);
  EXPECT_FALSE(services.raised);
  EXPECT_EQ(interrupts.read_status(), kFence);
}

TEST_F(InterruptsTest, AnotherCauseBeforeTheAcknowledgementInterruptsAgain) {
  interrupts.add(kFence);
  uint32_t status = interrupts.read_status();
  interrupts.add(kOtherFence);
  interrupts.acknowledge(status);
  EXPECT_TRUE(services.raised);
  EXPECT_EQ(services.interrupts, 2);
  EXPECT_EQ(interrupts.read_status(), kOtherFence);
}

TEST_F(InterruptsTest, TheSameCauseBeforeTheAcknowledgementIsNotLost) {
  interrupts.add(kFence);
  uint32_t status = interrupts.read_status();
  interrupts.add(kFence);
  interrupts.acknowledge(status);
  EXPECT_EQ(services.interrupts, 2);
  EXPECT_EQ(interrupts.read_status(), kFence);
  interrupts.acknowledge(kFence);
  EXPECT_FALSE(services.raised);
  EXPECT_EQ(interrupts.read_status(), 0u);
}

TEST_F(InterruptsTest, CausesThatComeBeforeTheReadAreOne) {
  interrupts.add(kFence);
  interrupts.add(kFence);
  interrupts.acknowledge(interrupts.read_status());
  EXPECT_EQ(interrupts.read_status(), 0u);
  EXPECT_EQ(services.interrupts, 1);
}

TEST_F(InterruptsTest, FencesWaitForCompanyWhenAsked) {
  interrupts.set_coalesce_ns(500);
  interrupts.add(kFence);
  EXPECT_FALSE(services.raised);
  EXPECT_EQ(interrupts.due(), services.now + 500);
  services.now += 499;
  interrupts.add(kOtherFence);
  interrupts.advance(services.now);
  EXPECT_FALSE(services.raised);
  services.now += 1;
  interrupts.advance(services.now);
  EXPECT_TRUE(services.raised);
  EXPECT_EQ(interrupts.due(), kNever);
  EXPECT_EQ(interrupts.read_status(), kFence | kOtherFence);
  EXPECT_EQ(interrupts.count(), 1u);
}

TEST_F(InterruptsTest, FaultsDoNotWait) {
  interrupts.set_coalesce_ns(500);
  interrupts.add(kFence);
  interrupts.add(kFault);
  EXPECT_TRUE(services.raised);
}

TEST_F(InterruptsTest, AnAcknowledgementDoesNotPutOffWhatWaits) {
  interrupts.set_coalesce_ns(500);
  interrupts.add(kFence);
  uint64_t due = interrupts.due();
  services.now += 300;
  interrupts.acknowledge(kFault);
  EXPECT_EQ(interrupts.due(), due);
}

TEST_F(InterruptsTest, UnknownCausesDoNotExist) {
  interrupts.add(0x7000'0000);
  EXPECT_EQ(interrupts.read_status(), 0u);
}

TEST_F(InterruptsTest, AResetForgetsEverything) {
  interrupts.add(kFault);
  interrupts.reset();
  EXPECT_FALSE(services.raised);
  EXPECT_EQ(interrupts.read_status(), 0u);
  interrupts.add(kFault);
  EXPECT_FALSE(services.raised);
}

}  // namespace
}  // namespace softgpu
