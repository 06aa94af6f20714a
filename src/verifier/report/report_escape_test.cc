#include "verifier/report/report_escape.h"

#include <gtest/gtest.h>

namespace verifier {
namespace {

TEST(Escaped, MarkupBecomesText) {
  EXPECT_EQ(escaped("a < b && \"c\" > 'd'"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(escaped("]]><script>"), "]]&gt;&lt;script&gt;");
}

TEST(Escaped, KeepsLinesTabsAndEveryAlphabet) {
  EXPECT_EQ(escaped("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(escaped("a\r"), "a&#13;") << "a parser would make a line of it";
  EXPECT_EQ(escaped("µ → 漢 𝄞"), "µ → 漢 𝄞");
}

TEST(Escaped, ReplacesWhatXmlForbids) {
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b[1m", 7)), "a�b�[1m");
  EXPECT_EQ(escaped("\xEF\xBF\xBF"), "���") << "U+FFFF";
}

TEST(Escaped, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(escaped("\xff"), "�");
  EXPECT_EQ(escaped("\xc3"), "�") << "cut off";
  EXPECT_EQ(escaped("\xc3<"), "�&lt;") << "the next character stays";
  EXPECT_EQ(escaped("\xc0\xbc"), "��") << "'<' in too many bytes";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "���") << "half of a pair";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "����") << "above U+10FFFF";
}

}  // namespace
}  // namespace verifier
