#include "verifier/finding/module_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verifier {

__attribute__((noinline)) uintptr_t where_i_return_to() {
  return reinterpret_cast<uintptr_t>(__builtin_extract_return_addr(__builtin_return_address(0)));
}
__attribute__((noinline)) uintptr_t a_caller_by_name() {
  uintptr_t pc = where_i_return_to();
  __asm__ volatile("" : "+r"(pc));  // or the call would be a jump
  return pc;
}

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Frame frame_of(uintptr_t pc, const base::ModuleMap& modules) {
  auto place = modules.find(pc);
  Frame frame;
  frame.module = place->module->file;
  frame.offset = place->offset;
  return frame;
}

TEST(ModuleNames, NamesTheCaller) {
  base::ModuleMap modules;
  uintptr_t pc = a_caller_by_name();
  ModuleNames names;
  names.add(modules.find(pc)->module->path);
  std::vector<base::SourceFrame> sources = names.resolve(frame_of(pc, modules));
  ASSERT_FALSE(sources.empty());
  EXPECT_THAT(sources.back().function, HasSubstr("a_caller_by_name"));
}

TEST(ModuleNames, KnowsNothingOfOtherModules) {
  base::ModuleMap modules;
  ModuleNames names;
  EXPECT_THAT(names.resolve(frame_of(a_caller_by_name(), modules)), IsEmpty());
  EXPECT_THAT(names.resolve(Frame{}), IsEmpty());
}

TEST(ModuleNames, AFileThatIsNotThereIsUnknown) {
  ModuleNames names;
  names.add("/nowhere/mill.so");
  Frame frame;
  frame.module = "mill.so";
  frame.offset = 0x10;
  EXPECT_THAT(names.resolve(frame), IsEmpty());
}

}  // namespace
}  // namespace verifier
