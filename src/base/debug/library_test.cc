#include "base/debug/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/testing/memory_file.h"

namespace base {
namespace {

uintptr_t address_of(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

TEST(Library, CallsAFunctionOfTheModule) {
  Library library = Library::open(SAMPLE_MODULE).take();
  auto* paged = library.function<int()>("sample_paged");
  ASSERT_NE(paged, nullptr);
  int first = paged();
  EXPECT_EQ(paged(), first + 1);
  EXPECT_EQ(library.path(), SAMPLE_MODULE);
}

TEST(Library, GivesOnlyItsOwnSymbols) {
  Library library = Library::open(SAMPLE_MODULE).take();
  EXPECT_EQ(library.symbol("no_such_symbol"), nullptr);
  EXPECT_EQ(library.symbol("getenv"), nullptr);  // of libc, which the module was linked with
}

TEST(Library, SymbolsStayLocal) {
  Library library = Library::open(SAMPLE_MODULE).take();
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "sample_paged"), nullptr);
}

TEST(Library, SectionsHoldTheirFunctions) {
  for (const char* path : {SAMPLE_MODULE, SAMPLE_MODULE_STRIPPED}) {
    Library library = Library::open(path).take();
    std::optional<AddressRange> page = library.section("PAGE");
    std::optional<AddressRange> init = library.section("INIT");
    ASSERT_TRUE(page && init);
    EXPECT_TRUE(page->contains(address_of(library.symbol("sample_paged"))));
    EXPECT_TRUE(init->contains(address_of(library.symbol("sample_init"))));
    EXPECT_FALSE(page->contains(address_of(library.symbol("sample_init"))));
    EXPECT_FALSE(library.section("PAGELK"));
  }
}

TEST(Library, SegmentsTellCodeFromDataAndRelro) {
  Library library = Library::open(SAMPLE_MODULE).take();
  auto flags_at = [&](uintptr_t address) {
    auto at = std::ranges::find_if(library.segments(), [=](const auto& s) { return s.range.contains(address); });
    return at == library.segments().end() ? 0 : at->flags;
  };
  EXPECT_EQ(library.segments().front().range.lo, library.base());
  EXPECT_EQ(std::memcmp(reinterpret_cast<const void*>(library.base()), ELFMAG, SELFMAG), 0);
  EXPECT_EQ(flags_at(address_of(library.symbol("sample_paged"))), uint32_t{PF_R | PF_X});
  uintptr_t table = address_of(library.symbol("sample_table"));
  EXPECT_EQ(flags_at(table), uint32_t{PF_R | PF_W});  // the loader relocates the table
  EXPECT_TRUE(library.relro().contains(table));       // then the loader makes it read-only
  EXPECT_EQ(library.relro().lo % 4096, 0u);
  EXPECT_EQ(library.relro().hi % 4096, 0u);
}

TEST(Library, IsUnloadedAtTheEnd) {
  {
    Library library = Library::open(SAMPLE_MODULE).take();
    Library moved = std::move(library);
    EXPECT_NE(moved.symbol("sample_paged"), nullptr);
  }
  EXPECT_EQ(dlopen(SAMPLE_MODULE, RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(Library, RefusalNamesTheFile) {
  std::string message;
  Result<Library> missing = Library::open("/nowhere/driver.so", &message);
  EXPECT_EQ(missing.status(), STATUS_NO_SUCH_FILE);
  EXPECT_EQ(message, "/nowhere/driver.so: there is no such file");
  MemoryFile text("hello");
  EXPECT_FALSE(Library::open(text.path(), &message).ok());
  EXPECT_EQ(message, text.path() + ": this is not an ELF file");
}

TEST(Library, RefusalNamesTheMissingSymbol) {
  std::string message;
  Result<Library> library = Library::open(SAMPLE_MODULE_UNRESOLVED, &message);
  EXPECT_EQ(library.status(), STATUS_DRIVER_UNABLE_TO_LOAD);
  EXPECT_NE(message.find("nobody_offers_this"), std::string::npos) << message;
}

TEST(Library, ANameWithoutSlashIsAFileOfThisDirectory) {
  EXPECT_EQ(Library::open("libc.so.6").status(), STATUS_NO_SUCH_FILE);
}

}  // namespace
}  // namespace base
