#include "client/call.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <mutex>

#include "base/check.h"
#include "client/kernel_in_process.h"
#include "client/ledger_writer.h"

namespace client {
namespace {

enum class Phase : uint8_t {
  Unborn,     // before the first call
  Starting,   // the first call builds it
  Running,    // g_kernel is there
  Refused,    // there is no driver
  Inherited,  // this is the child of a fork
  Ending,     // the process ends, and the kernel with it
  Ended,
};
constinit std::atomic<Phase> g_phase{Phase::Unborn};
constinit KernelInProcess* g_kernel = nullptr;  // set before Running; never destroyed
constinit std::mutex g_birth;
constinit char g_ledger[4096] = "";  // where it goes: known even when the machine has stopped

NTSTATUS refusal_in(Phase phase) {
  switch (phase) {
    case Phase::Refused:
      return STATUS_DRIVER_UNABLE_TO_LOAD;
    case Phase::Inherited:
      return STATUS_INVALID_HANDLE;
    default:
      return STATUS_PROCESS_IS_TERMINATING;
  }
}

// Drivers look for the NT functions in the process's global scope, and clients load this library into a scope of their
// own (RTLD_LOCAL, RTLD_DEEPBIND: observed). It also must never be unloaded: the machine's threads run in it.
std::string enter_global_scope() {
  Dl_info self;
  if (!dladdr(reinterpret_cast<void*>(&enter_global_scope), &self)) return {};
  dlopen(self.dli_fname, RTLD_NOLOAD | RTLD_GLOBAL | RTLD_NOW);
  return std::filesystem::path(self.dli_fname).parent_path().string();
}

void in_child() {
  Phase running = Phase::Running;
  g_phase.compare_exchange_strong(running, Phase::Inherited);
  ClientThreads::abandon();
}

std::string opening() { return opening_line(program_invocation_short_name, getpid()); }

// The ledger is written once, by the first of the two: a machine that stops, or the end of the process.
void write_ledger(const LedgerReport& report) {
  static std::atomic<bool> written{false};
  if (!written.exchange(true)) append_to_ledger(g_ledger, text_of(report));
}

// The machine stops, and the process with it. That may happen while the kernel starts or ends.
void write_last_words(const LedgerReport& report) {
  Phase before = g_phase.exchange(Phase::Ended);
  if (before == Phase::Starting) append_to_ledger(g_ledger, opening());
  write_ledger(report);
}

void at_failed_check() {
  Phase phase = g_phase.load();
  if (g_kernel && (phase == Phase::Running || phase == Phase::Ending)) write_last_words(g_kernel->last_words());
}

Phase be_born() {
  std::lock_guard lock(g_birth);
  if (g_phase.load() != Phase::Unborn) return g_phase.load();
  Settings settings = Settings::from_environment(enter_global_scope());
  settings.ledger.copy(g_ledger, sizeof(g_ledger) - 1);
  g_phase.store(Phase::Starting);
  auto kernel = KernelInProcess::start(settings, &write_last_words);
  if (!kernel.ok()) {
    std::fprintf(stderr, "drydock: %s\n", kernel.error().c_str());
    g_phase.store(Phase::Refused);
    return Phase::Refused;
  }
  g_kernel = kernel.take();
  append_to_ledger(g_ledger, opening());
  base::set_check_hook(&at_failed_check);
  pthread_atfork(nullptr, nullptr, &in_child);
  g_phase.store(Phase::Running);
  return Phase::Running;
}

// Runs after every exit handler of the client: those that were registered before this library was loaded, too.
[[gnu::destructor]] void die() {
  if (g_phase.exchange(Phase::Ending) == Phase::Running) write_ledger(g_kernel->end());
  g_phase.store(Phase::Ended);
}

}  // namespace

Call::Call() {
  Phase phase = g_phase.load();
  if (phase == Phase::Unborn || phase == Phase::Starting) phase = be_born();
  if (phase != Phase::Running) {
    refusal_ = refusal_in(phase);
    return;
  }
  auto entered = g_kernel->threads().enter();
  if (!entered.ok()) {
    refusal_ = entered.error();
    return;
  }
  thread_ = entered.take();
  g_kernel->handles().collect();
}

Call::~Call() {
  if (thread_) thread_->leave();
}

kmt::Client& Call::client() { return g_kernel->client(); }

}  // namespace client
