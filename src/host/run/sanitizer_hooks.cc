#include "host/run/sanitizer_hooks.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "base/sanitizer.h"
#include "nt/fault/fault.h"
#include "nt/mm/pool.h"

namespace host {
namespace {

[[maybe_unused]] void (*g_last_words)() = nullptr;

}  // namespace
}  // namespace host

#if DRYDOCK_ASAN

extern "C" {

// Faults are judged by nt/fault/fault.h, and leaks by the machine's scopes, not by ASan.
const char* __asan_default_options() {
  return "handle_segv=0:allow_user_segv_handler=1:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_sigtrap=0:"
         "detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=0:print_legend=0";
}
const char* __ubsan_default_options() { return "print_stacktrace=0"; }

void __ubsan_get_current_report_data(const char** kind, const char** message, const char** file, unsigned* line,
                                     unsigned* column, char** address);
}

namespace host {
namespace {

// "heap-buffer-overflow on address …" out of ASan's long report.
std::string headline(std::string_view report) {
  constexpr std::string_view kMark = "ERROR: AddressSanitizer: ";
  size_t start = report.find(kMark);
  if (start == std::string_view::npos) return "a memory error";
  report.remove_prefix(start + kMark.size());
  return std::string(report.substr(0, report.find(' ')));
}

// Describes the memory that was accessed, in the driver's terms.
std::string object_at(nt::Machine& machine, uintptr_t address) {
  if (auto block = machine.pool().find(address)) {
    return fmt::format("{}{}", block->freed ? "the freed " : "", nt::Pool::describe(*block));
  }
  return "memory it does not own";
}

void on_asan_report(const char* report) {
  nt::Machine* machine = nt::Machine::current();
  if (!machine || !g_last_words) return;
  auto address = reinterpret_cast<uintptr_t>(__asan_get_report_address());
  nt::ViolationReport violation = machine->violation_at(
      nt::Violation::MemoryError,
      fmt::format("AddressSanitizer: {}: the driver {} {} bytes of {}", headline(report),
                  __asan_get_report_access_type() ? "writes" : "reads", __asan_get_report_access_size(),
                  object_at(*machine, address)),
      reinterpret_cast<uintptr_t>(__asan_get_report_pc()), reinterpret_cast<uintptr_t>(__asan_get_report_bp()));
  if (auto story = nt::explain_fault(*machine, address)) {
    violation.what = story->what;
    violation.sentence = std::move(story->sentence);
  } else if (auto block = machine->pool().find(address)) {
    violation.stacks.push_back({"allocated", machine->stacks().get(block->allocated_at)});
    if (block->freed) violation.stacks.push_back({"freed", machine->stacks().get(block->freed_at)});
  }
  machine->observer().report_violation(violation);
  g_last_words();
}

}  // namespace

void install_sanitizer_hooks(void (*last_words)()) {
  g_last_words = last_words;
  __asan_set_error_report_callback(&on_asan_report);
}

void tell_races(nt::Machine&) {}

}  // namespace host

// Called by UBSan's runtime for each report. In drivers, the first report is the last.
extern "C" void __ubsan_on_report() {
  nt::Machine* machine = nt::Machine::current();
  if (!machine || !host::g_last_words) return;
  const char *kind = "", *message = "", *file = "";
  unsigned line = 0, column = 0;
  char* address = nullptr;
  __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
  std::string_view path = file;
  if (size_t slash = path.rfind('/'); slash != std::string_view::npos) path.remove_prefix(slash + 1);
  nt::ViolationReport violation = machine->violation_at(
      nt::Violation::MemoryError, fmt::format("UndefinedBehaviorSanitizer: {} at {}:{}", message, path, line), 0,
      reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  machine->observer().report_violation(violation);
  host::g_last_words();
}

#elif DRYDOCK_TSAN

extern "C" {

const char* __tsan_default_options() {
  return "report_thread_leaks=0:report_signal_unsafe=0:halt_on_error=0:exitcode=0:handle_segv=0:handle_sigbus=0:"
         "handle_sigfpe=0:handle_sigill=0:log_path=/dev/null:ignore_noninstrumented_modules=0:history_size=4";
}

int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count, int* mop_count,
                           int* loc_count, int* mutex_count, int* thread_count, int* unique_tid_count,
                           void** sleep_trace, unsigned long trace_size);
int __tsan_get_report_mop(void* report, unsigned long idx, int* tid, void** addr, int* size, int* write, int* atomic,
                          void** trace, unsigned long trace_size);
}

namespace host {
namespace {

// The callback runs inside TSan, where nothing may be allocated: it only copies.
struct Race {
  struct Access {
    bool write;
    int size;
    base::Stack stack;
  } access[2];
};
constexpr size_t kMaxRaces = 16;
Race g_races[kMaxRaces];
size_t g_race_count = 0;

}  // namespace

void install_sanitizer_hooks(void (*last_words)()) { g_last_words = last_words; }

void tell_races(nt::Machine& machine) {
  for (size_t i = 0; i < g_race_count; ++i) {
    const Race& race = g_races[i];
    nt::ViolationReport violation{};
    violation.what = nt::Violation::DataRace;
    violation.sentence = "two threads touch the same memory without anything that orders them, and one writes";
    for (const auto& access : race.access) {
      violation.stacks.push_back(
          {fmt::format("{} {} bytes", access.write ? "writes" : "reads", access.size), access.stack});
    }
    machine.observer().report_violation(violation);
  }
  g_race_count = 0;
}

}  // namespace host

extern "C" NO_SANITIZE_THREAD void __tsan_on_report(void* report) {
  if (host::g_race_count == host::kMaxRaces || !nt::Machine::current()) return;
  host::Race& race = host::g_races[host::g_race_count++];
  for (unsigned long i = 0; i < 2; ++i) {
    void* trace[base::Stack::kMax] = {};
    void* address = nullptr;
    int tid = 0, write = 0, atomic = 0;
    auto& access = race.access[i];
    access.stack.count = 0;
    __tsan_get_report_mop(report, i, &tid, &address, &access.size, &write, &atomic, trace, base::Stack::kMax);
    access.write = write != 0;
    for (void* pc : trace) {
      if (pc) access.stack.pc[access.stack.count++] = reinterpret_cast<uintptr_t>(pc);
    }
  }
}

#else

namespace host {
void install_sanitizer_hooks(void (*)()) {}
void tell_races(nt::Machine&) {}
}  // namespace host

#endif
