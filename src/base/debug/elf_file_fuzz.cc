// Any bytes as a shared object: refused with a sentence, or described; it must never crash.
#include <fmt/format.h>
#include <sys/mman.h>

#include "base/debug/elf_file.h"
#include "base/scoped.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  base::ScopedFd file(memfd_create("elf", MFD_CLOEXEC));
  CHECK(file && write(file.get(), data, size) == static_cast<ssize_t>(size));
  auto elf = base::ElfFile::open(fmt::format("/proc/self/fd/{}", file.get()));
  CHECK(elf.ok() || *elf.failure().why());
  return 0;
}
