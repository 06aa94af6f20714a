#include "verifier/finding/text.h"

#include <gtest/gtest.h>

namespace verifier {
namespace {

TEST(Text, WrapsAtAHundredColumns) {
  std::string out, word(48, 'w');
  append_wrapped(out, 2, word + " " + word + " " + word);
  EXPECT_EQ(out, "  " + word + " " + word + "\n  " + word + "\n");
}

TEST(Text, LeavesLongWordsWhole) {
  std::string out, word(150, 'w');
  append_wrapped(out, 2, word);
  EXPECT_EQ(out, "  " + word + "\n");
}

TEST(Text, HeadsASection) {
  std::string out = "before\n";
  append_section(out, "Heading", "text");
  EXPECT_EQ(out, "before\n\nHeading\n  text\n");
}

TEST(Text, IndentsLinesThatHoldSomething) {
  std::string out;
  append_lines(out, 4, "a {\n\n  b\n}");
  EXPECT_EQ(out, "    a {\n\n      b\n    }\n");
}

}  // namespace
}  // namespace verifier
