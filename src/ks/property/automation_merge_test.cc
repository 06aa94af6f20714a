#include "ks/property/automation_merge.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <iterator>

#include "ks/property/set_table.h"
#include "ks/testing/ks_fixture.h"

namespace ks {
namespace {

using ::testing::ElementsAre;

constexpr GUID kShared = {1, 0, 0, {}}, kFirsts = {2, 0, 0, {}}, kSeconds = {3, 0, 0, {}};

KSPROPERTY_ITEM item(ULONG id, ULONG bytes) {
  KSPROPERTY_ITEM made{};
  made.PropertyId = id;
  made.MinData = bytes;
  return made;
}

struct Tables {
  KSPROPERTY_ITEM first_items[2] = {item(1, 10), item(2, 10)};
  KSPROPERTY_ITEM second_items[2] = {item(2, 20), item(3, 20)};
  KSPROPERTY_SET first_sets[2] = {{&kShared, 2, first_items, 0, nullptr}, {&kFirsts, 1, first_items, 0, nullptr}};
  KSPROPERTY_SET second_sets[2] = {{&kSeconds, 1, second_items, 0, nullptr}, {&kShared, 2, second_items, 0, nullptr}};
  KSAUTOMATION_TABLE first{2, sizeof(KSPROPERTY_ITEM), first_sets, 0, 0, nullptr, 0, 0, nullptr, nullptr};
  KSAUTOMATION_TABLE second{2, sizeof(KSPROPERTY_ITEM), second_sets, 0, 0, nullptr, 0, 0, nullptr, nullptr};
};

std::vector<std::pair<ULONG, ULONG>> items_in(const KSAUTOMATION_TABLE& table, const GUID& set) {
  SetList<KSPROPERTY_SET> list{table.PropertySets, table.PropertySetsCount, table.PropertyItemSize, true};
  const KSPROPERTY_SET* found = list.find(set);
  std::vector<std::pair<ULONG, ULONG>> items;
  for (ULONG i = 0; found && i < found->PropertiesCount; ++i) {
    items.emplace_back(list.item(*found, i).PropertyId, list.item(*found, i).MinData);
  }
  return items;
}

TEST(AutomationMergeTest, TheFirstDominates) {
  Tables tables;
  void* block = nullptr;
  auto merged = merge(&tables.first, &tables.second, [&](size_t bytes) { return block = malloc(bytes); });
  ASSERT_TRUE(merged.ok());
  const KSAUTOMATION_TABLE& table = *merged.value();
  EXPECT_EQ(table.PropertySetsCount, 3u);
  EXPECT_THAT(items_in(table, kShared), ElementsAre(std::pair(1u, 10u), std::pair(2u, 10u), std::pair(3u, 20u)));
  EXPECT_THAT(items_in(table, kSeconds), ElementsAre(std::pair(2u, 20u)));
  EXPECT_EQ(table.MethodSetsCount, 0u);
  EXPECT_EQ(table.EventSetsCount, 0u);
  free(block);
}

TEST(AutomationMergeTest, OneAloneIsCopied) {
  Tables tables;
  void* block = nullptr;
  auto merged = merge(nullptr, &tables.second, [&](size_t bytes) { return block = malloc(bytes); });
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged.value()->PropertySetsCount, 2u);
  EXPECT_NE(merged.value()->PropertySets, tables.second_sets);
  free(block);
}

TEST(AutomationMergeTest, ItemsOfDifferentSizesAreRefused) {
  Tables tables;
  tables.second.PropertyItemSize += 8;
  tables.second.PropertySetsCount = 1;
  auto merged = merge(&tables.first, &tables.second, [](size_t) -> void* { return nullptr; });
  EXPECT_EQ(merged.status(), STATUS_INVALID_PARAMETER);
}

class MergeExportTest : public testing::KsTest {};

TEST_F(MergeExportTest, TheResultLiesInTheBagUnderItsMutex) {
  observer.then = nt::Then::GoOn;
  Tables tables;
  run_driver([&] {
    Filter& filter = filter_of(open_filter());
    PKSAUTOMATION_TABLE merged = nullptr;
    {
      Holding holding(filter.control());
      EXPECT_EQ(KsMergeAutomationTables(&merged, &tables.first, &tables.second, filter.bag().handle()), STATUS_SUCCESS);
      EXPECT_TRUE(filter.bag().contains(merged));
    }
    EXPECT_THAT(broken(), ElementsAre());
    // A table that is in the bag leaves it.
    PKSAUTOMATION_TABLE again = nullptr;
    EXPECT_EQ(KsMergeAutomationTables(&again, merged, &tables.second, filter.bag().handle()), STATUS_SUCCESS);
    EXPECT_FALSE(filter.bag().contains(merged));
    EXPECT_TRUE(filter.bag().contains(again));
    EXPECT_EQ(KsMergeAutomationTables(&again, nullptr, nullptr, nullptr), STATUS_SUCCESS);
  });
  EXPECT_THAT(broken(), ElementsAre("KsBagWithoutMutex"));
}

TEST_F(MergeExportTest, MemoryMayBeShort) {
  Tables tables;
  run_driver([&] {
    PKSAUTOMATION_TABLE merged = nullptr;
    observer.failing_allocations = 1;
    EXPECT_EQ(KsMergeAutomationTables(&merged, &tables.first, nullptr, nullptr), STATUS_INSUFFICIENT_RESOURCES);
  });
}

}  // namespace
}  // namespace ks
