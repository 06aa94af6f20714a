#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address_range.h"
#include "base/debug/elf_file.h"
#include "base/result.h"
#include "base/scoped.h"

namespace base {

// A shared object loaded into this process, unloaded when the Library goes. Opening a file twice gives two Libraries
// that share one loaded module. Movable; touched by the thread that loads and unloads.
class Library {
 public:
  struct Segment {
    AddressRange range;
    uint32_t flags;  // PF_R, PF_W, PF_X of <elf.h>
  };

  // Loads with all symbols resolved and none made visible to others. The path is a path: no search along the library
  // path. On failure `message`, if given, receives the whole sentence with file and symbol names, where
  // Failure::why() holds only its fixed part.
  static Result<Library> open(const std::string& path, std::string* message = nullptr);

  // The address of a symbol that this module itself defines, or null.
  void* symbol(const char* name) const;
  template <typename F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(symbol(name));
  }

  const std::string& path() const { return path_; }
  uintptr_t base() const { return base_; }  // what is added to the file's addresses
  const ElfFile& file() const { return file_; }
  const std::vector<Segment>& segments() const { return segments_; }  // PT_LOAD, in order of address
  // The whole pages that the loader made read-only after relocation; empty when the module has none.
  AddressRange relro() const { return relro_; }
  // Where a section such as "PAGE" or "INIT" was loaded. Section headers survive strip.
  std::optional<AddressRange> section(std::string_view name) const;

 private:
  static void close_handle(void* handle);
  using Handle = Scoped<void*, close_handle, nullptr>;

  Library(std::string path, ElfFile file, Handle handle, uintptr_t base);

  std::string path_;
  ElfFile file_;
  Handle handle_;
  uintptr_t base_;
  std::vector<Segment> segments_;
  AddressRange relro_;
};

}  // namespace base
