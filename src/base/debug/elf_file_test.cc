#include "base/debug/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/rng.h"
#include "base/testing/memory_file.h"
#include "base/testing/seed.h"

namespace base {
namespace {

const ElfFile::Symbol* find(const std::vector<ElfFile::Symbol>& symbols, std::string_view name) {
  auto at = std::ranges::find(symbols, name, &ElfFile::Symbol::name);
  return at == symbols.end() ? nullptr : &*at;
}

std::string refusal(std::string_view bytes) {
  Result<ElfFile> file = ElfFile::open(MemoryFile(bytes).path());
  return file.ok() ? "opened" : file.failure().why();
}

// The sample with one field of its header replaced.
template <typename T>
std::string with_field(size_t offset, T value) {
  std::string bytes = read_whole_file(SAMPLE_MODULE);
  bytes.replace(offset, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

TEST(ElfFile, SeesWhatTheModuleOffersAndWants) {
  ElfFile file = ElfFile::open(SAMPLE_MODULE).take();
  const ElfFile::Symbol* offered = find(file.defined_symbols(), "sample_paged");
  ASSERT_NE(offered, nullptr);
  EXPECT_NE(offered->address, 0u);
  EXPECT_NE(offered->size_bytes, 0u);
  const ElfFile::Symbol* wanted = find(file.undefined_symbols(), "getenv");
  ASSERT_NE(wanted, nullptr);
  EXPECT_FALSE(wanted->weak);
  EXPECT_EQ(find(file.undefined_symbols(), "sample_paged"), nullptr);
  EXPECT_EQ(find(file.defined_symbols(), "getenv"), nullptr);
}

TEST(ElfFile, WeakUndefinedSymbolsAreMarked) {
  ElfFile file = ElfFile::open(SAMPLE_MODULE).take();
  const ElfFile::Symbol* weak = find(file.undefined_symbols(), "__cxa_finalize");
  ASSERT_NE(weak, nullptr);
  EXPECT_TRUE(weak->weak);
}

TEST(ElfFile, SectionsSurviveStrip) {
  ElfFile whole = ElfFile::open(SAMPLE_MODULE).take();
  ElfFile stripped = ElfFile::open(SAMPLE_MODULE_STRIPPED).take();
  for (const char* name : {"PAGE", "INIT", ".text"}) {
    ASSERT_NE(stripped.section(name), nullptr) << name;
    EXPECT_EQ(stripped.section(name)->address, whole.section(name)->address);
    EXPECT_EQ(stripped.section(name)->size_bytes, whole.section(name)->size_bytes);
  }
  EXPECT_EQ(stripped.section("PAGELK"), nullptr);
  EXPECT_EQ(stripped.defined_symbols().size(), whole.defined_symbols().size());
}

TEST(ElfFile, FunctionLiesInItsSectionAndSegment) {
  ElfFile file = ElfFile::open(SAMPLE_MODULE).take();
  uint64_t address = find(file.defined_symbols(), "sample_paged")->address;
  const ElfFile::Section& page = *file.section("PAGE");
  EXPECT_GE(address, page.address);
  EXPECT_LT(address, page.address + page.size_bytes);
  auto holds = [address](const ElfFile::Segment& segment) {
    return segment.address <= address && address < segment.address + segment.size_bytes;
  };
  auto segment = std::ranges::find_if(file.load_segments(), holds);
  ASSERT_NE(segment, file.load_segments().end());
  EXPECT_EQ(segment->flags, uint32_t{PF_R | PF_X});
  EXPECT_TRUE(file.relro().has_value());
}

TEST(ElfFile, BuildIdIsHexAndTheSameAfterStrip) {
  ElfFile file = ElfFile::open(SAMPLE_MODULE).take();
  EXPECT_EQ(file.build_id().size(), 40u);
  EXPECT_EQ(file.build_id().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(ElfFile::open(SAMPLE_MODULE_STRIPPED).take().build_id(), file.build_id());
}

TEST(ElfFile, RefusesWithOneSentence) {
  Result<ElfFile> missing = ElfFile::open("/nowhere/driver.so");
  EXPECT_EQ(missing.status(), STATUS_NO_SUCH_FILE);
  EXPECT_STREQ(missing.failure().why(), "there is no such file");
  EXPECT_STREQ(ElfFile::open("/").failure().why(), "this is not a regular file");
  EXPECT_EQ(refusal(""), "this is not an ELF file");
  EXPECT_EQ(refusal("MZ\x90"), "this is not an ELF file");
  EXPECT_EQ(refusal("\x7f"
                    "ELF"),
            "the file is truncated");
  EXPECT_EQ(refusal(with_field<Elf64_Half>(offsetof(Elf64_Ehdr, e_machine), EM_AARCH64)),
            "the file is for another machine, not for x86-64");
  EXPECT_EQ(refusal(with_field<unsigned char>(EI_CLASS, ELFCLASS32)),
            "the file is for another machine, not for x86-64");
  EXPECT_EQ(refusal(with_field<Elf64_Half>(offsetof(Elf64_Ehdr, e_type), ET_REL)),
            "this is an ELF file but not a shared object");
  EXPECT_EQ(refusal(with_field<Elf64_Off>(offsetof(Elf64_Ehdr, e_shoff), 0)), "the file has no section headers");
  EXPECT_EQ(refusal(with_field<Elf64_Half>(offsetof(Elf64_Ehdr, e_shstrndx), 0)),
            "the file is damaged: its ELF headers contradict each other");
}

TEST(ElfFile, RefusesAProgram) {
  EXPECT_STREQ(ElfFile::open("/proc/self/exe").failure().why(), "this is a program, not a shared object");
}

TEST(ElfFile, EveryPrefixIsRefused) {
  std::string bytes = read_whole_file(SAMPLE_MODULE_STRIPPED);
  ASSERT_EQ(refusal(bytes), "opened");
  for (size_t size = sizeof(Elf64_Ehdr); size < bytes.size(); size += size < 1024 ? 1 : 61)
    ASSERT_EQ(refusal(std::string_view(bytes).substr(0, size)), "the file is truncated") << size << " bytes";
}

TEST(ElfFile, DamagedFilesNeverCrash) {
  uint64_t seed = seed_for_test(6);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  Rng rng(seed);
  const std::string original = read_whole_file(SAMPLE_MODULE_STRIPPED);
  const size_t headers_at_the_end = original.size() - 40 * sizeof(Elf64_Shdr);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = original;
    for (uint64_t flips = 1 + rng.below(4); flips > 0; --flips) {
      // Mostly where it hurts: the ELF header, the program headers and the section headers.
      size_t at = rng.chance(1, 3)   ? rng.below(sizeof(Elf64_Ehdr) + 12 * sizeof(Elf64_Phdr))
                  : rng.chance(1, 2) ? headers_at_the_end + rng.below(original.size() - headers_at_the_end)
                                     : rng.below(original.size());
      bytes[at] = static_cast<char>(rng.next());
    }
    std::string outcome = refusal(bytes);
    ASSERT_FALSE(outcome.empty());
    refused += outcome != "opened";
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 4000);
}

}  // namespace
}  // namespace base
