#include "base/debug/module_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/debug/library.h"

namespace base {
namespace {

void function_of_the_program() {}

template <typename T>
uintptr_t address_of(T* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

TEST(ModuleMap, FindsTheProgramItself) {
  ModuleMap map;
  auto location = map.find(address_of(&function_of_the_program));
  ASSERT_TRUE(location);
  EXPECT_EQ(location->module->ordinal, 1u);
  EXPECT_EQ(location->module->path.substr(location->module->path.rfind('/') + 1), location->module->file);
  EXPECT_TRUE(location->module->path.starts_with('/'));
}

TEST(ModuleMap, TellsModulesApart) {
  Library library = Library::open(SAMPLE_MODULE).take();
  ModuleMap map;
  uintptr_t pc = address_of(library.symbol("sample_paged"));
  auto location = map.find(pc);
  ASSERT_TRUE(location);
  EXPECT_EQ(location->module->path, SAMPLE_MODULE);
  EXPECT_EQ(location->offset, pc - library.base());
  EXPECT_NE(location->module, map.find(address_of(&function_of_the_program))->module);
  EXPECT_EQ(map.describe(pc), fmt::format("{}+{:#x}", location->module->file, location->offset));
}

TEST(ModuleMap, AddressOutsideEveryModuleStaysUnnamed) {
  ModuleMap map;
  int local = 0;
  EXPECT_FALSE(map.find(address_of(&local)));
  EXPECT_FALSE(map.find(0));
  EXPECT_FALSE(map.find(~uintptr_t{0}));
  EXPECT_EQ(map.describe(address_of(&local)), "?");
}

TEST(ModuleMap, RefreshFollowsLoadsAndKeepsOrdinals) {
  std::optional<Library> library = Library::open(SAMPLE_MODULE).take();
  ModuleMap map;
  EXPECT_FALSE(map.refresh());
  uintptr_t pc = address_of(library->symbol("sample_paged"));
  uint32_t ordinal = map.find(pc)->module->ordinal;

  library.reset();
  EXPECT_TRUE(map.refresh());
  EXPECT_FALSE(map.find(pc));

  library = Library::open(SAMPLE_MODULE).take();
  EXPECT_TRUE(map.refresh());
  pc = address_of(library->symbol("sample_paged"));
  ASSERT_TRUE(map.find(pc));
  EXPECT_EQ(map.find(pc)->module->ordinal, ordinal);
}

TEST(ModuleAndOffset, DropsTheDirectory) {
  EXPECT_EQ(module_and_offset("/a/b/softgpu.so", 0x1f40), "softgpu.so+0x1f40");
  EXPECT_EQ(module_and_offset("softgpu.so", 0), "softgpu.so+0x0");
}

}  // namespace
}  // namespace base
