#include "base/debug/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

#include "base/align.h"

namespace base {
namespace {

AddressRange loaded(uintptr_t base, uint64_t address, uint64_t size_bytes) {
  return {base + address, base + address + size_bytes};
}

// As the loader does: both ends are rounded down, so a last partial page stays writable.
AddressRange whole_pages(AddressRange range) {
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return {round_down(range.lo, page), round_down(range.hi, page)};
}

void set(std::string* message, std::string text) {
  if (message) *message = std::move(text);
}

}  // namespace

void Library::close_handle(void* handle) { dlclose(handle); }

Result<Library> Library::open(const std::string& path, std::string* message) {
  Result<ElfFile> file = ElfFile::open(path);
  if (!file.ok()) {
    set(message, fmt::format("{}: {}", path, file.failure().why()));
    return file.failure();
  }
  std::string with_slash = path.find('/') == std::string::npos ? "./" + path : path;
  Handle handle(dlopen(with_slash.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle) {
    const char* reason = dlerror();
    set(message, reason ? reason : path + ": the loader gave no reason");
    return Failure(STATUS_DRIVER_UNABLE_TO_LOAD, "the system's loader refused the module");
  }
  link_map* map = nullptr;
  if (dlinfo(handle.get(), RTLD_DI_LINKMAP, &map) != 0) {
    set(message, path + ": the loader does not say where it put the module");
    return Failure(STATUS_DRIVER_UNABLE_TO_LOAD, "the system's loader does not say where it put the module");
  }
  return Library(path, file.take(), std::move(handle), map->l_addr);
}

Library::Library(std::string path, ElfFile file, Handle handle, uintptr_t base)
    : path_(std::move(path)), file_(std::move(file)), handle_(std::move(handle)), base_(base) {
  for (const ElfFile::Segment& segment : file_.load_segments())
    segments_.push_back({loaded(base_, segment.address, segment.size_bytes), segment.flags});
  std::ranges::sort(segments_, {}, [](const Segment& segment) { return segment.range.lo; });
  if (const auto& relro = file_.relro()) relro_ = whole_pages(loaded(base_, relro->address, relro->size_bytes));
}

void* Library::symbol(const char* name) const {
  void* address = dlsym(handle_.get(), name);
  // dlsym also looks into the libraries this one was linked with.
  bool own = std::ranges::any_of(segments_, [address](const Segment& segment) {
    return segment.range.contains(reinterpret_cast<uintptr_t>(address));
  });
  return own ? address : nullptr;
}

std::optional<AddressRange> Library::section(std::string_view name) const {
  const ElfFile::Section* section = file_.section(name);
  if (!section) return std::nullopt;
  return loaded(base_, section->address, section->size_bytes);
}

}  // namespace base
