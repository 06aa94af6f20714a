#include "nt/mm/careful_copy.h"

#include <cstdint>

#include "base/align.h"
#include "nt/fault/fault.h"

// In assembly because the fault handler must know exactly which instructions may fault and where each of them goes on,
// and because a sanitizer would look at the client's addresses before the processor does.
//
//   size_t nt_careful_copy(void* to, const void* from, size_t bytes)    bytes that were not copied
//   size_t nt_careful_touch(void* at, size_t pages)                     pages that cannot be written
//   size_t nt_careful_look(const void* at, size_t pages)                pages that cannot be read
//
// All keep what is left in rcx, so that a fault anywhere between the labels can end in the same place. The touch
// writes what is there already, in one instruction: another thread's write to the same byte is not lost.
__asm__(R"(
  .pushsection .text
  .globl nt_careful_copy, nt_careful_touch, nt_careful_look, nt_careful_begin, nt_careful_end
  .hidden nt_careful_copy, nt_careful_touch, nt_careful_look, nt_careful_begin, nt_careful_end
  .type nt_careful_copy, @function
  .type nt_careful_touch, @function
  .type nt_careful_look, @function
  .p2align 4
nt_careful_copy:
  mov %rdx, %rcx
nt_careful_begin:
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
  jrcxz nt_careful_end
  movzbl (%rsi), %eax
  mov %al, (%rdi)
  inc %rsi
  inc %rdi
  dec %rcx
  jmp 2b
3:
  rep movsb
  jmp nt_careful_end
nt_careful_touch:
  mov %rsi, %rcx
4:
  lock orb $0, (%rdi)
  or $4095, %rdi
  inc %rdi
  dec %rcx
  jnz 4b
  jmp nt_careful_end
nt_careful_look:
  mov %rsi, %rcx
5:
  movzbl (%rdi), %eax
  or $4095, %rdi
  inc %rdi
  dec %rcx
  jnz 5b
nt_careful_end:
  mov %rcx, %rax
  ret
  .size nt_careful_copy, nt_careful_touch - nt_careful_copy
  .size nt_careful_touch, nt_careful_look - nt_careful_touch
  .size nt_careful_look, . - nt_careful_look
  .popsection
)");

extern "C" {
size_t nt_careful_copy(void* to, const void* from, size_t bytes);
size_t nt_careful_touch(void* at, size_t pages);
size_t nt_careful_look(const void* at, size_t pages);
extern const char nt_careful_begin[], nt_careful_end[];
}

namespace nt {
namespace {

constexpr uintptr_t kLowest = 64 * 1024;  // Windows maps nothing below; a null pointer needs no fault

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }
size_t pages_of(uintptr_t address, size_t bytes) {
  return (address + bytes - 1) / base::kPageBytes - address / base::kPageBytes + 1;
}
bool impossible(uintptr_t address, size_t bytes) { return address < kLowest || address + bytes < address; }

void know_the_instructions() {
  [[maybe_unused]] static const bool once = (add_fault_fixup(nt_careful_begin, nt_careful_end, nt_careful_end), true);
}

base::Failure unreadable(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_ACCESS_VIOLATION, "memory that the client named cannot be read", where);
}
base::Failure unwritable(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_ACCESS_VIOLATION, "memory that the client named cannot be written", where);
}

}  // namespace

base::Result<> careful_read(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return {};
  know_the_instructions();
  if (impossible(number(from), bytes) || nt_careful_copy(to, from, bytes) != 0) return unreadable();
  return {};
}

base::Result<> careful_write(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return {};
  // Within one page the first store decides. Over several, all are tried before the first byte is changed.
  if (pages_of(number(to), bytes) != 1) TRY(careful_probe_write(to, bytes));
  know_the_instructions();
  if (impossible(number(to), bytes) || nt_careful_copy(to, from, bytes) != 0) return unwritable();
  return {};
}

base::Result<> careful_probe_write(void* at, size_t bytes) {
  if (bytes == 0) return {};
  know_the_instructions();
  if (impossible(number(at), bytes) || nt_careful_touch(at, pages_of(number(at), bytes)) != 0) return unwritable();
  return {};
}

base::Result<> careful_probe_read(const void* at, size_t bytes) {
  if (bytes == 0) return {};
  know_the_instructions();
  if (impossible(number(at), bytes) || nt_careful_look(at, pages_of(number(at), bytes)) != 0) return unreadable();
  return {};
}

}  // namespace nt
