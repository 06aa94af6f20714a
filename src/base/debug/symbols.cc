#include "base/debug/symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>

#include "base/debug/module_map.h"
#include "base/interval_map.h"
#include "base/scoped.h"

namespace base {
namespace {

void free_chars(char* text) { std::free(text); }
using ScopedChars = Scoped<char*, free_chars, nullptr>;
void end_session(Dwfl* session) { dwfl_end(session); }
using ScopedSession = Scoped<Dwfl*, end_session, nullptr>;

// Not dwfl_standard_find_debuginfo: where DEBUGINFOD_URLS is set, it asks a server for what is missing here.
const Dwfl_Callbacks kCallbacks = {
    .find_elf = nullptr,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

std::string demangled(const char* name) {
  int status = 0;
  ScopedChars text(abi::__cxa_demangle(name, nullptr, nullptr, &status));
  return text ? text.get() : name;
}

std::string function_name(Dwarf_Die* function) {
  Dwarf_Attribute attribute;
  const char* linkage_name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
  if (linkage_name) return demangled(linkage_name);
  const char* plain_name = dwarf_diename(function);
  return plain_name ? plain_name : "";
}

bool is_namespace(Dwarf_Die* die) { return dwarf_tag(die) == DW_TAG_namespace; }

bool is_function(Dwarf_Die* die) {
  int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

// Appends the functions below `scope` whose code holds `address`, outermost first: the one that was compiled, then
// those inlined into it. dwarf_getscopes will not do: it never looks into a namespace, where clang puts its functions.
bool find_functions(Dwarf_Die* scope, Dwarf_Addr address, std::vector<Dwarf_Die>& chain) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return false;
  do {
    if (is_namespace(&child)) {
      if (find_functions(&child, address, chain)) return true;
    } else if (dwarf_haspc(&child, address) > 0) {
      if (is_function(&child)) chain.push_back(child);
      find_functions(&child, address, chain);
      return true;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

struct Place {
  std::string file;
  uint32_t line = 0;
};

// Where an inlined function was called.
Place call_site(Dwarf_Die* unit, Dwarf_Die* inlined, std::string_view directory) {
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  Dwarf_Word file_index = 0;
  Dwarf_Files* files = nullptr;
  dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line);
  if (dwarf_getsrcfiles(unit, &files, nullptr) != 0 ||
      dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file_index) != 0)
    return {};
  const char* file = dwarf_filesrc(files, file_index, nullptr, nullptr);
  if (!file) return {};
  return {std::string(shorten_path(file, directory)), static_cast<uint32_t>(line)};
}

std::string_view compilation_directory(Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  const char* directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return directory ? directory : "";
}

Place line_at(Dwarf_Die* unit, Dwarf_Addr address, std::string_view directory) {
  Dwarf_Line* line = dwarf_getsrc_die(unit, address);
  const char* file = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
  int number = 0;
  if (!file || dwarf_lineno(line, &number) != 0) return {};
  return {std::string(shorten_path(file, directory)), static_cast<uint32_t>(number)};
}

}  // namespace

std::string_view shorten_path(std::string_view file, std::string_view directory) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  if (directory.empty() || !file.starts_with(directory)) return file;
  std::string_view rest = file.substr(directory.size());
  if (!rest.starts_with('/')) return file;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  return rest;
}

// One file, opened apart from the others so that its addresses are its own.
class Symbolizer::Module {
 public:
  explicit Module(const std::string& path) : session_(dwfl_begin(&kCallbacks)) {
    if (!session_) return;
    dwfl_report_begin(session_.get());
    module_ = dwfl_report_offline(session_.get(), path.c_str(), path.c_str(), -1);
    dwfl_report_end(session_.get(), nullptr, nullptr);
    if (module_ && !dwfl_module_getelf(module_, &bias_)) module_ = nullptr;
    if (module_) index_units();
  }

  // Empty when nothing is known.
  std::vector<SourceFrame> resolve(uintptr_t offset) const {
    if (!module_) return {};
    std::vector<SourceFrame> frames = from_debug_information(bias_ + offset);
    if (!frames.empty()) return frames;
    GElf_Off into = 0;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(module_, bias_ + offset, &into, &symbol, nullptr, nullptr, nullptr);
    if (!name || into >= std::max<GElf_Xword>(symbol.st_size, 1)) return {};
    return {{demangled(name), "", 0, false}};
  }

 private:
  // libdw finds a unit by .debug_aranges, which clang does not write; the units' own ranges are always there.
  void index_units() {
    Dwarf_Die* unit = nullptr;
    Dwarf_Addr unit_bias = 0;
    while ((unit = dwfl_module_nextcu(module_, unit, &unit_bias))) {
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      ptrdiff_t next = 0;
      while ((next = dwarf_ranges(unit, next, &base, &begin, &end)) > 0)
        units_.insert(unit_bias + begin, unit_bias + end, {unit, unit_bias});
    }
  }

  std::vector<SourceFrame> from_debug_information(Dwarf_Addr address) const {
    const auto* found = units_.find(address);
    if (!found) return {};
    auto [unit, unit_bias] = found->value;
    std::string_view directory = compilation_directory(unit);
    std::vector<Dwarf_Die> chain;
    find_functions(unit, address - unit_bias, chain);
    Place place = line_at(unit, address - unit_bias, directory);
    std::vector<SourceFrame> frames;
    for (auto function = chain.rbegin(); function != chain.rend(); ++function) {
      bool inlined = dwarf_tag(&*function) == DW_TAG_inlined_subroutine;
      frames.push_back({function_name(&*function), place.file, place.line, inlined});
      if (inlined) place = call_site(unit, &*function, directory);
    }
    return frames;
  }

  struct Unit {
    Dwarf_Die* die;
    Dwarf_Addr bias;
  };

  ScopedSession session_;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr bias_ = 0;
  IntervalMap<Dwarf_Addr, Unit> units_;
};

Symbolizer::Symbolizer() = default;
Symbolizer::~Symbolizer() = default;

std::vector<SourceFrame> Symbolizer::resolve(const std::string& path, uintptr_t offset) {
  std::unique_ptr<Module>& module = modules_[path];
  if (!module) module = std::make_unique<Module>(path);
  std::vector<SourceFrame> frames = module->resolve(offset);
  if (frames.empty()) frames.push_back({module_and_offset(path, offset), "", 0, false});
  return frames;
}

}  // namespace base
