#include "trace/string_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "trace/testing.h"

namespace trace {
namespace {

// Against a map, across several growths and a clear.
TEST(StringTable, AgreesWithAMap) {
  uint64_t seed = test_seed();
  SCOPED_TRACE(testing::Message() << "DRYDOCK_SEED=" << seed);
  base::Rng rng(seed);
  StringTable table;
  for (int round = 0; round < 2; ++round) {
    std::map<std::string, uint32_t> model;
    for (int i = 0; i < 20000; ++i) {
      std::string text(rng.below(40), 'x');
      for (char& c : text) c = static_cast<char>('a' + rng.below(2) * rng.below(2) * rng.below(2));
      auto found = model.find(text);
      ASSERT_EQ(table.find(text), found == model.end() ? 0 : found->second) << text;
      if (found != model.end()) continue;
      uint32_t number = table.add(text);
      ASSERT_EQ(number, model.size() + 1);
      model[text] = number;
    }
    EXPECT_GT(model.size(), 1000u);
    for (const auto& [text, number] : model) ASSERT_EQ(table.find(text), number);
    table.clear();
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(table.find(model.begin()->first), 0u);
  }
}

TEST(StringTable, ReusedMemoryIsAnotherString) {
  StringTable table;
  std::string buffer = "first";
  uint32_t first = table.add(buffer);
  buffer = "other";
  EXPECT_EQ(table.find(buffer), 0u);
  EXPECT_NE(table.add(buffer), first);
  EXPECT_EQ(table.find("first"), first);
}

}  // namespace
}  // namespace trace
