#include "base/utf.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Utf, EveryScalarValueGoesThereAndBack) {
  for (uint32_t code = 1; code <= 0x10FFFF; ++code) {
    if (code == 0xD800) code = 0xE000;
    std::u16string wide;
    if (code < 0x10000) {
      wide += static_cast<char16_t>(code);
    } else {
      wide += static_cast<char16_t>(0xD7C0 + (code >> 10));
      wide += static_cast<char16_t>(0xDC00 + (code & 0x3FF));
    }
    std::optional<std::string> narrow = to_utf8(wide);
    ASSERT_TRUE(narrow) << code;
    ASSERT_EQ(to_utf16(*narrow), wide) << code;
  }
}

TEST(Utf, LoneSurrogatesAreRefused) {
  const char16_t high[] = {0xD800, 0}, low[] = {0xDC00, 0}, reversed[] = {0xDC00, 0xD800, 0}, cut[] = {u'a', 0xDBFF, 0};
  for (const char16_t* each : {high, low, reversed, cut}) EXPECT_EQ(to_utf8(each), std::nullopt);
}

TEST(Utf, MalformedBytesAreRefused) {
  for (const char* each : {"\x80", "\xC0\x80", "\xC3", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    EXPECT_EQ(to_utf16(each), std::nullopt) << each;
  }
}

TEST(Utf, ASequenceIsJudgedByItsShapeAlone) {
  for (const char* each : {"a", "\xC3\xBC", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_EQ(utf8_sequence_length(each), std::string_view(each).size()) << each;
  }
  for (const char* each : {"\x80", "\xC0\x80", "\xC3", "\xC3z", "\xE2\x82", "\xF5\x80\x80\x80"}) {
    EXPECT_EQ(utf8_sequence_length(each), 0u) << each;
  }
}

}  // namespace
}  // namespace base
