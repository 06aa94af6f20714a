#include "client/utf32_thunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/rng.h"

namespace client::utf32 {
namespace {

std::u16string narrowed(const std::u32string& text, size_t room = 64) {
  std::vector<Char> from(text.begin(), text.end());
  std::vector<char16_t> to(room, u'#');
  narrow(to, from);
  EXPECT_EQ(to.back(), 0);
  return to.data();
}

std::u32string widened(const std::u16string& text, size_t room = 64) {
  std::vector<char16_t> from(text.begin(), text.end());
  std::vector<Char> to(room, '#');
  widen(to, from);
  EXPECT_EQ(to.back(), 0u);
  return {to.begin(), std::find(to.begin(), to.end(), 0u)};
}

TEST(WideText, GoesBothWays) {
  EXPECT_EQ(narrowed(U"\\\\.\\DISPLAY1"), u"\\\\.\\DISPLAY1");
  EXPECT_EQ(widened(u"softgpu"), U"softgpu");
  EXPECT_EQ(narrowed(U"a\U0001F600z"), u"a\U0001F600z");
  EXPECT_EQ(widened(u"a\U0001F600z"), U"a\U0001F600z");
}

TEST(WideText, WhatIsNoUnicodeIsReplaced) {
  EXPECT_EQ(narrowed({0x110000, 'x'}), u"\uFFFDx");
  EXPECT_EQ(narrowed({0xD800, 'x'}), u"\uFFFDx");
  EXPECT_EQ(widened({0xD800, u'x'}), U"\uFFFDx");
  EXPECT_EQ(widened({u'x', 0xDC00}), U"x\uFFFD");
}

TEST(WideText, IsCutBetweenCharactersAndAlwaysEnds) {
  EXPECT_EQ(narrowed(U"abcdef", 4), u"abc");
  EXPECT_EQ(narrowed(U"ab\U0001F600", 4), u"ab");
  EXPECT_EQ(widened(u"abcdef", 4), U"abc");
}

TEST(WideText, StopsAtTheFirstZero) {
  EXPECT_EQ(narrowed(std::u32string(U"ab\0cd", 5)), u"ab");
  EXPECT_EQ(widened(std::u16string(u"ab\0cd", 5)), U"ab");
}

TEST(WideText, RandomTextComesBackAsItWas) {
  uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  base::Rng rng(seed);
  for (int round = 0; round < 2000; ++round) {
    std::u32string text;
    while (text.size() < 20) {
      auto c = static_cast<char32_t>(1 + rng.below(0x10FFFF));
      if (c < 0xD800 || c >= 0xE000) text += c;
    }
    EXPECT_EQ(widened(narrowed(text)), text);
  }
}

// What Microsoft's library for WSL demands of its callers (observed).
TEST(WideQuery, HasTheSizesOfLinuxClients) {
  EXPECT_EQ(query_bytes(KMTQAITYPE_DRIVER_DESCRIPTION), 16384u);
  EXPECT_EQ(query_bytes(KMTQAITYPE_UMDRIVERNAME), 4u + 260 * 4);
  EXPECT_EQ(query_bytes(KMTQAITYPE_UMOPENGLINFO), 260u * 4 + 8);
  EXPECT_EQ(query_bytes(KMTQAITYPE_ADAPTERREGISTRYINFO), 4u * 260 * 4);
  EXPECT_EQ(query_bytes(KMTQAITYPE_QUERY_ADAPTER_UNIQUE_GUID), 160u);
  EXPECT_EQ(query_bytes(KMTQAITYPE_QUERYREGISTRY), 1072u);
  EXPECT_EQ(query_bytes(KMTQAITYPE_NODEMETADATA), 8u + 32 * 4 + 6) << "packed";
  EXPECT_EQ(query_bytes(KMTQAITYPE_ADAPTERTYPE), 0u) << "no text";
}

}  // namespace
}  // namespace client::utf32
