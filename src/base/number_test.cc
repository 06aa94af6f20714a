#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace base {
namespace {

TEST(ParseNumber, TakesTheWholeText) {
  EXPECT_EQ(parse_number<uint32_t>("0"), 0u);
  EXPECT_EQ(parse_number<uint32_t>("4294967295"), 4294967295u);
  EXPECT_EQ(parse_number<uint64_t>("ffffffffffffffff", 16), UINT64_MAX);
}

TEST(ParseNumber, RefusesWhatIsMoreOrLessThanANumber) {
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "1x", "0x1", "4294967296"}) {
    EXPECT_EQ(parse_number<uint32_t>(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace base
