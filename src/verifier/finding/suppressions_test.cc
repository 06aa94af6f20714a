#include "verifier/finding/suppressions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verifier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Finding leak_in(const std::string& function) {
  Finding finding;
  finding.rule = "NT-LEAK-01";
  finding.sentence = "pool block of 32 bytes was never given back";
  Frame frame;
  frame.driver = true;
  frame.function = function;
  frame.file = "src/pool.c";
  frame.line = 17;
  finding.stacks = {{"obtained", {frame}}};
  return finding;
}

Suppressions parsed(const std::string& text) {
  auto all = Suppressions::parse(text, "known.txt");
  EXPECT_TRUE(all.ok()) << all.error();
  return all.ok() ? all.take() : Suppressions{};
}

TEST(Suppressions, ARuleAloneMeansAllItsFindings) {
  Suppressions all = parsed("# ours\n\nNT-LEAK-01   # ticket 12\n");
  EXPECT_TRUE(all.matches(leak_in("start")));
  Finding other = leak_in("start");
  other.rule = "NT-LEAK-02";
  EXPECT_FALSE(all.matches(other));
}

TEST(Suppressions, APatternIsAFunctionAPlaceOrWords) {
  for (const char* pattern : {"start_*", "src/pool.c:1?", "*32 bytes*"}) {
    Suppressions all = parsed(std::string("NT-LEAK-*  ") + pattern + "  ");
    EXPECT_TRUE(all.matches(leak_in("start_device"))) << pattern;
    Finding other = leak_in("stop");
    other.sentence = "another";
    other.stacks[0].frames[0].line = 4;
    EXPECT_FALSE(all.matches(other)) << pattern;
  }
}

TEST(Suppressions, FramesOfTheHostDoNotCount) {
  Finding finding = leak_in("ExAllocatePool2");
  finding.stacks[0].frames[0].driver = false;
  EXPECT_FALSE(parsed("* ExAllocatePool2").matches(finding));
}

TEST(Suppressions, TellWhatTheyNeverMatched) {
  Suppressions all = parsed("NT-LEAK-01 start\nNT-LEAK-01 stop\n");
  all.matches(leak_in("start"));
  EXPECT_THAT(all.unused(), ElementsAre(HasSubstr("known.txt:2")));
  all.matches(leak_in("stop"));
  EXPECT_THAT(all.unused(), IsEmpty());
}

TEST(Suppressions, ARuleThatIsNotThereIsNamedWithItsLine) {
  std::string error = Suppressions::parse("NT-LEAK-01\nXY-99 start\n", "known.txt").error();
  EXPECT_THAT(error, HasSubstr("known.txt:2"));
  EXPECT_THAT(error, HasSubstr("XY-99"));
}

}  // namespace
}  // namespace verifier
