#include "nt/fault/fault.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <utility>
#include <vector>

#include "base/align.h"
#include "base/sanitizer.h"
#include "nt/fault/exception.h"
#include "nt/fault/fault_stack.h"
#include "nt/hardware/registers.h"
#include "nt/machine/machine.h"
#include "nt/mm/address_space.h"
#include "nt/mm/paged_guard.h"
#include "nt/mm/pool.h"

// The handler does not report from inside the signal: it makes the fiber continue in `landed`, on its own stack, as if
// the faulting instruction had been a call. Only when that stack is what overflowed does it continue on a spare one.
namespace nt {
namespace {

struct Fault {
  int signal = 0;
  FaultPlace place;
  uintptr_t address = 0;
  bool no_address = false;  // the processor does not say which: it was none that memory can have
  bool overflow = false;
};
thread_local Fault t_fault;

constexpr size_t kSpareBytes = 256 * 1024;
alignas(64) char g_spare_stack[kSpareBytes];  // for a fiber that has none left
alignas(64) char g_signal_stack[64 * 1024];

// Read by the handler, so without a lock: an entry counts from the moment it has a target.
struct Fixup {
  uintptr_t begin = 0, end = 0;
  std::atomic<uintptr_t> target{0};
};
constexpr uint32_t kMaxFixups = 8;
Fixup g_fixups[kMaxFixups];
std::atomic<uint32_t> g_fixup_count{0};

constexpr uint32_t kMaxExplainers = 8;
std::atomic<FaultExplainer> g_explainers[kMaxExplainers];
std::atomic<uint32_t> g_explainer_count{0};

struct sigaction g_before[NSIG];  // the handlers that were installed before ours

NTSTATUS exception_of(int signal) {
  switch (signal) {
    case SIGFPE:
      return STATUS_INTEGER_DIVIDE_BY_ZERO;
    case SIGILL:
      return STATUS_ILLEGAL_INSTRUCTION;
    case SIGTRAP:
      return STATUS_BREAKPOINT;
    default:
      return STATUS_ACCESS_VIOLATION;
  }
}

std::string describe_address(Machine& machine, const Fault& fault) {
  if (fault.no_address) return "through a pointer that is no address, or not aligned";
  uintptr_t address = fault.address;
  if (auto block = machine.pool().find(address)) {
    return fmt::format("{}{}", block->freed ? "the freed " : "", Pool::describe(*block));
  }
  if (address < 0x10000) return fmt::format("a null pointer (0x{:x})", address);
  if (kStackArena.contains(address)) return "the guard page of a stack";
  return "memory that is not there";
}

[[noreturn]] void landed() {
  base::stop_watching_races();
  Fault fault = t_fault;
  Machine& machine = *Machine::current();
  base::Stack stack = stack_of_fault(machine, fault.place);
  Thread& thread = machine.self();
  ++thread.calls;
  NTSTATUS code = exception_of(fault.signal);
  if (auto offset = machine.registers().mapped_offset(fault.address); offset && fault.signal == SIGSEGV) {
    machine.report_violation_with(
        Violation::RegisterDereferenced,
        fmt::format("the device register at offset 0x{:x} is touched through a plain pointer", *offset), stack, {});
    machine.stop();
  }
  if (fault.signal == SIGSEGV && !fault.overflow) {
    if (auto story = explain_fault(machine, fault.address)) {
      machine.report_violation_with(story->what, std::move(story->sentence), stack, {});
      machine.stop();
    }
  }
  // At DISPATCH_LEVEL or above an access to memory that is not there is a bug check (0xA, 0xD1), not an exception.
  bool bug_check = code == STATUS_ACCESS_VIOLATION && thread.irql >= DISPATCH_LEVEL;
  if (!fault.overflow && !bug_check && can_handle_exception(machine)) {
    raise_exception(machine, code, code == STATUS_ACCESS_VIOLATION ? std::optional(fault.address) : std::nullopt);
  }
  std::string sentence;
  if (fault.overflow) {
    sentence = "the stack is used up";
  } else if (code == STATUS_ACCESS_VIOLATION) {
    sentence = "access violation: " + describe_address(machine, fault);
  } else {
    sentence = fmt::format("exception 0x{:08X}", static_cast<uint32_t>(code));
  }
  std::vector<RoleStack> more;
  if (auto freed = freed_block_of(machine, fault.place, fault.address, fault.no_address)) {
    if (fault.no_address) sentence += fmt::format("; a register points into {}, which was freed", freed->description);
    more = std::move(freed->stacks);
  }
  machine.report_violation_with(fault.overflow ? Violation::StackTooDeep : Violation::Crash, std::move(sentence), stack,
                                std::move(more));
  machine.stop();
}

FaultPlace place_of(const gregset_t& registers) {
  FaultPlace place;
  place.pc = static_cast<uintptr_t>(registers[REG_RIP]);
  place.sp = static_cast<uintptr_t>(registers[REG_RSP]);
  place.frame = static_cast<uintptr_t>(registers[REG_RBP]);
  for (size_t i = 0; i < FaultPlace::kRegisters; ++i) place.registers[i] = static_cast<uintptr_t>(registers[i]);
  return place;
}

uintptr_t fixup_of(uintptr_t pc) {
  for (const Fixup& fixup : g_fixups) {
    uintptr_t target = fixup.target.load(std::memory_order_acquire);
    if (target && pc >= fixup.begin && pc < fixup.end) return target;
  }
  return 0;
}

// Not a driver's fault. The default action takes it when the instruction is tried again.
void pass_on(int signal, siginfo_t* info, void* raw) {
  const struct sigaction& before = g_before[signal];
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, raw);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
  }
}

void on_signal(int signal, siginfo_t* info, void* raw) {
  auto& registers = static_cast<ucontext_t*>(raw)->uc_mcontext.gregs;
  auto pc = static_cast<uintptr_t>(registers[REG_RIP]);
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  Machine* machine = Machine::current();
  if (signal == SIGSEGV && PagedGuard::instance().open_after_fault(address)) {
    if (!machine || !touches_paged_raised(*machine, address)) return;  // our own code, which tries again
  }
  if (signal == SIGSEGV || signal == SIGBUS) {
    if (uintptr_t target = fixup_of(pc)) {
      registers[REG_RIP] = static_cast<greg_t>(target);
      return;
    }
  }
  if (!machine) return pass_on(signal, info, raw);
  auto sp = static_cast<uintptr_t>(registers[REG_RSP]);
  base::StackBounds stack = machine->current_stack();
  bool overflow =
      signal == SIGSEGV && (sp < stack.lo + base::kPageBytes || (address < stack.lo && address + 65536 >= stack.lo));
  t_fault = {signal, place_of(registers), address, signal == SIGSEGV && info->si_code == SI_KERNEL, overflow};
  uintptr_t top = overflow ? reinterpret_cast<uintptr_t>(g_spare_stack) + kSpareBytes : sp - 256;
  registers[REG_RSP] = static_cast<greg_t>((top & ~uintptr_t{15}) - 8);  // as after a call
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(&landed));
}

void catch_signal(int signal) {
  struct sigaction action = {}, before = {};
  action.sa_sigaction = &on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  CHECK(sigaction(signal, &action, &before) == 0);
  if (before.sa_sigaction != &on_signal) g_before[signal] = before;
}

}  // namespace

void install_fault_handlers() {
  stack_t stack = {};
  stack.ss_sp = g_signal_stack;
  stack.ss_size = sizeof(g_signal_stack);
  CHECK(sigaltstack(&stack, nullptr) == 0);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) catch_signal(signal);
  PagedGuard::instance().enable();
}

void add_fault_fixup(const void* begin, const void* end, const void* target) {
  uint32_t index = g_fixup_count.fetch_add(1, std::memory_order_relaxed);
  CHECK(index < kMaxFixups);
  g_fixups[index].begin = reinterpret_cast<uintptr_t>(begin);
  g_fixups[index].end = reinterpret_cast<uintptr_t>(end);
  g_fixups[index].target.store(reinterpret_cast<uintptr_t>(target), std::memory_order_release);
  for (int signal : {SIGSEGV, SIGBUS}) catch_signal(signal);
}

void add_fault_explainer(FaultExplainer explainer) {
  uint32_t index = g_explainer_count.fetch_add(1, std::memory_order_relaxed);
  CHECK(index < kMaxExplainers);
  g_explainers[index].store(explainer, std::memory_order_release);
}

std::optional<FaultStory> explain_fault(Machine& machine, uintptr_t address) {
  for (const auto& slot : g_explainers) {
    FaultExplainer explainer = slot.load(std::memory_order_acquire);
    if (!explainer) continue;
    if (auto story = explainer(machine, address)) return story;
  }
  return std::nullopt;
}

}  // namespace nt
