#include "kmt/direct_memory.h"

#include "nt/fault.h"

// In assembly because the fault handler must know exactly which instructions may fault and where each of them goes on,
// and because a sanitizer would look at the client's addresses before the processor does.
//
//   size_t kmt_copy(void* to, const void* from, size_t bytes)    bytes that were not copied
//   size_t kmt_probe_write(void* at, size_t pages)               pages that cannot be written
//
// Both keep what is left in rcx, so that a fault anywhere between the labels can end in the same place. The probe
// writes what is there already, in one instruction: another thread's write to the same byte is not lost.
__asm__(R"(
  .pushsection .text
  .globl kmt_copy, kmt_probe_write, kmt_faults_begin, kmt_faults_end
  .hidden kmt_copy, kmt_probe_write, kmt_faults_begin, kmt_faults_end
  .type kmt_copy, @function
  .type kmt_probe_write, @function
  .p2align 4
kmt_copy:
  mov %rdx, %rcx
kmt_faults_begin:
  cmp $256, %rcx
  ja 3f
1:
  cmp $8, %rcx
  jb 2f
  mov (%rsi), %rax
  mov %rax, (%rdi)
  add $8, %rsi
  add $8, %rdi
  sub $8, %rcx
  jmp 1b
2:
  jrcxz kmt_faults_end
  movzbl (%rsi), %eax
  mov %al, (%rdi)
  inc %rsi
  inc %rdi
  dec %rcx
  jmp 2b
3:
  rep movsb
  jmp kmt_faults_end
kmt_probe_write:
  mov %rsi, %rcx
4:
  lock orb $0, (%rdi)
  or $4095, %rdi
  inc %rdi
  dec %rcx
  jnz 4b
kmt_faults_end:
  mov %rcx, %rax
  ret
  .size kmt_copy, kmt_probe_write - kmt_copy
  .size kmt_probe_write, . - kmt_probe_write
  .popsection
)");

extern "C" {
size_t kmt_copy(void* to, const void* from, size_t bytes);
size_t kmt_probe_write(void* at, size_t pages);
extern const char kmt_faults_begin[], kmt_faults_end[];
}

namespace kmt {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kLowest = 64 * 1024;  // Windows maps nothing below; a null pointer needs no fault

uint64_t page_of(uint64_t address) { return address / kPage; }
bool impossible(uint64_t address, size_t bytes) { return address < kLowest || address + bytes < address; }

base::Failure unwritable(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, "memory that the client named cannot be written", where);
}

}  // namespace

DirectMemory::DirectMemory() {
  [[maybe_unused]] static const bool once =
      (nt::add_fault_fixup(kmt_faults_begin, kmt_faults_end, kmt_faults_end), true);
}

base::Result<> DirectMemory::read(void* to, uint64_t from, size_t bytes) {
  if (bytes == 0) return {};
  if (impossible(from, bytes) || kmt_copy(to, reinterpret_cast<const void*>(from), bytes) != 0) {
    return base::Failure(STATUS_INVALID_PARAMETER, "memory that the client named cannot be read");
  }
  return {};
}

base::Result<> DirectMemory::write(uint64_t to, const void* from, size_t bytes) {
  if (bytes == 0) return {};
  // Within one page the first store decides. Over several, all are tried before the first byte is changed.
  if (page_of(to) != page_of(to + bytes - 1)) TRY(probe_write(to, bytes));
  if (impossible(to, bytes) || kmt_copy(reinterpret_cast<void*>(to), from, bytes) != 0) return unwritable();
  return {};
}

base::Result<> DirectMemory::probe_write(uint64_t to, size_t bytes) {
  if (bytes == 0) return {};
  if (impossible(to, bytes)) return unwritable();
  if (kmt_probe_write(reinterpret_cast<void*>(to), page_of(to + bytes - 1) - page_of(to) + 1) != 0) return unwritable();
  return {};
}

}  // namespace kmt
