#include "host/capture/capture_script.h"

#include <gtest/gtest.h>

namespace host {
namespace {

using Verb = CaptureStep::Verb;

TEST(CaptureScript, ReadsStepsWithTheirLines) {
  auto parsed = CaptureScript::parse("acquire\n# nothing\n  run  # go\nread 30\n\nreset-begin\nstop\n");
  ASSERT_TRUE(parsed.ok()) << parsed.error();
  CaptureScript script = parsed.take();
  ASSERT_EQ(script.steps.size(), 5u);
  EXPECT_EQ(script.steps[1].verb, Verb::Run);
  EXPECT_EQ(script.steps[1].line, 3u);
  EXPECT_EQ(script.steps[2].verb, Verb::Read);
  EXPECT_EQ(script.steps[2].number, 30u);
  EXPECT_STREQ(to_string(script.steps[3].verb), "reset-begin");
}

TEST(CaptureScript, NamesTheLineThatIsWrong) {
  struct {
    const char *text, *error;
  } cases[] = {
      {"run\nfly\n", "line 2: there is no step 'fly'"},
      {"read\n", "line 1: 'read' takes a number up to 1000000"},
      {"read x\n", "line 1: 'read' takes a number up to 1000000"},
      {"read 1000001\n", "line 1: 'read' takes a number up to 1000000"},
      {"read 1 2\n", "line 1: 'read' takes a number up to 1000000"},
      {"\n\nrun 5\n", "line 3: 'run' takes nothing"},
      {"# only words\n", "no step in it"},
      {"", "no step in it"},
  };
  for (const auto& one : cases) {
    auto parsed = CaptureScript::parse(one.text);
    ASSERT_FALSE(parsed.ok()) << one.text;
    EXPECT_EQ(parsed.error(), one.error);
  }
}

}  // namespace
}  // namespace host
