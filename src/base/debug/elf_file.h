#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct Elf;

namespace base {

// What an x86-64 shared object says about itself, read from the file without loading it. The file is not trusted: a
// truncated or damaged one is refused with a sentence, never believed. A plain value; the file is closed again.
class ElfFile {
 public:
  struct Section {
    std::string name;
    uint64_t address;  // as linked; a loaded module's base is added to it
    uint64_t size_bytes;
  };
  struct Segment {
    uint64_t address;
    uint64_t size_bytes;
    uint32_t flags;  // PF_R, PF_W, PF_X of <elf.h>
  };
  struct Symbol {
    std::string name;
    uint64_t address;  // 0 when undefined
    uint64_t size_bytes;
    bool weak;  // an undefined weak symbol may stay unresolved
  };

  static Result<ElfFile> open(const std::string& path);

  // Loaded sections in the order of the file. Those that strip removes are not here.
  const std::vector<Section>& sections() const { return sections_; }
  const Section* section(std::string_view name) const;
  const std::vector<Segment>& load_segments() const { return load_segments_; }  // PT_LOAD
  const std::optional<Segment>& relro() const { return relro_; }                // PT_GNU_RELRO

  // The dynamic symbol table: what the module wants of others, and what it offers.
  const std::vector<Symbol>& undefined_symbols() const { return undefined_symbols_; }
  const std::vector<Symbol>& defined_symbols() const { return defined_symbols_; }
  bool wants(std::string_view symbol) const;   // undefined
  bool offers(std::string_view symbol) const;  // defined

  const std::string& build_id() const { return build_id_; }  // lower-case hex; empty when the linker wrote none

 private:
  ElfFile() = default;

  Result<> read_segments(Elf* elf, uint64_t file_bytes);
  Result<> read_sections(Elf* elf);
  Result<> read_symbols(Elf* elf);
  void read_build_id(Elf* elf);

  std::vector<Section> sections_;
  std::vector<Segment> load_segments_;
  std::optional<Segment> relro_;
  std::vector<Symbol> undefined_symbols_;
  std::vector<Symbol> defined_symbols_;
  std::string build_id_;
};

}  // namespace base
