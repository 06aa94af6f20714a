#include "nt/store/registry.h"

#include <gtest/gtest.h>

namespace nt {
namespace {

class RegistryTest : public ::testing::Test {
 protected:
  RegistryKey& key(std::u16string_view path) { return *registry.make_path(path).take(); }
  static std::vector<uint8_t> bytes(std::initializer_list<uint8_t> list) { return list; }

  uint64_t now = 5;
  Registry registry{[this] { return now; }};
};

constexpr std::u16string_view kMill = u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\mill";

TEST_F(RegistryTest, PathsLeadToKeysWithoutRegardToCase) {
  RegistryKey& made = key(kMill);
  EXPECT_EQ(registry.open(nullptr, u"\\REGISTRY\\machine\\SYSTEM\\CurrentControlSet\\services\\MILL").take(), &made);
  RegistryKey* system = registry.open(nullptr, u"\\Registry\\Machine\\System").take();
  EXPECT_EQ(registry.open(system, u"CurrentControlSet\\Services\\Mill").take(), &made);
  EXPECT_EQ(registry.open(system, u"").take(), system);
  EXPECT_EQ(registry.facts(made).value().path, kMill);
}

TEST_F(RegistryTest, WrongPathsAreRefused) {
  EXPECT_EQ(registry.open(nullptr, u"").status(), STATUS_OBJECT_PATH_SYNTAX_BAD);
  EXPECT_EQ(registry.open(nullptr, u"Registry\\Machine").status(), STATUS_OBJECT_PATH_SYNTAX_BAD);
  EXPECT_EQ(registry.open(nullptr, u"\\Registry\\\\Machine").status(), STATUS_OBJECT_PATH_SYNTAX_BAD);
  EXPECT_EQ(registry.open(nullptr, u"\\Registry\\Machine\\").status(), STATUS_OBJECT_PATH_SYNTAX_BAD);
  EXPECT_EQ(registry.open(nullptr, u"\\Device\\x").status(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(registry.open(nullptr, u"\\Registry\\Machine\\None").status(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(registry.make_path(u"\\Registry\\Machine\\" + std::u16string(256, u'x')).status(),
            STATUS_INVALID_PARAMETER);
}

TEST_F(RegistryTest, CreatingMakesTheLastKeyOnly) {
  auto made = registry.create(nullptr, u"\\Registry\\Machine\\Software\\New", u"class").take();
  EXPECT_TRUE(made.fresh);
  EXPECT_EQ(registry.facts(*made.key).value().class_name, u"class");
  auto again = registry.create(nullptr, u"\\Registry\\Machine\\Software\\NEW", u"other").take();
  EXPECT_FALSE(again.fresh);
  EXPECT_EQ(again.key, made.key);
  EXPECT_EQ(registry.create(nullptr, u"\\Registry\\Machine\\Software\\A\\B", u"").status(),
            STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(registry.create(nullptr, u"\\Registry\\Mine", u"").status(), STATUS_ACCESS_DENIED);
}

TEST_F(RegistryTest, ValuesAreSetReplacedAndRemoved) {
  RegistryKey& mill = key(kMill);
  ASSERT_TRUE(registry.set(mill, u"Depth", REG_DWORD, bytes({1, 0, 0, 0})).ok());
  ASSERT_TRUE(registry.set(mill, u"", REG_BINARY, {}).ok());
  ASSERT_TRUE(registry.set(mill, u"DEPTH", REG_BINARY, bytes({2})).ok());
  RegistryValue depth = registry.value(mill, u"depth").take();
  EXPECT_EQ(depth.name, u"Depth");  // as first spelt
  EXPECT_EQ(depth.type, static_cast<uint32_t>(REG_BINARY));
  EXPECT_EQ(depth.data, bytes({2}));
  EXPECT_EQ(registry.value_at(mill, 1).value().name, u"");
  EXPECT_EQ(registry.value_at(mill, 2).status(), STATUS_NO_MORE_ENTRIES);
  EXPECT_TRUE(registry.remove_value(mill, u"dePth").ok());
  EXPECT_EQ(registry.remove_value(mill, u"Depth").status(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(registry.value(mill, u"Depth").status(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(registry.set(mill, std::u16string(16384, u'x'), REG_NONE, {}).status(), STATUS_INVALID_PARAMETER);
}

TEST_F(RegistryTest, FactsHaveCountsAndLongestSizes) {
  key(std::u16string(kMill) + u"\\b");
  registry.create(nullptr, std::u16string(kMill) + u"\\Long", u"cls").take();
  ASSERT_TRUE(registry.set_string(kMill, u"Name", u"abc").ok());
  now = 9;
  ASSERT_TRUE(registry.set_dword(kMill, u"N", 7).ok());
  RegistryKeyFacts facts = registry.facts(key(kMill)).take();
  EXPECT_EQ(facts.subkeys, 2u);
  EXPECT_EQ(facts.longest_name, 8u);
  EXPECT_EQ(facts.longest_class, 6u);
  EXPECT_EQ(facts.values, 2u);
  EXPECT_EQ(facts.longest_value_name, 8u);
  EXPECT_EQ(facts.longest_data, 8u);
  EXPECT_EQ(facts.last_write, 9u);
  EXPECT_EQ(registry.subkey_at(key(kMill), 0).value().name, u"b");
  EXPECT_EQ(registry.subkey_at(key(kMill), 1).value().name, u"Long");
  EXPECT_EQ(registry.subkey_at(key(kMill), 2).status(), STATUS_NO_MORE_ENTRIES);
}

TEST_F(RegistryTest, ADeletedKeyIsGoneForAllItsHolders) {
  RegistryKey& mill = key(kMill);
  RegistryKey& below = key(std::u16string(kMill) + u"\\Parameters");
  EXPECT_EQ(registry.remove(mill).status(), STATUS_CANNOT_DELETE);
  EXPECT_TRUE(registry.remove(below).ok());
  EXPECT_TRUE(registry.remove(mill).ok());
  EXPECT_EQ(registry.remove(mill).status(), STATUS_KEY_DELETED);
  EXPECT_EQ(registry.set(mill, u"x", REG_NONE, {}).status(), STATUS_KEY_DELETED);
  EXPECT_EQ(registry.value(mill, u"x").status(), STATUS_KEY_DELETED);
  EXPECT_EQ(registry.open(&mill, u"x").status(), STATUS_KEY_DELETED);
  EXPECT_EQ(registry.open(nullptr, kMill).status(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_NE(&key(kMill), &mill);
  EXPECT_EQ(registry.remove(*registry.open(nullptr, u"\\Registry\\User").take()).status(), STATUS_CANNOT_DELETE);
}

}  // namespace
}  // namespace nt
