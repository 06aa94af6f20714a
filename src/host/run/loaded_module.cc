#include "host/run/loaded_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "nt/machine/edge.h"

namespace host {
namespace {

// The functions that the driver imports and that this program does not provide; all of them in one sentence.
std::string missing_imports(const base::ElfFile& file) {
  std::string names;
  size_t count = 0;
  for (const auto& symbol : file.undefined_symbols()) {
    if (symbol.weak || dlsym(RTLD_DEFAULT, symbol.name.c_str())) continue;
    if (++count <= 12) names += (names.empty() ? "" : ", ") + symbol.name;
  }
  if (count > 12) names += fmt::format(" and {} more", count - 12);
  return names;
}

}  // namespace

std::optional<base::Sanitizer> sanitizer_of(const base::ElfFile& file) {
  bool asan = file.wants("__asan_init"), tsan = file.wants("__tsan_init");
  if (asan && tsan) return std::nullopt;
  return asan ? base::Sanitizer::Address : tsan ? base::Sanitizer::Thread : base::Sanitizer::None;
}

const char* to_string(base::Sanitizer sanitizer) {
  switch (sanitizer) {
    case base::Sanitizer::None:
      return "plain";
    case base::Sanitizer::Address:
      return "asan";
    case base::Sanitizer::Thread:
      return "tsan";
  }
  return "";
}

base::Expected<LoadedModule, std::string> LoadedModule::load(const std::string& path) {
  auto file = base::ElfFile::open(path);
  if (!file.ok()) {
    return fmt::format("{}: {}", path, file.failure().why());
  }
  auto sanitizer = sanitizer_of(file.value());
  if (sanitizer != base::kSanitizer) {
    return fmt::format("{}: built for the {} host, and this is the {} one", path,
                       sanitizer ? to_string(*sanitizer) : "no known", to_string(base::kSanitizer));
  }
  std::string missing = missing_imports(file.value()), message;
  auto library = base::Library::open(path, &message);
  // If a library is missing, its functions are missing too; then the message names the library.
  bool misses_library = !library.ok() && message.find("cannot open shared object file") != message.npos;
  if (!missing.empty() && !misses_library) {
    return fmt::format("{}: calls functions that Drydock does not provide: {}", path, missing);
  }
  if (!library.ok()) {
    return fmt::format("{}: {}", path, message);
  }
  LoadedModule module(library.take());
  module.mark_pageable_code();
  module.snapshot_.emplace(module.library_);
  return module;
}

void LoadedModule::mark_pageable_code() {
  base::AddressRange whole = range();
  for (const char* name : {"PAGE", "INIT"}) {
    if (auto section = library_.section(name)) nt::mark_paged_code(whole.lo, whole.hi, section->lo, section->hi);
  }
}

std::string LoadedModule::file_name() const { return std::filesystem::path(path()).filename().string(); }

std::string LoadedModule::name() const { return std::filesystem::path(path()).stem().string(); }

base::AddressRange LoadedModule::range() const {
  return {library_.segments().front().range.lo, library_.segments().back().range.hi};
}

}  // namespace host
