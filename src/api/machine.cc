#include "api/machine.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "api/client.h"
#include "api/public_finding.h"
#include "dxgk/ddi.h"

namespace drydock::internal {
namespace {

// A machine's memory lies at fixed addresses, so a process has room for one.
std::atomic<bool> g_taken{false};

host::EmbeddedOptions embedded_options(const HostOptions& options) {
  host::EmbeddedOptions out;
  out.driver = options.driver;
  out.device = options.device;
  out.umd = options.umd;
  out.seed = options.seed;
  out.pace = options.live ? nt::Pace::Live : nt::Pace::Simulated;
  out.policy.flavour = options.like_wsl ? dxgk::Flavour::Wsl : dxgk::Flavour::Windows;
  out.policy.client_stacks = options.keep_client_stacks;
  out.trace_file = options.trace_file;
  return out;
}

}  // namespace

Machine::Machine(const HostOptions& options) : options_(options) {
  if (g_taken.exchange(true)) {
    refusal_ = "another host is running in this process: stop it first";
    stopped_ = true;
    return;
  }
  embedded_ = host::Embedded::try_start(embedded_options(options_));
  refusal_ = embedded_->refusal();
  if (!refusal_.empty()) stop();
}

Machine::~Machine() { stop(); }

bool Machine::on_own_thread() const {
  return nt::Machine::current() && embedded_ && nt::Machine::current() == &embedded_->machine();
}

bool Machine::run(const std::function<void(host::Graphics&)>& what) {
  if (nt::Machine::current()) {
    CHECK_MSG(on_own_thread(), "a call from the thread of another machine");
    what(embedded_->graphics());
    return true;
  }
  std::lock_guard lock(calls_mutex_);
  return embedded_ && embedded_->run(what);
}

void Machine::look(const std::function<void()>& at) {
  if (on_own_thread()) return at();
  std::lock_guard lock(calls_mutex_);
  if (!embedded_ || !embedded_->run([&](host::Graphics&) { at(); })) at();
}

void Machine::pass_time(base::TimeNs duration) {
  run([&](host::Graphics& graphics) {
    base::Executor& executor = graphics.kernel().machine().executor();
    base::TimeNs until = executor.now() + duration;
    while (executor.park(until, base::Point::Wait) != base::Wake::Deadline) {
    }
  });
}

bool Machine::together(const std::vector<std::function<void()>>& bodies) {
  return run([&](host::Graphics& graphics) {
    nt::Machine& machine = graphics.kernel().machine();
    base::Task* boss = base::Executor::current();
    std::atomic<size_t> running = bodies.size();
    for (size_t i = 0; i < bodies.size(); ++i) {
      machine.create_thread(fmt::format("client thread {}", i + 1), [&, i] {
        bodies[i]();
        base::Executor& executor = machine.executor();  // the boss may be gone as soon as it sees the count
        base::Task& waiting = *boss;
        running.fetch_sub(1);
        executor.unpark(waiting);
      });
    }
    while (running.load() > 0) machine.executor().park(base::kForever, base::Point::Wait);
  });
}

void Machine::add(std::shared_ptr<Client> client) {
  std::lock_guard lock(state_mutex_);
  if (!stopped_) clients_.push_back(std::move(client));
}

uint64_t Machine::calls(const std::string& ddi) {
  for (size_t i = 0; i < dxgk::kDdiCount; ++i) {
    if (ddi != dxgk::row(static_cast<dxgk::Ddi>(i)).name) continue;
    if (on_own_thread()) return embedded_->graphics().ddi_calls()[i];
    std::lock_guard lock(calls_mutex_);
    return (embedded_ ? embedded_->ddi_calls() : ddi_calls_)[i];
  }
  return 0;
}

std::vector<Finding> Machine::findings() {
  const std::vector<std::string> drivers = {options_.driver, options_.umd};
  if (on_own_thread()) return public_findings(embedded_->verifier().findings(), drivers);
  std::lock_guard lock(calls_mutex_);
  return public_findings(embedded_ ? embedded_->findings() : findings_, drivers);
}

std::string Machine::report() {
  std::vector<Finding> found = findings();
  std::string out;
  size_t errors = 0;
  for (const Finding& finding : found) {
    out += finding.text() + '\n';
    errors += finding.level == Level::Error;
  }
  if (!refusal_.empty()) return out + refusal_ + '\n';
  const std::string& judged = options_.umd.empty() ? options_.driver : options_.umd;
  return out +
         fmt::format("{}: errors: {}, warnings: {}, seed {}\n", judged, errors, found.size() - errors, options_.seed);
}

// On the machine's thread while it has one. A machine that stopped by itself has none, and the driver cannot be told.
void Machine::end_clients() {
  std::vector<std::shared_ptr<Client>> clients;
  {
    std::lock_guard lock(state_mutex_);
    clients = std::exchange(clients_, {});
  }
  bool ended = embedded_->run([&](host::Graphics&) {
    for (const auto& client : clients) client->end_here();
  });
  if (ended) return;
  for (const auto& client : clients) client->abandon();
}

void Machine::stop() {
  CHECK_MSG(!on_own_thread(), "a host cannot be stopped from inside of it");
  {
    std::lock_guard lock(state_mutex_);
    stopped_ = true;
  }
  std::lock_guard lock(calls_mutex_);
  if (!embedded_) return;
  end_clients();
  embedded_->stop();
  ddi_calls_ = embedded_->ddi_calls();
  findings_ = embedded_->findings();
  embedded_.reset();
  g_taken.store(false);
}

bool Machine::stopped() {
  {
    std::lock_guard lock(state_mutex_);
    if (stopped_) return true;
  }
  return !run([](host::Graphics&) {});
}

std::string Machine::stop_reason() {
  if (!refusal_.empty()) return refusal_;
  if (!stopped()) return {};
  {
    std::lock_guard lock(state_mutex_);
    if (stopped_) return "the host was stopped";
  }
  std::vector<Finding> found = findings();
  if (found.empty()) return "the machine has stopped";
  return fmt::format("the machine has stopped: {}: {}", found[0].rule, found[0].sentence);
}

}  // namespace drydock::internal
