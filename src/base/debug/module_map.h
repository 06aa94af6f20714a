#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address_range.h"

namespace base {

// "softgpu.so+0x1f40": code without an address, equal in every process that runs the same file.
std::string module_and_offset(std::string_view path, uintptr_t offset);

// Which module a code address belongs to. Owned by the code that records addresses; single-threaded. It knows the
// modules that were loaded at the last refresh().
class ModuleMap {
 public:
  struct Module {
    uint32_t ordinal;  // counts from 1 in the order modules were first seen; kept for good, also across a reload
    std::string path;
    std::string file;  // the path's last part: what may stand in a trace
  };
  struct Location {
    const Module* module;  // lives as long as the map
    uintptr_t offset;      // the address as the module's file has it
  };

  ModuleMap() { refresh(); }
  ModuleMap(const ModuleMap&) = delete;
  ModuleMap& operator=(const ModuleMap&) = delete;

  // Looks at what is loaded now. Cheap when nothing was loaded or unloaded since; false then.
  bool refresh();
  // Nothing for an address outside of every module.
  std::optional<Location> find(uintptr_t pc) const;
  // The location as text; "?" outside of every module, because an address would differ from run to run.
  std::string describe(uintptr_t pc) const;

 private:
  struct Span {
    AddressRange range;  // one loaded segment
    uintptr_t base;
    const Module* module;
  };
  class Reader;

  const Module* intern(std::string path);

  std::deque<Module> modules_;  // by ordinal - 1; a deque, because Locations point into it
  std::vector<Span> spans_;     // by address
  uint64_t loads_ = 0;          // the loader's own counts at the last refresh
  uint64_t unloads_ = 0;
};

}  // namespace base
