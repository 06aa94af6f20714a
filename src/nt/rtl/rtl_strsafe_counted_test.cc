#include <gtest/gtest.h>

#include <string>

#include "abi/km/ntstrsafe.h"
#include "abi/km/wdm.h"

namespace {

// A UNICODE_STRING over four characters, with a guard behind them.
class CountedString : public testing::Test {
 protected:
  std::u16string text() const { return {string_.Buffer, string_.Length / sizeof(WCHAR)}; }

  WCHAR storage_[5] = {u'#', u'#', u'#', u'#', u'!'};
  UNICODE_STRING string_ = {0, 8, storage_};
};

TEST_F(CountedString, CopyFillsTheWholeBuffer) {
  EXPECT_EQ(RtlUnicodeStringCopyString(&string_, u"abcd"), STATUS_SUCCESS);
  EXPECT_EQ(text(), u"abcd");
  EXPECT_EQ(storage_[4], u'!');
  EXPECT_EQ(RtlUnicodeStringCopyString(&string_, u"vwxyz"), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(text(), u"vwxy");
  EXPECT_EQ(storage_[4], u'!');
  EXPECT_EQ(RtlUnicodeStringCopyString(&string_, u"a"), STATUS_SUCCESS);
  EXPECT_EQ(text(), u"a");
  EXPECT_EQ(storage_[1], 0);
  EXPECT_EQ(storage_[2], u'x');
}

TEST_F(CountedString, CopyFromACountedString) {
  WCHAR other[] = u"abcdef";
  UNICODE_STRING source = {6, 14, other};
  EXPECT_EQ(RtlUnicodeStringCopy(&string_, &source), STATUS_SUCCESS);
  EXPECT_EQ(text(), u"abc");
  source.Length = 12;
  EXPECT_EQ(RtlUnicodeStringCopy(&string_, &source), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(text(), u"abcd");
}

TEST_F(CountedString, Cat) {
  EXPECT_EQ(RtlUnicodeStringCatString(&string_, u"ab"), STATUS_SUCCESS);
  EXPECT_EQ(RtlUnicodeStringCatString(&string_, u"cd"), STATUS_SUCCESS);
  EXPECT_EQ(text(), u"abcd");
  EXPECT_EQ(RtlUnicodeStringCatString(&string_, u""), STATUS_SUCCESS);
  EXPECT_EQ(RtlUnicodeStringCatString(&string_, u"e"), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(text(), u"abcd");
  EXPECT_EQ(storage_[4], u'!');
}

TEST_F(CountedString, Print) {
  EXPECT_EQ(RtlUnicodeStringPrintf(&string_, u"%d%S", 12, "ab"), STATUS_SUCCESS);
  EXPECT_EQ(text(), u"12ab");
  EXPECT_EQ(RtlUnicodeStringPrintf(&string_, u"%s", u"vwxyz"), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(text(), u"vwxy");
  EXPECT_EQ(storage_[4], u'!');
}

TEST_F(CountedString, InvalidStringsAreRefused) {
  const UNICODE_STRING bad[] = {{10, 8, storage_}, {3, 8, storage_}, {0, 7, storage_}, {0, 8, nullptr}};
  for (UNICODE_STRING each : bad) {
    EXPECT_EQ(RtlUnicodeStringCopyString(&each, u"a"), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(RtlUnicodeStringCatString(&each, u"a"), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(RtlUnicodeStringPrintf(&each, u"a"), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(RtlUnicodeStringCopy(&string_, &each), STATUS_INVALID_PARAMETER);
  }
  EXPECT_EQ(RtlUnicodeStringCopyString(nullptr, u"a"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlUnicodeStringCopyString(&string_, nullptr), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlUnicodeStringPrintf(&string_, nullptr), STATUS_INVALID_PARAMETER);
}

TEST_F(CountedString, NoRoomAtAll) {
  UNICODE_STRING none = {};
  EXPECT_EQ(RtlUnicodeStringCopyString(&none, u""), STATUS_SUCCESS);
  EXPECT_EQ(RtlUnicodeStringCopyString(&none, u"a"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlUnicodeStringPrintf(&none, u"%d", 1), STATUS_INVALID_PARAMETER);
}

TEST(RtlUnicodeStringInit, CountsOrRefuses) {
  UNICODE_STRING string;
  EXPECT_EQ(RtlUnicodeStringInit(&string, u"abc"), STATUS_SUCCESS);
  EXPECT_EQ(string.Length, 6);
  EXPECT_EQ(string.MaximumLength, 8);
  EXPECT_EQ(RtlUnicodeStringInit(&string, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(string.MaximumLength, 0);
  EXPECT_EQ(string.Buffer, nullptr);
  EXPECT_EQ(RtlUnicodeStringInit(&string, std::u16string(32766, u'x').c_str()), STATUS_SUCCESS);
  EXPECT_EQ(string.MaximumLength, 65534);
  EXPECT_EQ(RtlUnicodeStringInit(&string, std::u16string(32767, u'x').c_str()), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlUnicodeStringInit(nullptr, u"abc"), STATUS_INVALID_PARAMETER);
}

}  // namespace
