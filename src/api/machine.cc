#include "api/machine.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "api/client.h"
#include "api/public_finding.h"
#include "api/stream_client.h"
#include "dxgk/ddi/ddi.h"

namespace drydock::internal {
namespace {

// A machine's memory lies at fixed addresses, so a process has room for one.
std::atomic<bool> g_taken{false};

host::EmbeddedOptions embedded_options(const HostOptions& options) {
  host::EmbeddedOptions out;
  out.driver = options.driver;
  out.minidrivers = true;
  out.more_drivers = options.more_drivers;
  out.device = options.device;
  out.umd = options.umd;
  out.seed = options.seed;
  out.pace = options.live ? nt::Pace::Live : nt::Pace::Simulated;
  out.policy.flavour = options.like_wsl ? dxgk::Flavour::Wsl : dxgk::Flavour::Windows;
  out.policy.client_stacks = options.keep_client_stacks;
  out.trace_file = options.trace_file;
  return out;
}

std::vector<AllocatorLedger> public_ledgers(const std::vector<ks::AllocatorNode::Ledger>& ledgers) {
  std::vector<AllocatorLedger> out;
  for (const ks::AllocatorNode::Ledger& from : ledgers) {
    AllocatorLedger& to = out.emplace_back();
    to.pin = from.pin;
    to.drivers_own = from.drivers_own;
    to.deleted = from.state == ks::AllocatorState::Deleted;
    to.frames = from.framing.Frames;
    to.frame_bytes = from.framing.FrameSize;
    to.allocated = from.allocated;
    to.refused = from.refused;
    to.freed = from.freed;
    to.outstanding = from.outstanding;
    to.most_outstanding = from.most_outstanding;
  }
  return out;
}

}  // namespace

Machine::Machine(const HostOptions& options) : options_(options) {
  if (g_taken.exchange(true)) {
    refusal_ = "another host is running in this process: stop it first";
    stopped_ = true;
    return;
  }
  embedded_ = host::Embedded::start(embedded_options(options_));
  streaming_ = embedded_->is_streaming();
  refusal_ = embedded_->refusal();
  if (!refusal_.empty()) stop();
}

Machine::~Machine() { stop(); }

bool Machine::on_own_thread() const {
  return nt::Machine::current() && embedded_ && nt::Machine::current() == &embedded_->machine();
}

bool Machine::perform(const std::function<void()>& what) {
  if (nt::Machine::current()) {
    CHECK_MSG(on_own_thread(), "a call from the thread of another machine");
    what();
    return true;
  }
  std::lock_guard lock(calls_mutex_);
  return embedded_ && embedded_->perform(what);
}

bool Machine::run(const std::function<void(host::Graphics&)>& what) {
  return !streaming_ && perform([&] { what(embedded_->graphics()); });
}

bool Machine::stream(const std::function<void(host::Streams&)>& what) {
  return streaming_ && perform([&] { what(embedded_->streams()); });
}

void Machine::look(const std::function<void()>& at) {
  if (on_own_thread()) return at();
  std::lock_guard lock(calls_mutex_);
  if (!embedded_ || !embedded_->perform(at)) at();
}

void Machine::pass_time(base::TimeNs duration) {
  perform([&] { embedded_->machine().executor().sleep_for(duration); });
}

bool Machine::together(const std::vector<std::function<void()>>& bodies) {
  return perform([&] {
    nt::Machine& machine = embedded_->machine();
    base::Task* owner = base::Executor::current();
    std::atomic<size_t> running = bodies.size();
    for (size_t i = 0; i < bodies.size(); ++i) {
      machine.create_thread(fmt::format("client thread {}", i + 1), [&, i] {
        bodies[i]();
        base::Executor& executor = machine.executor();  // the owner may be gone as soon as it sees the count
        base::Task& waiting = *owner;
        running.fetch_sub(1);
        executor.unpark(waiting);
      });
    }
    machine.executor().park_until([&] { return running.load() == 0; }, base::Point::Wait);
  });
}

void Machine::add(std::shared_ptr<Client> client) {
  std::lock_guard lock(state_mutex_);
  if (!stopped_) clients_.push_back(std::move(client));
}

void Machine::add(std::shared_ptr<StreamClient> program) {
  std::lock_guard lock(state_mutex_);
  if (!stopped_) programs_.push_back(std::move(program));
}

uint64_t Machine::stream_calls(const std::string& routine) {
  for (size_t i = 0; i < ks::kDdiCount; ++i) {
    if (routine != ks::row(static_cast<ks::Ddi>(i)).name) continue;
    if (on_own_thread()) return embedded_->streams().ddi_calls()[i];
    std::lock_guard lock(calls_mutex_);
    return (embedded_ ? embedded_->stream_calls() : stream_calls_)[i];
  }
  return 0;
}

std::vector<AllocatorLedger> Machine::allocators() {
  if (!streaming_) return {};
  if (on_own_thread()) return public_ledgers(embedded_->streams().allocators());
  std::lock_guard lock(calls_mutex_);
  return public_ledgers(embedded_ ? embedded_->allocators() : allocators_);
}

uint64_t Machine::calls(const std::string& ddi) {
  if (streaming_) return stream_calls(ddi);
  for (size_t i = 0; i < dxgk::kDdiCount; ++i) {
    if (ddi != dxgk::row(static_cast<dxgk::Ddi>(i)).name) continue;
    if (on_own_thread()) return embedded_->graphics().ddi_calls()[i];
    std::lock_guard lock(calls_mutex_);
    return (embedded_ ? embedded_->ddi_calls() : ddi_calls_)[i];
  }
  return 0;
}

std::vector<Finding> Machine::findings() {
  std::vector<std::string> drivers = {options_.driver, options_.umd};
  drivers.insert(drivers.end(), options_.more_drivers.begin(), options_.more_drivers.end());
  if (on_own_thread()) return public_findings(embedded_->findings_now(), drivers);
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

// On the machine's thread while it has one. A machine that stopped by itself has none, and the driver cannot be called.
void Machine::end_clients() {
  std::vector<std::shared_ptr<Client>> clients;
  std::vector<std::shared_ptr<StreamClient>> programs;
  {
    std::lock_guard lock(state_mutex_);
    clients = std::exchange(clients_, {});
    programs = std::exchange(programs_, {});
  }
  bool ended = embedded_->perform([&] {
    for (const auto& client : clients) client->end_here();
    for (const auto& program : programs) program->end_here();
  });
  if (ended) return;
  for (const auto& client : clients) client->abandon();
  for (const auto& program : programs) program->abandon();
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
  stream_calls_ = embedded_->stream_calls();
  allocators_ = embedded_->allocators();
  findings_ = embedded_->findings();
  embedded_.reset();
  g_taken.store(false);
}

bool Machine::stopped() {
  {
    std::lock_guard lock(state_mutex_);
    if (stopped_) return true;
  }
  return !perform([] {});
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
