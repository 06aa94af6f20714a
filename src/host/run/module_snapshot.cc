#include "host/run/module_snapshot.h"

#include <elf.h>

#include <algorithm>

#include "base/sanitizer.h"

namespace host {
namespace {

// memcpy without sanitizer checks: the red zones around a module's globals are copied with the rest.
NO_SANITIZE void copy_raw(char* to, const char* from, size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
}

}  // namespace

ModuleSnapshot::ModuleSnapshot(const base::Library& library) {
  base::AddressRange relro = library.relro();
  for (const auto& segment : library.segments()) {
    if (!(segment.flags & PF_W)) continue;
    base::AddressRange writable = segment.range;
    if (writable.lo >= relro.lo && writable.lo < relro.hi) writable.lo = std::min(relro.hi, writable.hi);
    if (writable.lo >= writable.hi) continue;
    Saved saved{writable, std::vector<char>(writable.hi - writable.lo)};
    copy_raw(saved.bytes.data(), reinterpret_cast<const char*>(writable.lo), saved.bytes.size());
    saved_.push_back(std::move(saved));
  }
}

void ModuleSnapshot::restore() const {
  for (const Saved& saved : saved_) {
    copy_raw(reinterpret_cast<char*>(saved.range.lo), saved.bytes.data(), saved.bytes.size());
  }
}

}  // namespace host
