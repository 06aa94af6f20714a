#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace base {

struct SourceFrame {
  std::string function;  // demangled; "module+0x123" when nothing better is known
  std::string file;      // empty when the module has no debug information
  uint32_t line = 0;
  bool inlined = false;  // its code lies inside the next frame's function
};

// `file` below `directory` without that directory; any other file as it is.
std::string_view shorten_path(std::string_view file, std::string_view directory);

// Names for offsets into modules, from the files' own debug information and symbol tables (or a separate debug file
// found by build id on this machine; never over the network). Owned by a report's writer; single-threaded. A module is
// opened at its first use and kept.
class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // The frames at one instruction, innermost first: inlined ones, then the function that holds the code. Never empty.
  // A stack holds return addresses; for the call itself ask for one byte less.
  std::vector<SourceFrame> resolve(const std::string& path, uintptr_t offset);

 private:
  class Module;
  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace base
