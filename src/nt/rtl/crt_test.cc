#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "abi/crt/drydock_crt.h"

namespace {

TEST(Crt, WideLengths) {
  EXPECT_EQ(DrydockWcslen(u""), 0u);
  EXPECT_EQ(DrydockWcslen(u"abc"), 3u);
  const WCHAR unterminated[2] = {u'a', u'b'};
  EXPECT_EQ(DrydockWcsnlen(unterminated, 2), 2u);
  EXPECT_EQ(DrydockWcsnlen(u"a", 9), 1u);
}

TEST(Crt, WideCopies) {
  WCHAR buffer[8];
  EXPECT_EQ(DrydockWcscpy(buffer, u"abc"), buffer);
  EXPECT_EQ(DrydockWcscat(buffer, u"de"), buffer);
  EXPECT_EQ(std::u16string(buffer), u"abcde");
  std::fill(buffer, buffer + 8, u'#');
  EXPECT_EQ(DrydockWcsncpy(buffer, u"ab", 4), buffer);
  EXPECT_EQ(std::u16string(buffer, 5), std::u16string(u"ab\0\0#", 5));
  DrydockWcsncpy(buffer, u"vwxyz", 2);
  EXPECT_EQ(std::u16string(buffer, 3), std::u16string(u"vw\0", 3));
}

TEST(Crt, WideComparisons) {
  EXPECT_EQ(DrydockWcscmp(u"abc", u"abc"), 0);
  EXPECT_LT(DrydockWcscmp(u"abc", u"abd"), 0);
  EXPECT_GT(DrydockWcscmp(u"\uffff", u"a"), 0);
  EXPECT_LT(DrydockWcscmp(u"ab", u"abc"), 0);
  EXPECT_EQ(DrydockWcsncmp(u"abX", u"abY", 2), 0);
  EXPECT_NE(DrydockWcsncmp(u"abX", u"abY", 3), 0);
  EXPECT_EQ(DrydockWcsncmp(u"ab", u"ab", 99), 0);
  EXPECT_EQ(DrydockWcsicmp(u"DevIce", u"dEViCE"), 0);
  EXPECT_NE(DrydockWcsicmp(u"\u00c9", u"\u00e9"), 0);  // ASCII case only
}

TEST(Crt, NarrowComparisonsWithoutCase) {
  EXPECT_EQ(DrydockStricmp("ABC", "abc"), 0);
  EXPECT_LT(DrydockStricmp("_", "A"), 0);  // compared as lower case
  EXPECT_GT(DrydockStricmp("\xe9", "z"), 0);
  EXPECT_EQ(DrydockStrnicmp("ABx", "aby", 2), 0);
  EXPECT_NE(DrydockStrnicmp("ABx", "aby", 3), 0);
  EXPECT_EQ(DrydockStrnicmp("ab", "AB", 99), 0);
}

TEST(Crt, WideSearches) {
  const WCHAR* text = u"a.b.c";
  EXPECT_EQ(DrydockWcschr(text, u'.'), text + 1);
  EXPECT_EQ(DrydockWcsrchr(text, u'.'), text + 3);
  EXPECT_EQ(DrydockWcschr(text, u'x'), nullptr);
  EXPECT_EQ(DrydockWcsrchr(text, u'x'), nullptr);
  EXPECT_EQ(DrydockWcschr(text, 0), text + 5);
  EXPECT_EQ(DrydockWcsrchr(text, 0), text + 5);
  EXPECT_EQ(DrydockWcsstr(text, u".c"), text + 3);
  EXPECT_EQ(DrydockWcsstr(text, u""), text);
  EXPECT_EQ(DrydockWcsstr(text, u"cc"), nullptr);
}

TEST(Crt, SnprintfTerminatesOnlyWhereThereIsRoom) {
  std::array<char, 6> buffer;
  buffer.fill('#');
  EXPECT_EQ(DrydockSnprintf(buffer.data(), 4, "%d", 123), 3);
  EXPECT_EQ(std::string(buffer.data(), 5), std::string("123\0#", 5));
  buffer.fill('#');
  EXPECT_EQ(DrydockSnprintf(buffer.data(), 3, "%d", 123), 3);
  EXPECT_EQ(std::string(buffer.data(), 4), "123#");
  buffer.fill('#');
  EXPECT_EQ(DrydockSnprintf(buffer.data(), 2, "%d", 123), -1);
  EXPECT_EQ(std::string(buffer.data(), 3), "12#");
  EXPECT_EQ(DrydockSnprintf(buffer.data(), 0, "%d", 123), -1);
  EXPECT_EQ(DrydockSnprintf(nullptr, 0, "%d", 123), 3);
  EXPECT_EQ(DrydockSnprintf(buffer.data(), buffer.size(), "%n", &buffer), -1);
}

TEST(Crt, WideFormatsAreWindowsFormats) {
  WCHAR buffer[32];
  EXPECT_EQ(DrydockSwprintf(buffer, u"%s %S %ld", u"wide", "narrow", -1), 14);
  EXPECT_EQ(std::u16string(buffer), u"wide narrow -1");
  EXPECT_EQ(DrydockSnwprintf(buffer, 3, u"%I64x", 0x1234567890LL), -1);
  EXPECT_EQ(std::u16string(buffer, 3), u"123");
  char narrow[32];
  EXPECT_EQ(DrydockSprintf(narrow, "%ws|%p", u"x", static_cast<void*>(nullptr)), 18);
  EXPECT_STREQ(narrow, "x|0000000000000000");
}

}  // namespace
