#include "base/debug/module_map.h"

#include <fmt/format.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

namespace base {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The loader gives the program itself an empty name.
std::string program_path() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "program";
}

}  // namespace

std::string module_and_offset(std::string_view path, uintptr_t offset) {
  return fmt::format("{}+{:#x}", last_part(path), offset);
}

// One walk over the loader's list; it stops at the first module when the counts say that nothing changed.
class ModuleMap::Reader {
 public:
  explicit Reader(ModuleMap& map) : map_(map) {}

  bool run() {
    dl_iterate_phdr(visit, this);
    return !unchanged_;
  }

 private:
  static int visit(dl_phdr_info* info, size_t, void* context) { return static_cast<Reader*>(context)->module(*info); }

  int module(const dl_phdr_info& info) {
    if (first_) {
      first_ = false;
      unchanged_ = map_.loads_ == info.dlpi_adds && map_.unloads_ == info.dlpi_subs;
      if (unchanged_) return 1;
      map_.loads_ = info.dlpi_adds;
      map_.unloads_ = info.dlpi_subs;
      map_.spans_.clear();
    }
    const Module* module = map_.intern(info.dlpi_name && *info.dlpi_name ? info.dlpi_name : program_path());
    for (size_t i = 0; i < info.dlpi_phnum; ++i) {
      const auto& header = info.dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      uintptr_t lo = info.dlpi_addr + header.p_vaddr;
      map_.spans_.push_back({{lo, lo + header.p_memsz}, info.dlpi_addr, module});
    }
    return 0;
  }

  ModuleMap& map_;
  bool first_ = true;
  bool unchanged_ = false;
};

bool ModuleMap::refresh() {
  if (!Reader(*this).run()) return false;
  std::ranges::sort(spans_, {}, [](const Span& span) { return span.range.lo; });
  return true;
}

const ModuleMap::Module* ModuleMap::intern(std::string path) {
  for (const Module& module : modules_) {
    if (module.path == path) return &module;
  }
  std::string file(last_part(path));
  modules_.push_back({static_cast<uint32_t>(modules_.size() + 1), std::move(path), std::move(file)});
  return &modules_.back();
}

std::optional<ModuleMap::Location> ModuleMap::find(uintptr_t pc) const {
  auto after = std::ranges::upper_bound(spans_, pc, {}, [](const Span& span) { return span.range.lo; });
  if (after == spans_.begin()) return std::nullopt;
  const Span& span = *std::prev(after);
  if (!span.range.contains(pc)) return std::nullopt;
  return Location{span.module, pc - span.base};
}

std::string ModuleMap::describe(uintptr_t pc) const {
  std::optional<Location> location = find(pc);
  return location ? module_and_offset(location->module->path, location->offset) : "?";
}

}  // namespace base
