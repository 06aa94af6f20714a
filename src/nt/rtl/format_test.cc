#include "nt/rtl/format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>

#include "base/testing/seed.h"

namespace nt {
namespace {

// The host's compiler checks formats of its own printf; ours have other meanings, so these are not declared as such.
Formatted ansi_into(char* out, size_t capacity, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const Formatted result = format_ansi(out, capacity, format, args);
  va_end(args);
  return result;
}

Formatted wide_into(WCHAR* out, size_t capacity, const WCHAR* format, ...) {
  va_list args;
  va_start(args, format);
  const Formatted result = format_wide(out, capacity, format, args);
  va_end(args);
  return result;
}

Formatted counted_into(char* out, size_t capacity, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const Formatted result = format_ansi_counted(out, capacity, format, args);
  va_end(args);
  return result;
}

template <typename... Args>
std::string ansi(const char* format, Args... args) {
  char out[256];
  const Formatted result = ansi_into(out, sizeof(out), format, args...);
  EXPECT_EQ(result.fault, FormatFault::None) << format;
  return std::string(out, result.needed);
}

template <typename... Args>
std::u16string wide(const WCHAR* format, Args... args) {
  WCHAR out[256];
  const Formatted result = wide_into(out, 256, format, args...);
  EXPECT_EQ(result.fault, FormatFault::None);
  return std::u16string(out, result.needed);
}

TEST(Format, TextAndPercent) {
  EXPECT_EQ(ansi(""), "");
  EXPECT_EQ(ansi("plain"), "plain");
  EXPECT_EQ(ansi("100%% %d", 7), "100% 7");
  EXPECT_EQ(ansi("%y|%"), "y|");  // a character without meaning prints itself
}

TEST(Format, Integers) {
  EXPECT_EQ(ansi("%d %i %u", -5, 6, 7u), "-5 6 7");
  EXPECT_EQ(ansi("%x %X %o", 0xabcu, 0xabcu, 8u), "abc ABC 10");
  EXPECT_EQ(ansi("%#x %#X %#o %#x", 0xabu, 0xabu, 8u, 0u), "0xab 0XAB 010 0");
  EXPECT_EQ(ansi("%+d % d %+u", 3, 3, 3u), "+3  3 3");
  EXPECT_EQ(ansi("[%5d][%-5d][%05d][%-05d]", 42, 42, -42, 42), "[   42][42   ][-0042][42   ]");
  EXPECT_EQ(ansi("[%.4d][%8.4d][%08.4d][%.0d]", 42, 42, 42, 0), "[0042][    0042][    0042][]");
  EXPECT_EQ(ansi("[%*d][%-*d][%*d][%.*d]", 4, 1, 4, 2, -4, 3, -1, 5), "[   1][2   ][3   ][5]");
  EXPECT_EQ(ansi("%d", INT32_MIN), "-2147483648");
}

TEST(Format, SizesAreWindowsSizes) {
  const long long big = 0x123456789abcdef0;
  EXPECT_EQ(ansi("%ld %lu %lx|%d", -1, 0xffffffffu, 0x80000000u, 9), "-1 4294967295 80000000|9");
  EXPECT_EQ(ansi("%I64d %I64u %I64x", -1LL, ~0ULL, big), "-1 18446744073709551615 123456789abcdef0");
  EXPECT_EQ(ansi("%lld %llu %llX", INT64_MIN, 1ULL, big), "-9223372036854775808 1 123456789ABCDEF0");
  EXPECT_EQ(ansi("%Id %Iu %Ix %zu", -2LL, 3ULL, big, 4ULL), "-2 3 123456789abcdef0 4");
  EXPECT_EQ(ansi("%I32d %I32u", -3, 0xfffffffdu), "-3 4294967293");
  EXPECT_EQ(ansi("%hd %hu %hhd %hhx", 0x18000, 0x18000, 0x1ff, 0x1ff), "-32768 32768 -1 ff");
}

TEST(Format, PointersAreSixteenUpperCaseDigits) {
  EXPECT_EQ(ansi("%p", reinterpret_cast<void*>(0xabcd1234)), "00000000ABCD1234");
  EXPECT_EQ(ansi("%p", static_cast<void*>(nullptr)), "0000000000000000");
  EXPECT_EQ(ansi("[%18p]", reinterpret_cast<void*>(1)), "[  0000000000000001]");
}

TEST(Format, CharactersAndStringsHaveTheFormatsWidth) {
  EXPECT_EQ(ansi("%c%C%hc%lc%wc", 'a', u'b', 'c', u'd', u'e'), "abcde");
  EXPECT_EQ(ansi("%s %S %hs %ls %ws", "a", u"b", "c", u"d", u"e"), "a b c d e");
  EXPECT_EQ(wide(u"%c%C%hc%lc%wc", u'a', 'b', 'c', u'd', u'e'), u"abcde");
  EXPECT_EQ(wide(u"%s %S %hs %ls %ws %hS %lS", u"a", "b", "c", u"d", u"e", "f", u"g"), u"a b c d e f g");
}

TEST(Format, StringPrecisionBoundsTheRead) {
  const char unterminated[3] = {'a', 'b', 'c'};
  const WCHAR unterminated_wide[2] = {u'x', u'y'};
  EXPECT_EQ(ansi("[%.3s][%5.2s][%-5.1s]", unterminated, "xyz", "xyz"), "[abc][   xy][x    ]");
  EXPECT_EQ(ansi("%.*ws", 2, unterminated_wide), "xy");
  EXPECT_EQ(ansi("%05s", "ab"), "000ab");
}

TEST(Format, CountedStrings) {
  char narrow_text[] = "narrow";
  WCHAR wide_text[] = u"wide";
  ANSI_STRING a = {6, 7, narrow_text};
  UNICODE_STRING u = {8, 10, wide_text};
  UNICODE_STRING empty = {0, 0, nullptr};
  EXPECT_EQ(ansi("%Z %hZ %wZ %lZ", &a, &a, &u, &u), "narrow narrow wide wide");
  EXPECT_EQ(wide(u"%wZ|%Z", &u, &a), u"wide|narrow");
  u.Length = 4;
  EXPECT_EQ(ansi("[%wZ][%5wZ][%.1wZ]", &u, &u, &u), "[wi][   wi][w]");
  EXPECT_EQ(ansi("%wZ", &empty), "(null)");
}

TEST(Format, NullStrings) {
  EXPECT_EQ(ansi("%s %ws %wZ %Z", static_cast<char*>(nullptr), static_cast<WCHAR*>(nullptr),
                 static_cast<UNICODE_STRING*>(nullptr), static_cast<ANSI_STRING*>(nullptr)),
            "(null) (null) (null) (null)");
  EXPECT_EQ(wide(u"%8s|%.3s", static_cast<WCHAR*>(nullptr), static_cast<WCHAR*>(nullptr)), u"  (null)|(nu");
}

TEST(Format, CodePage1252) {
  EXPECT_EQ(ansi("%ws", u"\u20ac\u00e9\u0416"), "\x80\xe9?");
  EXPECT_EQ(wide(u"%hs", "\x80\xe9"), u"\u20ac\u00e9");
}

TEST(Format, NotInAKernel) {
  char out[64];
  EXPECT_EQ(ansi_into(out, sizeof(out), "%d %5.2f %d", 1, 2.5, 3).fault, FormatFault::FloatingPoint);
  EXPECT_STREQ(out, "1 %5.2f 3");
  int untouched = 77;
  EXPECT_EQ(ansi_into(out, sizeof(out), "a%nb %d", &untouched, 4).fault, FormatFault::CountOutput);
  EXPECT_STREQ(out, "a%nb 4");
  EXPECT_EQ(untouched, 77);
}

TEST(Format, BoundedAndTerminated) {
  std::array<char, 8> out;
  for (size_t capacity = 0; capacity <= 7; ++capacity) {
    out.fill('#');
    EXPECT_EQ(ansi_into(out.data(), capacity, "%s-%d", "abc", 12).needed, 6u);
    if (capacity > 0) {
      EXPECT_EQ(std::string(out.data()), std::string("abc-12").substr(0, capacity - 1));
    }
    for (size_t i = capacity; i < out.size(); ++i) EXPECT_EQ(out[i], '#') << capacity;
  }
  EXPECT_EQ(ansi_into(nullptr, 0, "%2147483647d%2147483647d", 1, 2).needed, 2 * size_t{2147483647});
}

TEST(Format, CountedTextUsesTheLastPlace) {
  std::array<char, 8> out;
  for (size_t capacity = 0; capacity <= 7; ++capacity) {
    out.fill('#');
    EXPECT_EQ(counted_into(out.data(), capacity, "%s-%d", "abc", 12).needed, 6u);
    const size_t kept = std::min<size_t>(capacity, 6);
    EXPECT_EQ(std::string(out.data(), kept), std::string("abc-12").substr(0, kept));
    EXPECT_EQ(out[kept], capacity > 6 ? 0 : '#') << capacity;
  }
}

// For integers of 32 and 64 bits the host's printf means the same and is the model.
TEST(Format, IntegersAgreeWithTheModel) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::string flags = "%";
    for (char flag : {'-', '+', ' ', '#', '0'}) {
      if (random() % 3 == 0) flags += flag;
    }
    if (random() % 2) flags += std::to_string(1 + random() % 30);
    if (random() % 2) flags += "." + std::to_string(random() % 30);
    const char type = "diuxXo"[random() % 6];
    // '#' with a zero value is where Windows' documentation and ISO C part.
    const uint64_t value = (uint64_t{random()} << 32 | random()) >> random() % 64 | 1;
    const std::string format32 = flags + type;
    const std::string format64 = flags + "ll" + type;
    char expected[128];
    char actual[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(expected, sizeof(expected), format32.c_str(), static_cast<unsigned>(value));
    ansi_into(actual, sizeof(actual), format32.c_str(), static_cast<unsigned>(value));
    ASSERT_STREQ(actual, expected) << format32;
    std::snprintf(expected, sizeof(expected), format64.c_str(), static_cast<unsigned long long>(value));
    ansi_into(actual, sizeof(actual), format64.c_str(), static_cast<unsigned long long>(value));
    ASSERT_STREQ(actual, expected) << format64;
#pragma GCC diagnostic pop
  }
}

}  // namespace
}  // namespace nt
