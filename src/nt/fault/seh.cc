// Structured exceptions. A frame list per thread, innermost first; see abi/km/wdm_seh.h for what the macros make of it.
#include <fmt/format.h>
#include <setjmp.h>

#include <cstring>

#include "nt/boundary/kernel_entry.h"
#include "nt/fault/exception.h"
#include "nt/mm/physical_memory.h"

static_assert(sizeof(sigjmp_buf) + sizeof(void*) <= sizeof(DRYDOCK_SEH_FRAME::Jump));

namespace {

using nt::Fn;
using nt::KernelEntry;
using nt::Thread;
using nt::Violation;

// Behind the jump buffer: the driver call that was open when the frame was pushed. An exception does not cross a driver
// call, because frames of ours lie between.
nt::DriverCallFrame*& driver_call_of(DRYDOCK_SEH_FRAME& frame) {
  return *reinterpret_cast<nt::DriverCallFrame**>(frame.Jump + sizeof(frame.Jump) - sizeof(void*));
}

void unlink(Thread& thread, DRYDOCK_SEH_FRAME* frame) {
  // Frames further in belong to functions that have returned.
  for (DRYDOCK_SEH_FRAME* at = thread.seh; at; at = at->Previous) {
    if (at != frame) continue;
    thread.seh = frame->Previous;
    return;
  }
}

[[noreturn]] void jump_to(DRYDOCK_SEH_FRAME& frame) {
  Thread& thread = *Thread::current();
  for (uint32_t& depth = thread.calls; depth > 0; --depth) base::watch_races();
  thread.left_driver_at = 0;  // the driver's code goes on; the kernel's functions between are left without a return
  siglongjmp(*reinterpret_cast<sigjmp_buf*>(frame.Jump), 1);
}

}  // namespace

namespace nt {

bool can_handle_exception(Machine& machine) {
  Thread& thread = machine.self();
  return thread.seh && driver_call_of(*thread.seh) == thread.driver_call;
}

// Takes the thread's exception to the innermost frame.
[[noreturn]] static void search(Machine& machine) {
  Thread& thread = machine.self();
  NTSTATUS code = thread.exception.ExceptionCode;
  if (can_handle_exception(machine)) {
    thread.seh->Code = static_cast<ULONG>(code);
    jump_to(*thread.seh);
  }
  machine.report_violation(
      Violation::UnhandledException,
      fmt::format("exception 0x{:08X} was raised and no handler takes it", static_cast<uint32_t>(code)));
  machine.stop();
}

void raise_exception(Machine& machine, NTSTATUS code, std::optional<uintptr_t> address) {
  EXCEPTION_RECORD& record = machine.self().exception;
  record = {};
  record.ExceptionCode = code;
  record.NumberParameters = address ? 2 : 0;
  record.ExceptionInformation[1] = address.value_or(0);
  search(machine);
}

void raise_exception(Machine& machine, const base::Failure& failure) { raise_exception(machine, failure.code()); }

}  // namespace nt

extern "C" {

VOID DrydockSehPush(DRYDOCK_SEH_FRAME* frame) {
  Thread& thread = *Thread::current();
  frame->Previous = thread.seh;
  driver_call_of(*frame) = thread.driver_call;
  thread.seh = frame;
}

VOID DrydockSehPop(DRYDOCK_SEH_FRAME* frame) { unlink(*Thread::current(), frame); }

int DrydockSehFilter(DRYDOCK_SEH_FRAME* frame, int filter) {
  Thread& thread = *Thread::current();
  unlink(thread, frame);
  if (filter > 0) {
    frame->State = DRYDOCK_SEH_HANDLED;
    return 1;
  }
  base::stop_watching_races();
  ++thread.calls;
  if (filter < 0) {
    thread.machine.report_violation(Violation::UnhandledException,
                                    "a filter answered EXCEPTION_CONTINUE_EXECUTION, which Drydock cannot do");
  }
  nt::search(thread.machine);
}

VOID DrydockSehLeave(DRYDOCK_SEH_FRAME* frame) {
  unlink(*Thread::current(), frame);
  frame->State = DRYDOCK_SEH_LEFT;
  siglongjmp(*reinterpret_cast<sigjmp_buf*>(frame->Jump), 1);
}

ULONG DrydockSehCode() { return static_cast<ULONG>(Thread::current()->exception.ExceptionCode); }

PEXCEPTION_POINTERS DrydockSehInformation() {
  Thread& thread = *Thread::current();
  thread.exception_pointers = {&thread.exception, nullptr};
  return &thread.exception_pointers;
}

VOID ExRaiseStatus(NTSTATUS status) {
  KernelEntry call{Fn::ExRaiseStatus};
  nt::raise_exception(call.machine(), status);
}

VOID ExRaiseAccessViolation() {
  KernelEntry call{Fn::ExRaiseAccessViolation};
  nt::raise_exception(call.machine(), STATUS_ACCESS_VIOLATION);
}

VOID ExRaiseDatatypeMisalignment() {
  KernelEntry call{Fn::ExRaiseDatatypeMisalignment};
  nt::raise_exception(call.machine(), STATUS_DATATYPE_MISALIGNMENT);
}

}  // extern "C"

namespace {

// A user's buffer must end below the probe address, without wrapping, and be aligned. The machine's own memory lies
// below that address too, and is a kernel address all the same; a stack is not, because clients have them as well.
// Whether the memory is there at all is found out by touching it, under the driver's own __try.
bool is_users(uintptr_t start, size_t length) {
  uintptr_t end = start + length;
  if (end < start || end > MM_USER_PROBE_ADDRESS) return false;
  return !nt::PhysicalMemory::is_kernel(start) && !nt::PhysicalMemory::is_kernel(end - 1);
}

void probe(KernelEntry& call, const volatile void* address, SIZE_T length, ULONG alignment) {
  if (length == 0) return;
  auto start = reinterpret_cast<uintptr_t>(address);
  if (start & (alignment - 1)) nt::raise_exception(call.machine(), STATUS_DATATYPE_MISALIGNMENT, start);
  if (!is_users(start, length)) nt::raise_exception(call.machine(), STATUS_ACCESS_VIOLATION, start);
}

}  // namespace

extern "C" {

VOID ProbeForRead(const volatile VOID* address, SIZE_T length, ULONG alignment) {
  KernelEntry call{Fn::ProbeForRead};
  probe(call, address, length, alignment);
}

VOID ProbeForWrite(volatile VOID* address, SIZE_T length, ULONG alignment) {
  KernelEntry call{Fn::ProbeForWrite};
  probe(call, address, length, alignment);
  auto* bytes = static_cast<volatile char*>(address);
  for (SIZE_T offset = 0; offset < length; offset += PAGE_SIZE) bytes[offset] = bytes[offset];
  if (length) bytes[length - 1] = bytes[length - 1];
}

}  // extern "C"
