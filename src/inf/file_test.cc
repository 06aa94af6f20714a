#include "inf/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"

namespace inf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

File parsed(std::string_view text) {
  auto file = File::parse(text, "x.inf");
  EXPECT_TRUE(file.ok()) << file.error();
  return file.ok() ? file.take() : File::parse("[none]", "x.inf").take();
}

std::string refusal(std::string_view text) {
  auto file = File::parse(text, "x.inf");
  EXPECT_FALSE(file.ok()) << text;
  return file.ok() ? "" : file.error();
}

std::vector<std::string> values(std::string_view line) {
  File file = parsed("[s]\nkey = " + std::string(line) + "\n");
  return file.find("s")->entries.at(0).values;
}

std::string utf16(std::u16string_view text) {
  std::string out = "\xFF\xFE";
  for (char16_t unit : text) {
    out += static_cast<char>(unit & 0xFF);
    out += static_cast<char>(unit >> 8);
  }
  return out;
}

TEST(InfFileTest, SectionsOfOneNameAreOneInAnyCaseOfLetters) {
  File file = parsed("[Version]\na=1\n\n[Other]\nb=2\n[VERSION]\nc = 3, 4\n");
  const Section* version = file.find("version");
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(version->name, "Version");
  EXPECT_EQ(version->line, 1u);
  ASSERT_EQ(version->entries.size(), 2u);
  EXPECT_EQ(version->find("C")->line, 7u);
  EXPECT_THAT(version->find("C")->values, ElementsAre("3", "4"));
  EXPECT_EQ(version->find("b"), nullptr);
  EXPECT_EQ(file.find("Versions"), nullptr);
}

TEST(InfFileTest, WhatStandsBeforeTheFirstSectionIsSkipped) {
  File file = parsed("/*++\n; Don't \"read\n--*/\n[s]\na = b\n");
  EXPECT_EQ(file.sections().size(), 1u);
  EXPECT_EQ(file.find("s")->find("a")->line, 5u);
}

TEST(InfFileTest, FieldsAreSeparatedByCommasAndMayBeLeftOut) {
  EXPECT_THAT(values("a, b ,,c d"), ElementsAre("a", "b", "", "c d"));
  EXPECT_THAT(values(""), ElementsAre(""));
  File file = parsed("[s]\nHKR,,Name,,a=b\n");
  EXPECT_EQ(file.find("s")->entries[0].key, "") << "what follows a comma is no key";
  EXPECT_THAT(file.find("s")->entries[0].values, ElementsAre("HKR", "", "Name", "", "a=b"));
}

TEST(InfFileTest, QuotesProtectBlanksCommasAndSemicolons) {
  EXPECT_THAT(values("\" a, b; c \" , d"), ElementsAre(" a, b; c ", "d"));
  EXPECT_THAT(values("\"Display an \"\"example\"\" string\""), ElementsAre("Display an \"example\" string"));
  EXPECT_THAT(values("one\" two \"three"), ElementsAre("one two three"));
  EXPECT_THAT(values("\"two\nlines\", b"), ElementsAre("two\nlines", "b"));
}

TEST(InfFileTest, CommentsAndContinuations) {
  EXPECT_THAT(values("a, b ; c, d"), ElementsAre("a", "b"));
  EXPECT_THAT(values("a, \\\n  b, \\ ; said\r\n  c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(values("\"SomeDirectory\\\"\\ ; comment\n,SomeFile"), ElementsAre("SomeDirectory\\", "SomeFile"));
  EXPECT_THAT(values("%13%\\x.sys"), ElementsAre("%13%\\x.sys"));
  File file = parsed("; first\n\n[s]\na = 1, \\\n 2\nb = 3\n");
  EXPECT_EQ(file.find("s")->find("a")->line, 4u);
  EXPECT_EQ(file.find("s")->find("b")->line, 6u);
}

TEST(InfFileTest, StringsArePutInButNotIntoEachOther) {
  File file = parsed(
      "[s]\n%Who%=m,\"%A% and %a%\",%13%\\x,100%%\n%nobody%=1\n"
      "[Strings]\nWho = \"us\"\nA = \"%B%\"\nB=no\nonly=en\n[Strings.0407]\nA=anders\nC=c\n");
  const Entry& entry = file.find("s")->entries[0];
  EXPECT_EQ(entry.key, "us");
  EXPECT_THAT(entry.values, ElementsAre("m", "%B% and %B%", "%13%\\x", "100%"));
  EXPECT_THAT(file.undefined(), ElementsAre(File::Undefined{"nobody", 3}));
}

TEST(InfFileTest, ReadsUtf16AndTellsWhereLettersAreForeign) {
  File wide = parsed(utf16(u"[s]\r\nname = \"\u00fc\U0001F600\"\r\n"));
  EXPECT_EQ(wide.find("s")->find("name")->value(0), "\u00fc\U0001F600");
  EXPECT_EQ(wide.foreign_line(), 0u);
  EXPECT_EQ(parsed("[s]\n; \u00fc\na = b\n").foreign_line(), 0u) << "a comment";
  EXPECT_EQ(parsed("\xEF\xBB\xBF[s]\n; \u00fc\na = \u00fc\n").foreign_line(), 3u);
  File latin = parsed("[s]\na = \xFC\n");
  EXPECT_EQ(latin.find("s")->find("a")->value(0), "\u00fc");
  EXPECT_EQ(latin.foreign_line(), 2u);
}

TEST(InfFileTest, WhatIsBrokenIsRefusedWithItsLine) {
  EXPECT_EQ(refusal("[s]\na = \"b\n[t]\nc=d\n"), "x.inf is broken in line 2: a string is not closed");
  EXPECT_EQ(refusal("[s]\na = \"b\n"), "x.inf is broken in line 2: a string is not closed");
  EXPECT_EQ(refusal("[a]\n[b\n"), "x.inf is broken in line 2: the name of a section has no ]");
  EXPECT_EQ(refusal("[]\n"), "x.inf is broken in line 1: a section has no name");
  EXPECT_EQ(refusal("\na = b\n"), "x.inf is no INF file: it has no section");
  EXPECT_EQ(refusal("[Manufacturer]\n%m% = Models, NT$ARCH$\n"),
            "x.inf is a template ($ARCH$ in line 2): check the file that stampinf makes of it");
  EXPECT_EQ(refusal(""), "x.inf is no INF file: it has no section");
  EXPECT_EQ(refusal("; nothing\n"), "x.inf is no INF file: it has no section");
  EXPECT_EQ(refusal(std::string_view("MZ\0\1", 4)), "x.inf is no INF file: it is no text");
  EXPECT_EQ(refusal("\xFE\xFF\0["), "x.inf is no INF file: it is UTF-16 with its bytes the wrong way round");
  EXPECT_EQ(refusal("\xFF\xFE["), "x.inf is no INF file: it is UTF-16 with half a letter at its end");
  EXPECT_THAT(refusal("\xFF\xFE\x01\xD8["), HasSubstr("half a letter"));
  EXPECT_THAT(refusal("[s]\na = " + std::string(5000, 'x')), HasSubstr("line 2: a field has more than 4096 letters"));
  EXPECT_THAT(refusal("[" + std::string(300, 'x') + "]"), HasSubstr("line 1: the name of a section has more than 255"));
  EXPECT_THAT(refusal(std::string(9 << 20, ';')), HasSubstr("has more than"));
}

TEST(InfFileTest, AFileThatIsNotThere) {
  EXPECT_EQ(File::read("/nowhere/x.inf").error(), "/nowhere/x.inf cannot be read");
}

// A file that was cut off or hit anywhere is read or refused, with one sentence that names it.
TEST(InfFileTest, RandomDamageIsReadOrRefused) {
  const std::string whole =
      "[Version]\r\nSignature = \"$Windows NT$\" ; c\r\nA = %B%, \\\r\n 1\r\n[Strings]\r\nB = \"x \"\"y\"\"\"\r\n";
  constexpr uint64_t kSeed = 20;
  base::Rng rng(kSeed);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole.substr(0, rng.below(whole.size() + 1));
    constexpr std::string_view kLetters = "\"%[]\\;,=\r\n \xFF\xFE\xC3";
    for (uint64_t i = rng.below(4); i > 0 && !text.empty(); --i) {
      text[rng.below(text.size())] = kLetters[rng.below(kLetters.size())];
    }
    auto file = File::parse(text, "x.inf");
    EXPECT_TRUE(file.ok() || file.error().starts_with("x.inf is ")) << "seed " << kSeed << ", round " << round;
  }
}

}  // namespace
}  // namespace inf
