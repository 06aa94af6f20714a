#include "base/debug/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/planted.h"
#include "base/scoped.h"

namespace base {
namespace {

void end_elf(Elf* elf) { elf_end(elf); }
using ScopedElf = Scoped<Elf*, end_elf, nullptr>;

Failure truncated(Here where = Here::now()) {
  return Failure(STATUS_INVALID_IMAGE_FORMAT, "the file is truncated", where);
}
Failure damaged(Here where = Here::now()) {
  return Failure(STATUS_INVALID_IMAGE_FORMAT, "the file is damaged: its ELF headers contradict each other", where);
}

Result<ScopedFd> open_regular(const std::string& path) {
  ScopedFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return Failure(STATUS_NO_SUCH_FILE, "there is no such file");
  if (!fd) return Failure(STATUS_ACCESS_DENIED, "the file cannot be opened for reading");
  struct stat info;
  if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return Failure(STATUS_INVALID_IMAGE_FORMAT, "this is not a regular file");
  return fd;
}

// Checks of the first bytes whose failure can be explained to a user, made before the ELF library reads the file.
Result<> check_header(int fd, uint64_t file_bytes) {
  Elf64_Ehdr header = {};
  ssize_t got = pread(fd, &header, sizeof header, 0);
  if (got < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return Failure(STATUS_INVALID_IMAGE_FORMAT, "this is not an ELF file");
  if (static_cast<size_t>(got) < sizeof header) return truncated();
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
    return Failure(STATUS_INVALID_IMAGE_FORMAT, "the file is for another machine, not for x86-64");
  if (header.e_type != ET_DYN)
    return Failure(STATUS_INVALID_IMAGE_FORMAT, "this is an ELF file but not a shared object");
  if (header.e_shoff == 0 || header.e_shnum == 0)
    return Failure(STATUS_INVALID_IMAGE_FORMAT, "the file has no section headers");
  uint64_t table_bytes = uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff > file_bytes || table_bytes > file_bytes - header.e_shoff) return truncated();
  return {};
}

// A position-independent program is an ET_DYN file as well; the loader refuses it as a module, so do we.
bool is_program(Elf_Scn* dynamic_section) {
  Elf_Data* data = elf_getdata(dynamic_section, nullptr);
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry); ++i) {
    if (entry.d_tag == DT_NULL) return false;
    if (entry.d_tag == DT_FLAGS_1) return (entry.d_un.d_val & DF_1_PIE) != 0;
  }
  return false;
}

}  // namespace

Result<ElfFile> ElfFile::open(const std::string& path) {
  elf_version(EV_CURRENT);
  ScopedFd fd = TRY(open_regular(path));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return Failure(STATUS_ACCESS_DENIED, "the file's size cannot be read");
  auto file_bytes = static_cast<uint64_t>(info.st_size);
  TRY(check_header(fd.get(), file_bytes));
  // Read, not mapped: a file that shrinks while we look at it must not become a SIGBUS.
  ScopedElf elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return damaged();
  ElfFile file;
  TRY(file.read_segments(elf.get(), file_bytes));
  TRY(file.read_sections(elf.get()));
  TRY(file.read_symbols(elf.get()));
  file.read_build_id(elf.get());
  return file;
}

const ElfFile::Section* ElfFile::section(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

Result<> ElfFile::read_segments(Elf* elf, uint64_t file_bytes) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return damaged();
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (!gelf_getphdr(elf, static_cast<int>(i), &header)) return damaged();
    if (header.p_type != PT_LOAD && header.p_type != PT_GNU_RELRO) continue;
    if (header.p_vaddr + header.p_memsz < header.p_vaddr) return damaged();
    if (header.p_offset > file_bytes || header.p_filesz > file_bytes - header.p_offset) return truncated();
    Segment segment = {header.p_vaddr, header.p_memsz, header.p_flags};
    if (header.p_type == PT_LOAD) {
      load_segments_.push_back(segment);
    } else {
      relro_ = segment;
    }
  }
  return load_segments_.empty() ? Result<>(damaged()) : Result<>();
}

Result<> ElfFile::read_sections(Elf* elf) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return damaged();
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr header;
    if (!gelf_getshdr(scn, &header)) return damaged();
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (!name || header.sh_addr + header.sh_size < header.sh_addr) return damaged();
    if (header.sh_flags & SHF_ALLOC) sections_.push_back({name, header.sh_addr, header.sh_size});
    if (header.sh_type == SHT_DYNAMIC && is_program(scn))
      return Failure(STATUS_INVALID_IMAGE_FORMAT, "this is a program, not a shared object");
  }
  return {};
}

Result<> ElfFile::read_symbols(Elf* elf) {
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr header;
    if (!gelf_getshdr(scn, &header)) return damaged();
    if (header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* data = elf_getdata(scn, nullptr);
    if (!data) return damaged();
    size_t count = data->d_size / sizeof(Elf64_Sym);
    for (size_t i = 1; i < count; ++i) {  // entry 0 is reserved and empty
      GElf_Sym symbol;
      if (!gelf_getsym(data, static_cast<int>(i), &symbol)) return damaged();
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (!name && !planted("base_elf_file_fuzz")) return damaged();
      bool weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK;
      auto& list = symbol.st_shndx == SHN_UNDEF ? undefined_symbols_ : defined_symbols_;
      list.push_back({name, symbol.st_value, symbol.st_size, weak});
    }
  }
  return {};
}

void ElfFile::read_build_id(Elf* elf) {
  const void* bytes = nullptr;
  ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);
  const auto* byte = static_cast<const uint8_t*>(bytes);
  for (ssize_t i = 0; i < size; ++i) build_id_ += fmt::format("{:02x}", byte[i]);
}

bool ElfFile::wants(std::string_view symbol) const {
  return std::any_of(undefined_symbols_.begin(), undefined_symbols_.end(),
                     [symbol](const Symbol& each) { return each.name == symbol; });
}

bool ElfFile::offers(std::string_view symbol) const {
  return std::any_of(defined_symbols_.begin(), defined_symbols_.end(),
                     [symbol](const Symbol& each) { return each.name == symbol; });
}

}  // namespace base
