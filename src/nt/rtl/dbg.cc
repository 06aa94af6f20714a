// Debug output, assertions, breakpoints and bug checks. Pages: wdm/nf-wdm-dbgprint, wdm/nf-wdm-kebugcheckex, …
#include <fmt/format.h>

#include <cstdarg>
#include <string>

#include "nt/boundary/kernel_entry.h"
#include "nt/ke/irql.h"
#include "nt/rtl/format.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Violation;

namespace {

constexpr size_t kLine = 512;  // what one DbgPrint transmits at most, as documented

void print(KernelEntry& call, const char* prefix, const char* format, va_list arguments) {
  char line[kLine];
  nt::format_ansi(line, sizeof(line), format, arguments);
  std::string text = std::string(prefix) + line;
  call.machine().note(trace::DbgPrint{.text = text});
  call.machine().observer().debug_print(text);
}

}  // namespace

extern "C" {

ULONG DbgPrint(PCSTR format, ...) {
  KernelEntry call{Fn::DbgPrint};
  va_list arguments;
  va_start(arguments, format);
  print(call, "", format, arguments);
  va_end(arguments);
  return STATUS_SUCCESS;
}

ULONG DbgPrintEx(ULONG, ULONG, PCSTR format, ...) {
  KernelEntry call{Fn::DbgPrintEx};
  va_list arguments;
  va_start(arguments, format);
  print(call, "", format, arguments);
  va_end(arguments);
  return STATUS_SUCCESS;
}

ULONG vDbgPrintEx(ULONG, ULONG, PCCH format, va_list arguments) {
  KernelEntry call{Fn::vDbgPrintEx};
  print(call, "", format, arguments);
  return STATUS_SUCCESS;
}

ULONG vDbgPrintExWithPrefix(PCCH prefix, ULONG, ULONG, PCCH format, va_list arguments) {
  KernelEntry call{Fn::vDbgPrintExWithPrefix};
  print(call, prefix, format, arguments);
  return STATUS_SUCCESS;
}

// With no debugger attached Windows stops here too.
VOID DbgBreakPoint() {
  KernelEntry call{Fn::DbgBreakPoint};
  call.machine().report_violation(Violation::AssertionFailed, "the driver hit a breakpoint (DbgBreakPoint)");
}

VOID RtlAssert(PVOID expression, PVOID file, ULONG line, PSTR message) {
  KernelEntry call{Fn::RtlAssert};
  std::string_view path = static_cast<const char*>(file);
  if (size_t slash = path.find_last_of("/\\"); slash != std::string_view::npos) path.remove_prefix(slash + 1);
  call.machine().report_violation(Violation::AssertionFailed, fmt::format("assertion failed at {}:{}: {}{}{}", path,
                                                                          line, static_cast<const char*>(expression),
                                                                          message ? ": " : "", message ? message : ""));
}

VOID DrydockPagedCode() {
  base::stop_watching_races();
  if (nt::Thread* thread = nt::Thread::current(); thread && thread->irql > APC_LEVEL) {
    thread->machine.report_violation(Violation::PagedCodeRaised,
                                     fmt::format("PAGED_CODE() at {}", nt::irql_name(thread->irql)));
  }
  base::watch_races();
}

VOID KeBugCheckEx(ULONG code, ULONG_PTR p1, ULONG_PTR p2, ULONG_PTR p3, ULONG_PTR p4) {
  KernelEntry call{Fn::KeBugCheckEx};
  call.machine().bug_check(code, p1, p2, p3, p4);
}

VOID KeBugCheck(ULONG code) {
  KernelEntry call{Fn::KeBugCheck};
  call.machine().bug_check(code, 0, 0, 0, 0);
}

}  // extern "C"
