#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "abi/km/wdm.h"

namespace {

// A UNICODE_STRING with storage of its own, `room` characters of it behind a guard.
class Text {
 public:
  Text(std::u16string_view text, size_t room) : storage_(room + 1, u'#') {
    std::copy(text.begin(), text.end(), storage_.begin());
    string_ = {static_cast<USHORT>(text.size() * 2), static_cast<USHORT>(room * 2), storage_.data()};
  }
  explicit Text(std::u16string_view text) : Text(text, text.size()) {}

  UNICODE_STRING* operator&() { return &string_; }
  std::u16string text() const { return {string_.Buffer, string_.Length / sizeof(WCHAR)}; }
  char16_t raw(size_t index) const { return storage_[index]; }
  bool guard_intact() const { return storage_.back() == u'#'; }

 private:
  std::vector<WCHAR> storage_;
  UNICODE_STRING string_;
};

ANSI_STRING ansi(const char* text) {
  ANSI_STRING string;
  RtlInitAnsiString(&string, text);
  return string;
}

TEST(RtlInit, CountsWithoutAndWithTheTerminator) {
  UNICODE_STRING wide;
  RtlInitUnicodeString(&wide, u"abc");
  EXPECT_EQ(wide.Length, 6);
  EXPECT_EQ(wide.MaximumLength, 8);
  RtlInitUnicodeString(&wide, nullptr);
  EXPECT_EQ(wide.Length, 0);
  EXPECT_EQ(wide.MaximumLength, 0);
  EXPECT_EQ(wide.Buffer, nullptr);
  STRING narrow;
  RtlInitString(&narrow, "abc");
  EXPECT_EQ(narrow.Length, 3);
  EXPECT_EQ(narrow.MaximumLength, 4);
  RtlInitAnsiString(&narrow, nullptr);
  EXPECT_EQ(narrow.MaximumLength, 0);
}

TEST(RtlInit, LongStringsAreCutOrRefused) {
  const std::u16string longest(32766, u'x');
  const std::u16string longer(32767, u'x');
  UNICODE_STRING wide;
  RtlInitUnicodeString(&wide, longer.c_str());
  EXPECT_EQ(wide.Length, 65532);
  EXPECT_EQ(wide.MaximumLength, 65534);
  EXPECT_EQ(RtlInitUnicodeStringEx(&wide, longest.c_str()), STATUS_SUCCESS);
  EXPECT_EQ(wide.Length, 65532);
  wide = {};
  EXPECT_EQ(RtlInitUnicodeStringEx(&wide, longer.c_str()), STATUS_NAME_TOO_LONG);
  EXPECT_EQ(wide.Buffer, nullptr);
  const ANSI_STRING narrow = ansi(std::string(70000, 'x').c_str());
  EXPECT_EQ(narrow.Length, 65534);
  EXPECT_EQ(narrow.MaximumLength, 65535);
}

TEST(RtlCopy, CopiesWhatFits) {
  Text destination(u"", 4);
  Text source(u"abcdef");
  RtlCopyUnicodeString(&destination, &source);
  EXPECT_EQ(destination.text(), u"abcd");
  EXPECT_TRUE(destination.guard_intact());
  Text shorter(u"xy");
  RtlCopyUnicodeString(&destination, &shorter);
  EXPECT_EQ(destination.text(), u"xy");
  EXPECT_EQ(destination.raw(2), 0);
  EXPECT_EQ((&destination)->MaximumLength, 8);
  RtlCopyUnicodeString(&destination, nullptr);
  EXPECT_EQ(destination.text(), u"");
}

TEST(RtlAppend, AllOrNothing) {
  Text destination(u"ab", 5);
  Text three(u"cde");
  EXPECT_EQ(RtlAppendUnicodeStringToString(&destination, &three), STATUS_SUCCESS);
  EXPECT_EQ(destination.text(), u"abcde");
  EXPECT_TRUE(destination.guard_intact());
  EXPECT_EQ(RtlAppendUnicodeToString(&destination, u"f"), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(destination.text(), u"abcde");
  EXPECT_EQ(RtlAppendUnicodeToString(&destination, u""), STATUS_SUCCESS);
  EXPECT_EQ(RtlAppendUnicodeToString(&destination, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(destination.text(), u"abcde");
}

TEST(RtlCompare, OrderLengthAndCase) {
  Text a(u"Alpha");
  Text b(u"alpha");
  Text c(u"Alphabet");
  Text d(u"\u00e9");
  Text e(u"\u00c9");
  EXPECT_LT(RtlCompareUnicodeString(&a, &b, FALSE), 0);
  EXPECT_EQ(RtlCompareUnicodeString(&a, &b, TRUE), 0);
  EXPECT_LT(RtlCompareUnicodeString(&a, &c, TRUE), 0);
  EXPECT_GT(RtlCompareUnicodeString(&c, &a, TRUE), 0);
  EXPECT_FALSE(RtlEqualUnicodeString(&a, &b, FALSE));
  EXPECT_TRUE(RtlEqualUnicodeString(&a, &b, TRUE));
  EXPECT_TRUE(RtlEqualUnicodeString(&d, &e, TRUE));
  EXPECT_TRUE(RtlPrefixUnicodeString(&b, &c, TRUE));
  EXPECT_FALSE(RtlPrefixUnicodeString(&b, &c, FALSE));
  EXPECT_FALSE(RtlPrefixUnicodeString(&c, &a, TRUE));
}

TEST(RtlCompare, AnsiIsUnsigned) {
  const ANSI_STRING a = ansi("abc");
  const ANSI_STRING b = ansi("ABC");
  const ANSI_STRING high = ansi("\xe9");
  const ANSI_STRING high_upper = ansi("\xc9");
  EXPECT_EQ(RtlCompareString(&a, &b, TRUE), 0);
  EXPECT_GT(RtlCompareString(&a, &b, FALSE), 0);
  EXPECT_GT(RtlCompareString(&high, &a, FALSE), 0);
  EXPECT_TRUE(RtlEqualString(&high, &high_upper, TRUE));
  EXPECT_FALSE(RtlEqualString(&high, &high_upper, FALSE));
}

TEST(RtlConvert, IntoTheCallersBuffer) {
  const ANSI_STRING source = ansi("a\x80z");
  Text wide(u"", 4);
  EXPECT_EQ(RtlAnsiStringToUnicodeString(&wide, &source, FALSE), STATUS_SUCCESS);
  EXPECT_EQ(wide.text(), u"a\u20acz");
  EXPECT_EQ(wide.raw(3), 0);
  Text tight(u"", 3);
  EXPECT_EQ(RtlAnsiStringToUnicodeString(&tight, &source, FALSE), STATUS_BUFFER_OVERFLOW);

  char buffer[4];
  ANSI_STRING narrow = {0, 4, buffer};
  EXPECT_EQ(RtlUnicodeStringToAnsiString(&narrow, &wide, FALSE), STATUS_SUCCESS);
  EXPECT_EQ(narrow.Length, 3);
  EXPECT_STREQ(buffer, "a\x80z");
  narrow.MaximumLength = 3;
  EXPECT_EQ(RtlUnicodeStringToAnsiString(&narrow, &wide, FALSE), STATUS_BUFFER_OVERFLOW);
}

TEST(RtlConvert, UpcaseAlsoInPlace) {
  Text text(u"abc \u00e9\u0436");
  EXPECT_EQ(RtlUpcaseUnicodeString(&text, &text, FALSE), STATUS_SUCCESS);
  EXPECT_EQ(text.text(), u"ABC \u00c9\u0416");
  Text small(u"", 3);
  EXPECT_EQ(RtlUpcaseUnicodeString(&small, &text, FALSE), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(RtlUpcaseUnicodeChar(u'q'), u'Q');
  EXPECT_EQ(RtlDowncaseUnicodeChar(u'\u0416'), u'\u0436');
}

TEST(RtlInteger, ToString) {
  Text text(u"", 33);
  EXPECT_EQ(RtlIntegerToUnicodeString(0, 0, &text), STATUS_SUCCESS);
  EXPECT_EQ(text.text(), u"0");
  EXPECT_EQ(RtlIntegerToUnicodeString(4294967295u, 10, &text), STATUS_SUCCESS);
  EXPECT_EQ(text.text(), u"4294967295");
  EXPECT_EQ(RtlIntegerToUnicodeString(0xBEEF, 16, &text), STATUS_SUCCESS);
  EXPECT_EQ(text.text(), u"BEEF");
  EXPECT_EQ(text.raw(4), 0);
  EXPECT_EQ(RtlIntegerToUnicodeString(8, 8, &text), STATUS_SUCCESS);
  EXPECT_EQ(text.text(), u"10");
  EXPECT_EQ(RtlIntegerToUnicodeString(0xffffffff, 2, &text), STATUS_SUCCESS);
  EXPECT_EQ(text.text(), std::u16string(32, u'1'));
  EXPECT_EQ(RtlIntegerToUnicodeString(1, 3, &text), STATUS_INVALID_PARAMETER);
  Text tight(u"", 3);
  EXPECT_EQ(RtlIntegerToUnicodeString(123, 10, &tight), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(RtlIntegerToUnicodeString(12, 10, &tight), STATUS_SUCCESS);
}

ULONG integer_of(std::u16string_view text, ULONG base) {
  Text string(text);
  ULONG value = 0xcccccccc;
  EXPECT_EQ(RtlUnicodeStringToInteger(&string, base, &value), STATUS_SUCCESS);
  return value;
}

TEST(RtlInteger, TheDocumentedTable) {
  EXPECT_EQ(integer_of(u"123", 10), 123u);
  EXPECT_EQ(integer_of(u"-345", 10), static_cast<ULONG>(-345));
  EXPECT_EQ(integer_of(u"xyz", 10), 0u);
  EXPECT_EQ(integer_of(u"+678abc", 10), 678u);
  EXPECT_EQ(integer_of(u"+678abc", 16), 6785724u);
  EXPECT_EQ(integer_of(u"007", 10), 7u);
  EXPECT_EQ(integer_of(u"789", 8), 7u);
  EXPECT_EQ(integer_of(u"FGH", 16), 15u);
  EXPECT_EQ(integer_of(u" ", 10), 0u);
}

TEST(RtlInteger, PrefixesCountOnlyWithoutABase) {
  EXPECT_EQ(integer_of(u"0x1f", 0), 31u);
  EXPECT_EQ(integer_of(u"0o17", 0), 15u);
  EXPECT_EQ(integer_of(u"0b101", 0), 5u);
  EXPECT_EQ(integer_of(u" \t-0x10", 0), static_cast<ULONG>(-16));
  EXPECT_EQ(integer_of(u"010", 0), 10u);
  EXPECT_EQ(integer_of(u"0x1f", 16), 0u);
  EXPECT_EQ(integer_of(u"0", 0), 0u);
}

TEST(RtlInteger, RefusesNothingAndStrangeBases) {
  ULONG value = 5;
  Text empty(u"");
  Text one(u"1");
  EXPECT_EQ(RtlUnicodeStringToInteger(&empty, 10, &value), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlUnicodeStringToInteger(&one, 7, &value), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(value, 5u);
}

constexpr GUID kGuid = {0x1b4e28ba, 0x2fa1, 0x11d2, {0x88, 0x3f, 0x00, 0x16, 0xd3, 0xcc, 0xa4, 0x27}};

TEST(RtlGuid, FromString) {
  GUID guid = {};
  Text text(u"{1B4E28BA-2fa1-11d2-883F-0016d3cca427}");
  EXPECT_EQ(RtlGUIDFromString(&text, &guid), STATUS_SUCCESS);
  EXPECT_TRUE(guid == kGuid);
}

TEST(RtlGuid, RefusesOtherShapes) {
  for (const char16_t* shape : {u"", u"1B4E28BA-2fa1-11d2-883F-0016d3cca427", u"{1B4E28BA-2fa1-11d2-883F-0016d3cca427",
                                u"{1B4E28BA-2fa1-11d2-883F-0016d3cca427}x", u"{1B4E28BA-2fa1-11d2-883F-0016d3cca42g}",
                                u"{1B4E28BA02fa1-11d2-883F-0016d3cca427}", u"(1B4E28BA-2fa1-11d2-883F-0016d3cca427)"}) {
    GUID guid = kGuid;
    Text text(shape);
    EXPECT_EQ(RtlGUIDFromString(&text, &guid), STATUS_INVALID_PARAMETER);
    EXPECT_TRUE(guid == kGuid);
  }
}

}  // namespace
