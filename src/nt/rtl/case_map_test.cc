#include "nt/rtl/case_map.h"

#include <gtest/gtest.h>

namespace nt {
namespace {

TEST(CaseMap, AsciiLettersOnly) {
  for (WCHAR c = 0; c < 0x80; ++c) {
    const bool lower = c >= u'a' && c <= u'z';
    const bool upper = c >= u'A' && c <= u'Z';
    EXPECT_EQ(upcase(c), lower ? c - 32 : c) << int{c};
    EXPECT_EQ(downcase(c), upper ? c + 32 : c) << int{c};
  }
}

TEST(CaseMap, KnownPairs) {
  const WCHAR pairs[][2] = {{u'\u00e9', u'\u00c9'}, {u'\u00ff', u'\u0178'}, {u'\u0101', u'\u0100'},
                            {u'\u03c9', u'\u03a9'}, {u'\u0436', u'\u0416'}, {u'\u0450', u'\u0400'},
                            {u'\u0561', u'\u0531'}, {u'\u1e01', u'\u1e00'}, {u'\uff41', u'\uff21'}};
  for (const auto& [lower, upper] : pairs) {
    EXPECT_EQ(upcase(lower), upper) << std::hex << int{lower};
    EXPECT_EQ(downcase(upper), lower) << std::hex << int{upper};
  }
}

TEST(CaseMap, CharactersWithoutAPairStay) {
  for (WCHAR c : {u'\u00d7', u'\u00f7', u'\u00df', u'\u00b5', u'\u0130', u'\u0131', u'\u4e00', char16_t{0xd83d}}) {
    EXPECT_EQ(upcase(c), c) << std::hex << int{c};
    EXPECT_EQ(downcase(c), c) << std::hex << int{c};
  }
}

TEST(CaseMap, EveryPairLeadsBack) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const WCHAR c = static_cast<WCHAR>(i);
    if (upcase(c) != c) {
      EXPECT_EQ(downcase(upcase(c)), c) << std::hex << i;
      EXPECT_EQ(upcase(upcase(c)), upcase(c)) << std::hex << i;
    }
    if (downcase(c) != c) {
      EXPECT_EQ(upcase(downcase(c)), c) << std::hex << i;
    }
  }
}

}  // namespace
}  // namespace nt
