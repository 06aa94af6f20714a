#include "nt/machine/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/reader.h"
#include "trace/sink.h"

namespace nt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kAllocation = trace::ObjectKind::DxgAllocation;

class HistoryTest : public ::testing::Test {
 protected:
  void step(uint32_t ordinal, const char* what, uint32_t thread = 1) {
    writer_.emit_as({.time_ns = 0, .thread = thread, .processor = 0, .irql = 0},
                    trace::ObjectStep{.kind = static_cast<uint8_t>(kAllocation), .ordinal = ordinal, .step = what});
  }
  void call(const char* name, uint32_t thread) {
    writer_.emit_as({.time_ns = 0, .thread = thread, .processor = 0, .irql = 0}, trace::KernelCall{.name = name});
  }

  trace::Writer writer_{1 << 16};
};

TEST_F(HistoryTest, IsOfTheSubjectThenOfTheThread) {
  writer_.turn_on();
  step(1, "created");
  step(2, "created");
  call("KeSetEvent", 1);
  step(1, "closed", 2);
  EXPECT_THAT(recent_history(writer_, {kAllocation, 1}, 1),
              ElementsAre(HasSubstr("created"), HasSubstr("closed"), HasSubstr("KeSetEvent")));
}

TEST_F(HistoryTest, WithoutASubjectIsWhatTheThreadCalled) {
  writer_.turn_on();
  call("KeSetEvent", 1);
  call("KeWaitForSingleObject", 2);
  step(1, "created");
  EXPECT_THAT(recent_history(writer_, {}, 1), ElementsAre(HasSubstr("KeSetEvent")));
}

TEST_F(HistoryTest, KeepsTheLatest) {
  writer_.turn_on();
  for (uint32_t i = 0; i < 100; ++i) step(1, i == 99 ? "last" : "step");
  auto lines = recent_history(writer_, {kAllocation, 1}, 1, 3);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines.back(), HasSubstr("last"));
}

TEST_F(HistoryTest, ReadingItDisturbsNothing) {
  writer_.turn_on();
  trace::MemorySink sink;
  writer_.set_sink(&sink);
  step(1, "created");
  uint64_t hash = writer_.hash();
  EXPECT_EQ(recent_history(writer_, {kAllocation, 1}, 1).size(), 1u);
  step(1, "destroyed");
  EXPECT_EQ(recent_history(writer_, {kAllocation, 1}, 1).size(), 2u);
  EXPECT_NE(writer_.hash(), hash);
  writer_.set_sink(nullptr);
  trace::Reader reader(sink.bytes());
  size_t events = 0;
  while (reader.next()) ++events;
  EXPECT_TRUE(reader.result().ok()) << reader.message();
  EXPECT_EQ(events, 2u);
}

TEST_F(HistoryTest, IsEmptyWhileNothingIsTraced) {
  step(1, "created");
  EXPECT_THAT(recent_history(writer_, {kAllocation, 1}, 1), IsEmpty());
}

}  // namespace
}  // namespace nt
