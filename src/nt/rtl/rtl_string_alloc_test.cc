#include <gtest/gtest.h>

#include <string>

#include "nt/testing/machine_fixture.h"

// The string functions that take their result from the pool: on a machine, because that is where a pool is.
namespace {

class RtlStringAlloc : public nt::MachineTest {};

TEST_F(RtlStringAlloc, AnsiToUnicodeAndBack) {
  run([] {
    ANSI_STRING source;
    RtlInitAnsiString(&source, "pool");
    UNICODE_STRING wide = {};
    ASSERT_EQ(RtlAnsiStringToUnicodeString(&wide, &source, TRUE), STATUS_SUCCESS);
    EXPECT_EQ(wide.Length, 8);
    EXPECT_EQ(wide.MaximumLength, 10);
    EXPECT_EQ(std::u16string(wide.Buffer), u"pool");

    ANSI_STRING narrow = {};
    ASSERT_EQ(RtlUnicodeStringToAnsiString(&narrow, &wide, TRUE), STATUS_SUCCESS);
    EXPECT_STREQ(narrow.Buffer, "pool");
    RtlFreeUnicodeString(&wide);
    EXPECT_EQ(wide.Buffer, nullptr);
    EXPECT_EQ(wide.Length, 0);
    RtlFreeAnsiString(&narrow);
    EXPECT_EQ(narrow.Buffer, nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(RtlStringAlloc, Upcase) {
  run([] {
    UNICODE_STRING source;
    RtlInitUnicodeString(&source, u"shout");
    UNICODE_STRING upper = {};
    ASSERT_EQ(RtlUpcaseUnicodeString(&upper, &source, TRUE), STATUS_SUCCESS);
    EXPECT_EQ(std::u16string(upper.Buffer, upper.Length / 2), u"SHOUT");
    RtlFreeUnicodeString(&upper);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(RtlStringAlloc, EmptyStringsHaveABufferToo) {
  run([] {
    UNICODE_STRING source;
    RtlInitUnicodeString(&source, u"");
    UNICODE_STRING upper = {};
    ASSERT_EQ(RtlUpcaseUnicodeString(&upper, &source, TRUE), STATUS_SUCCESS);
    EXPECT_EQ(upper.Length, 0);
    EXPECT_NE(upper.Buffer, nullptr);
    RtlFreeUnicodeString(&upper);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(RtlStringAlloc, TooLongForACountedString) {
  run([] {
    const std::string text(40000, 'x');
    ANSI_STRING source;
    RtlInitAnsiString(&source, text.c_str());
    UNICODE_STRING wide = {};
    EXPECT_EQ(RtlAnsiStringToUnicodeString(&wide, &source, TRUE), STATUS_INVALID_PARAMETER_2);
    EXPECT_EQ(wide.Buffer, nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(RtlStringAlloc, FreeingNothing) {
  run([] {
    UNICODE_STRING wide = {};
    RtlFreeUnicodeString(&wide);
    EXPECT_EQ(wide.Buffer, nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(RtlStringAlloc, GuidThereAndBack) {
  run([] {
    const GUID guid = {0x1b4e28ba, 0x2fa1, 0x11d2, {0x88, 0x3f, 0x00, 0x16, 0xd3, 0xcc, 0xa4, 0x27}};
    UNICODE_STRING text = {};
    ASSERT_EQ(RtlStringFromGUID(guid, &text), STATUS_SUCCESS);
    EXPECT_EQ(text.Length, 76);
    EXPECT_EQ(std::u16string(text.Buffer), u"{1B4E28BA-2FA1-11D2-883F-0016D3CCA427}");
    GUID back = {};
    EXPECT_EQ(RtlGUIDFromString(&text, &back), STATUS_SUCCESS);
    EXPECT_TRUE(back == guid);
    RtlFreeUnicodeString(&text);
  });
  EXPECT_TRUE(broken().empty());
}

}  // namespace
