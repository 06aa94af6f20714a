#include "umd/common/pending_commands.h"

#include <gtest/gtest.h>

#include <array>

namespace umd {
namespace {

class PendingCommandsTest : public ::testing::Test {
 protected:
  PendingCommandsTest() {
    target_.use.id = 1;
    texture_.use.id = 2;
    other_.use.id = 3;
    for (Resource* each : {&target_, &texture_, &other_}) each->associated = true;
  }
  void draw(std::initializer_list<Resource*> resources) {
    commands_.add(Work::Draw, {resources.begin(), resources.size()}, commands_.count(), true);
  }
  void submit_list(std::initializer_list<uint64_t> memory) {
    commands_.submitted({.memory = std::span(memory.begin(), memory.size())});
  }
  bool pending(const Resource& resource) const { return commands_.pending(resource.use); }

  PendingCommands commands_;
  Resource target_, texture_, other_;
};

TEST_F(PendingCommandsTest, ASubmissionThatSaysNothingCoversEverything) {
  draw({&target_, &texture_});
  EXPECT_TRUE(pending(target_));
  EXPECT_TRUE(pending(texture_));
  EXPECT_FALSE(pending(other_));
  commands_.submitted({});
  EXPECT_FALSE(pending(target_));
  EXPECT_FALSE(pending(texture_));
}

TEST_F(PendingCommandsTest, ADrawWaitsForAnEngineThatDraws) {
  draw({&target_});
  commands_.submitted({.can_draw = false});
  EXPECT_TRUE(pending(target_));
  commands_.submitted({.can_draw = true});
  EXPECT_FALSE(pending(target_));
}

TEST_F(PendingCommandsTest, AnyEngineMayCopy) {
  Resource* copied = &other_;
  commands_.add(Work::Any, {&copied, 1}, commands_.count(), true);
  EXPECT_TRUE(pending(other_));
  commands_.submitted({.can_draw = false, .memory = std::span<const uint64_t>()});
  EXPECT_FALSE(pending(other_));
}

// What is bound need not be used; of what a draw uses, the list names something.
TEST_F(PendingCommandsTest, AListThatNamesSomethingOfADrawContainsIt) {
  draw({&target_, &texture_});
  draw({&other_});
  submit_list({1});
  EXPECT_FALSE(pending(target_));
  EXPECT_FALSE(pending(texture_));
  EXPECT_TRUE(pending(other_));
  submit_list({});
  EXPECT_TRUE(pending(other_));
  submit_list({7, 3});
  EXPECT_FALSE(pending(other_));
}

TEST_F(PendingCommandsTest, AListMayContainADrawWhoseMemoryIsNotKnown) {
  texture_.associated = false;
  draw({&target_, &texture_});
  submit_list({});
  EXPECT_FALSE(pending(target_));
  texture_.unnamed = std::make_shared<UnnamedMemory>();
  draw({&target_, &texture_});
  submit_list({});
  EXPECT_TRUE(pending(target_));
}

TEST_F(PendingCommandsTest, MemoryOfTheProcessIsNotUsedByTheGpu) {
  texture_.system_memory = true;
  draw({&texture_});
  EXPECT_FALSE(pending(texture_));
  draw({&texture_, &target_});
  submit_list({2});
  EXPECT_TRUE(pending(target_)) << "what the list names is none of its memory";
}

TEST_F(PendingCommandsTest, WithOneContextEverySubmissionCoversEverything) {
  Resource* drawn = &target_;
  commands_.add(Work::Draw, {&drawn, 1}, commands_.count(), false);
  submit_list({});
  EXPECT_FALSE(pending(target_));
}

// Whether what was submitted in the call contains the command is not known; a copy engine's certainly does not.
TEST_F(PendingCommandsTest, ASubmissionInTheCallIsBelievedToContainTheCommand) {
  PendingCommands::Count before = commands_.count();
  Resource* drawn = &target_;
  commands_.submitted({.can_draw = false});
  commands_.add(Work::Draw, {&drawn, 1}, before, true);
  EXPECT_TRUE(pending(target_));
  commands_.submitted({});
  before = commands_.count();
  commands_.submitted({});
  commands_.add(Work::Draw, {&drawn, 1}, before, true);
  EXPECT_FALSE(pending(target_));
}

TEST_F(PendingCommandsTest, WhatMayBeDroppedIsForgotten) {
  draw({&target_});
  commands_.submitted({.can_draw = false});
  draw({&texture_});
  commands_.forget();
  EXPECT_FALSE(pending(target_));
  EXPECT_FALSE(pending(texture_));
}

TEST_F(PendingCommandsTest, TheOldestOfVeryManyDrawsCountsAsSubmitted) {
  draw({&target_});
  draw({&texture_});
  for (int i = 0; i < 4095; ++i) draw({&other_});
  commands_.submitted({.can_draw = false});
  EXPECT_FALSE(pending(target_));
  EXPECT_TRUE(pending(texture_));
  EXPECT_TRUE(pending(other_));
}

}  // namespace
}  // namespace umd
