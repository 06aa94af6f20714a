#include "host/run/run_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/testing.h"
#include "trace/writer.h"

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using verifier::UsePoint;
using verifier::WorkInterval;

constexpr uint32_t kFirst = 0x10000, kSecond = 0x10001;

// A trace of events at times of its own.
class RunCharts : public ::testing::Test {
 protected:
  RunCharts() { writer_.turn_on(); }

  template <typename Event>
  void at(uint64_t now, const Event& event) {
    writer_.emit_as({.time_ns = now, .thread = 0, .processor = 0, .irql = 0}, event);
  }
  void use(uint64_t now, uint32_t segment, uint64_t used, uint32_t adapter = kFirst) {
    at(now, trace::SegmentUse{.adapter = adapter, .segment = segment, .used = used, .size = 1000});
  }
  void work(uint64_t now, uint32_t node, uint64_t fence, bool paging = false, uint32_t adapter = kFirst) {
    at(now, trace::NodeWork{.adapter = adapter, .node = node, .fence = fence, .paging = paging});
  }
  verifier::Charts charts() { return charts_of(trace::recorded(writer_)); }

  trace::Writer writer_;
};

TEST_F(RunCharts, MemoryOfEachSegment) {
  use(10, 2, 64);
  use(10, 1, 0);
  use(30, 2, 128);
  at(50, trace::MachineStop{.reason = "done"});
  verifier::Charts got = charts();
  EXPECT_EQ(got.end_ns, 50u);
  ASSERT_EQ(got.memory.size(), 2u);
  EXPECT_EQ(got.memory[0].name, "segment 1");
  EXPECT_EQ(got.memory[1].name, "segment 2");
  EXPECT_EQ(got.memory[1].size_bytes, 1000u);
  EXPECT_THAT(got.memory[1].points, ElementsAre(UsePoint{10, 64}, UsePoint{30, 128}));
  EXPECT_THAT(got.work, IsEmpty());
}

TEST_F(RunCharts, APacketRunsFromWhenItIsTheOldestUntilAnotherIs) {
  work(10, 0, 1);
  work(20, 0, 2, /*paging=*/true);
  work(25, 0, 0);
  work(40, 0, 3);
  at(90, trace::MachineStop{.reason = "done"});
  verifier::Charts got = charts();
  ASSERT_EQ(got.work.size(), 1u);
  EXPECT_EQ(got.work[0].name, "node 0");
  EXPECT_THAT(got.work[0].intervals,
              ElementsAre(WorkInterval{10, 20, "rendering", "fence 1"}, WorkInterval{20, 25, "paging", "fence 2"},
                          WorkInterval{40, 90, "rendering", "fence 3"}));
}

TEST_F(RunCharts, SeveralAdaptersAreNumberedAsTheyCome) {
  use(10, 1, 64, kSecond);
  use(20, 1, 32, kFirst);
  work(30, 4, 1, false, kSecond);
  verifier::Charts got = charts();
  ASSERT_EQ(got.memory.size(), 2u);
  EXPECT_EQ(got.memory[0].name, "adapter 2, segment 1");
  EXPECT_EQ(got.memory[1].name, "adapter 1, segment 1");
  EXPECT_EQ(got.work.at(0).name, "adapter 1, node 4");
}

TEST_F(RunCharts, NothingOfGraphicsGivesNoChart) {
  at(10, trace::MachineStart{.seed = 1, .processors = 2, .policy = "random"});
  verifier::Charts got = charts();
  EXPECT_TRUE(got.empty());
}

TEST_F(RunCharts, ADamagedTraceGivesWhatIsGoodOfIt) {
  constexpr uint64_t kEvents = 20000;  // several blocks
  for (uint64_t i = 0; i < kEvents; ++i) use(i, 1, i);
  std::vector<std::byte> bytes = trace::recorded(writer_);
  bytes.resize(bytes.size() / 2);
  verifier::Charts got = charts_of(bytes);
  ASSERT_EQ(got.memory.size(), 1u);
  EXPECT_GT(got.memory[0].points.size(), 1u);
  EXPECT_LT(got.memory[0].points.size(), kEvents);
  EXPECT_TRUE(charts_of({}).empty());
}

}  // namespace
}  // namespace host
