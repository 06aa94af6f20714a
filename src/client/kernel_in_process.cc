#include "client/kernel_in_process.h"

#include <errno.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

namespace client {
namespace {

// How long exit() waits for other threads to come out of their calls. Windows ends those threads, which is not possible
// here.
constexpr std::chrono::milliseconds kPatience{1000};

// While an object of this class lives, the calling thread takes no signals but those of its own faults; threads made
// meanwhile never do. The client's handlers run on the client's threads only.
class SignalsHeldOff {
 public:
  SignalsHeldOff() {
    sigset_t held;
    sigfillset(&held);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&held, fault);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeldOff() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldOff(const SignalsHeldOff&) = delete;
  SignalsHeldOff& operator=(const SignalsHeldOff&) = delete;

 private:
  sigset_t before_;
};

host::EmbeddedOptions options_of(const Settings& settings) {
  host::EmbeddedOptions options;
  options.driver = settings.driver;
  options.device = settings.device;
  options.pace = nt::Pace::Live;
  options.policy.flavour = settings.like_wsl ? dxgk::Flavour::Wsl : dxgk::Flavour::Windows;
  options.policy.client_stacks = true;
  options.stuck_limit_s = settings.stuck_limit_s;
  return options;
}

LedgerReport begin_report(const Settings& settings) {
  LedgerReport report;
  report.process = program_invocation_short_name;
  report.pid = getpid();
  report.driver = settings.driver;
  return report;
}

constinit std::atomic<KernelInProcess*> g_kernel{nullptr};  // for last words: null while it starts

// What can be reported when the machine has stopped while the driver was starting.
LedgerReport stillborn(const Settings& settings, host::Embedded& embedded) {
  LedgerReport report = begin_report(settings);
  base::ModuleMap modules;  // the machine's own may be in use
  LedgerWriter writer(modules, embedded.machine().stacks());
  writer.add_findings(report, embedded.findings_now());
  report.remark = "the machine stopped while the driver was starting, and the process with it";
  return report;
}

}  // namespace

base::Expected<KernelInProcess*, std::string> KernelInProcess::start(const Settings& settings, LastWords last_words) {
  if (settings.driver.empty()) {
    return fmt::format("no kernel driver: {} is not set, and softgpu is not where libdxcore.so looks for it",
                       kDriverVariable);
  }
  SignalsHeldOff held;
  host::EmbeddedOptions options = options_of(settings);
  options.on_live_stop = [settings, last_words](host::Embedded& embedded) {
    KernelInProcess* kernel = g_kernel.load();
    last_words(kernel ? kernel->last_words() : stillborn(settings, embedded));
  };
  auto embedded = host::Embedded::start(options);
  if (!embedded->refusal().empty()) return embedded->refusal();
  auto* kernel = new KernelInProcess(std::move(embedded), settings);
  g_kernel.store(kernel);
  return kernel;
}

KernelInProcess::KernelInProcess(std::unique_ptr<host::Embedded> embedded, const Settings& settings)
    : embedded_(std::move(embedded)), settings_(settings), threads_(embedded_->machine()) {
  embedded_->run([this](host::Graphics& graphics) {
    nt::Work work(embedded_->machine().self());
    handles_ = std::make_unique<FdHandles>(graphics.kernel().ordinals());
    client_ = std::make_unique<kmt::Client>(graphics.kernel().create_process(program_invocation_short_name), memory_,
                                            *handles_);
  });
}

LedgerReport KernelInProcess::end() {
  SignalsHeldOff held;
  LedgerReport report = begin_report(settings_);
  base::ModuleMap modules;
  LedgerWriter writer(modules, embedded_->machine().stacks());
  if (size_t inside = threads_.close(kPatience); inside != 0) {
    writer.add_objects(report, client_->process().ledger());
    writer.add_refusals(report, client_->process().ledger());
    report.remark = fmt::format(
        "{} of the process's threads did not come out of a call; what was open is counted, and was not destroyed",
        inside);
    writer.add_findings(report, embedded_->findings_now());
    return report;
  }
  threads_.forget_mine();
  embedded_->run([&](host::Graphics&) {
    nt::Work work(embedded_->machine().self());
    handles_->collect();
    count_what_is_left(report, writer);
  });
  embedded_->stop();
  writer.add_findings(report, embedded_->findings_now());
  return report;
}

void KernelInProcess::count_what_is_left(LedgerReport& report, LedgerWriter& writer) {
  dxgk::Process& process = client_->process();
  writer.add_objects(report, process.ledger());
  process.end();
  writer.add_leaks(report, process.ledger());
  writer.add_refusals(report, process.ledger());
  handles_->close_all();
  std::unique_ptr<kmt::Client> gone;
  std::lock_guard lock(ending_);
  counted_ = report;
  gone = std::move(client_);
}

LedgerReport KernelInProcess::last_words() {
  LedgerReport report = begin_report(settings_);
  base::ModuleMap modules;
  LedgerWriter writer(modules, embedded_->machine().stacks());
  {
    std::unique_lock lock(ending_, std::chrono::seconds(1));
    if (counted_) {
      report = *counted_;
    } else if (client_) {
      writer.add_objects(report, client_->process().ledger());
      writer.add_refusals(report, client_->process().ledger());
    }
  }
  writer.add_findings(report, embedded_->findings_now());
  report.remark = "the machine stopped in the middle of a call, and the process with it";
  return report;
}

}  // namespace client
