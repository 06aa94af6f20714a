#include "base/debug/symbols.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/debug/elf_file.h"
#include "base/debug/module_map.h"

namespace base {
namespace {

ElfFile::Symbol sample_symbol(std::string_view name) {
  ElfFile file = ElfFile::open(SAMPLE_MODULE).take();
  auto at = std::ranges::find(file.defined_symbols(), name, &ElfFile::Symbol::name);
  CHECK(at != file.defined_symbols().end());
  return *at;
}

TEST(Symbolizer, NamesFunctionFileAndLine) {
  Symbolizer symbolizer;
  std::vector<SourceFrame> frames = symbolizer.resolve(SAMPLE_MODULE, sample_symbol("sample_paged").address);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "sample_paged");
  EXPECT_TRUE(frames[0].file.ends_with("testing/sample_module.cc")) << frames[0].file;
  EXPECT_GT(frames[0].line, 0u);
  EXPECT_FALSE(frames[0].inlined);
}

TEST(Symbolizer, ShowsInlinedFramesInsideTheirCaller) {
  Symbolizer symbolizer;
  ElfFile::Symbol outer = sample_symbol("_ZN6sample5outerEi");
  std::vector<SourceFrame> frames;
  for (uint64_t i = 0; i < outer.size_bytes && frames.size() < 2; ++i)
    frames = symbolizer.resolve(SAMPLE_MODULE, outer.address + i);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].function, "sample::inlined(int)");
  EXPECT_TRUE(frames[0].inlined);
  EXPECT_EQ(frames[1].function, "sample::outer(int)");
  EXPECT_FALSE(frames[1].inlined);
  EXPECT_EQ(frames[1].file, frames[0].file);
  EXPECT_GT(frames[1].line, frames[0].line);  // as the sample's source has them
}

TEST(Symbolizer, WithoutDebugInformationTheSymbolTableMustDo) {
  Symbolizer symbolizer;
  auto frames = symbolizer.resolve(SAMPLE_MODULE_STRIPPED, sample_symbol("_ZN6sample5outerEi").address + 1);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "sample::outer(int)");
  EXPECT_EQ(frames[0].file, "");
  EXPECT_EQ(frames[0].line, 0u);
}

TEST(Symbolizer, MissingFileAndStrayOffsetGiveModuleAndOffset) {
  Symbolizer symbolizer;
  for (int round = 0; round < 2; ++round) {
    auto gone = symbolizer.resolve("/nowhere/driver.so", 0x123);
    ASSERT_EQ(gone.size(), 1u);
    EXPECT_EQ(gone[0].function, "driver.so+0x123");
  }
  auto stray = symbolizer.resolve(SAMPLE_MODULE, 0x10000000);
  ASSERT_EQ(stray.size(), 1u);
  EXPECT_EQ(stray[0].function, module_and_offset(SAMPLE_MODULE, 0x10000000));
}

TEST(ShortenPath, RemovesTheDirectoryAndNothingElse) {
  EXPECT_EQ(shorten_path("/home/me/driver/src/a.c", "/home/me/driver"), "src/a.c");
  EXPECT_EQ(shorten_path("/home/me/driver/src/a.c", "/home/me/driver/"), "src/a.c");
  EXPECT_EQ(shorten_path("/home/me/driver2/a.c", "/home/me/driver"), "/home/me/driver2/a.c");
  EXPECT_EQ(shorten_path("/usr/include/stdio.h", "/home/me/driver"), "/usr/include/stdio.h");
  EXPECT_EQ(shorten_path("a.c", "/home/me/driver"), "a.c");
  EXPECT_EQ(shorten_path("/a.c", ""), "/a.c");
}

}  // namespace
}  // namespace base
