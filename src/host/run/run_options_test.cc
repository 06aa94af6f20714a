#include "host/run/run_options.h"

#include <gtest/gtest.h>

#include "nt/machine/choice_source.h"

namespace host {
namespace {

TEST(RunOptionsTest, AFindingSaysOnlyWhatIsNotTheDefault) {
  RunOptions options;
  options.driver = "a/mill.so";
  verifier::RunContext run = context_of(options, "nt/run", 7);
  EXPECT_EQ(run.driver, "a/mill.so");
  EXPECT_EQ(run.scenario, "nt/run");
  EXPECT_EQ(run.seed, 7u);
  EXPECT_EQ(run.policy, nt::to_string(nt::policy_for_seed(7)));
  EXPECT_EQ(run.schedule, "");
  EXPECT_EQ(run.processors, 0u);
  EXPECT_EQ(run.profile, "");
  EXPECT_EQ(run.fault, 0u);
  EXPECT_EQ(run.hang_edges, 0u);
}

TEST(RunOptionsTest, AFindingSaysAllThatIsNeededToSeeItAgain) {
  RunOptions options;
  options.processors = RunOptions{}.processors + 1;
  options.profile = "wddm2.0";
  options.fault = 3;
  options.hang_edges = 1000;
  verifier::RunContext run = context_of(options, "nt/run", 7);
  EXPECT_EQ(run.processors, options.processors);
  EXPECT_EQ(run.profile, "wddm2.0");
  EXPECT_EQ(run.fault, 3u);
  EXPECT_EQ(run.hang_edges, 1000u);
}

}  // namespace
}  // namespace host
