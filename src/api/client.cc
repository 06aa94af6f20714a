#include "api/client.h"

#include <fmt/format.h>

#include <utility>

#include "api/direct3d.h"
#include "api/public_ledger.h"
#include "api/thunk_names.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/object/standard_data.h"

namespace drydock::internal {

Client::Client(std::shared_ptr<Machine> machine, std::string name)
    : machine_(std::move(machine)), name_(std::move(name)) {}

void Client::begin() {
  bool begun = machine_->run(
      [&](host::Graphics& graphics) { process_ = std::make_unique<host::EmbeddedClient>(graphics.kernel(), name_); });
  if (begun) machine_->add(shared_from_this());
}

// --- Calls ---

Status Client::refuse(Status status, std::string why) {
  std::lock_guard lock(why_mutex_);
  why_ = std::move(why);
  return status;
}

Status Client::run(const std::function<void(host::Graphics&, kmt::Client&)>& what) {
  bool alive = false;
  bool done = machine_->run([&](host::Graphics& graphics) {
    alive = process_ != nullptr;
    if (alive) what(graphics, *process_);
  });
  if (!done && !machine_->has_graphics()) {
    return refuse(STATUS_NOT_SUPPORTED, "the host's driver is a minidriver of AVStream: there is no graphics kernel");
  }
  if (!done) return refuse(kMachineStopped, machine_->stop_reason());
  if (!alive) return refuse(STATUS_PROCESS_IS_TERMINATING, fmt::format("the process {} has ended", name_));
  return kSuccess;
}

Status Client::call(kmt::Thunk thunk, void* arguments) {
  Status status = kSuccess;
  Status reached = run([&](host::Graphics&, kmt::Client& process) {
    status = kmt::call(process, thunk, arguments);
    if (status < 0) explain_last_refusal();
  });
  return reached < 0 ? reached : status;
}

Status Client::call(const char* function, void* arguments, size_t bytes) {
  auto thunk = find_thunk(function);
  if (!thunk) return refuse(STATUS_NOT_SUPPORTED, fmt::format("there is no function {}", function));
  if (thunk->argument_bytes && thunk->argument_bytes != bytes) {
    return refuse(STATUS_INVALID_PARAMETER, fmt::format("{} takes a structure of {} bytes, and this one has {}",
                                                        function, thunk->argument_bytes, bytes));
  }
  return call(thunk->thunk, arguments);
}

// The kernel counts refusals by place and reason: the entry whose count has grown is the last refusal.
void Client::explain_last_refusal() {
  std::vector<dxgk::Ledger::Refusal> refusals = process_->client().process().ledger().refusals();
  refusals_seen_.resize(refusals.size());
  for (size_t i = 0; i < refusals.size(); ++i) {
    if (std::exchange(refusals_seen_[i], refusals[i].times) == refusals[i].times) continue;
    refuse(refusals[i].status, fmt::format("{}: {} (0x{:08X})", refusals[i].function, refusals[i].reason,
                                           static_cast<uint32_t>(refusals[i].status)));
  }
}

std::string Client::why() {
  std::lock_guard lock(why_mutex_);
  return why_;
}

Handle Client::open_adapter() {
  D3DKMT_OPENADAPTERFROMLUID args{};
  machine_->run([&](host::Graphics& graphics) { args.AdapterLuid = graphics.adapter().luid(); });
  return call(kmt::Thunk::OpenAdapterFromLuid, &args) < 0 ? 0 : args.hAdapter;
}

std::vector<uint8_t> Client::standard_data(uint64_t bytes) {
  std::vector<uint8_t> data;
  machine_->run([&](host::Graphics& graphics) {
    auto described = dxgk::standard_data(graphics.adapter(), bytes, dxgk::StandardKind::Staging);
    if (described.ok()) data = described.take().allocation;
  });
  return data;
}

// --- Its end ---

Ledger Client::ledger() {
  Ledger now;
  machine_->look([&] { now = process_ ? public_ledger(process_->client().process().ledger()) : last_ledger_; });
  return now;
}

void Client::end() {
  machine_->run([&](host::Graphics&) { end_here(); });
}

void Client::end_here() {
  if (!process_) return;
  for (const auto& direct3d : std::exchange(direct3d_, {})) direct3d->close_here();
  process_->end();
  last_ledger_ = public_ledger(process_->client().process().ledger());
  process_.reset();
}

void Client::abandon() {
  if (!process_) return;
  for (const auto& direct3d : std::exchange(direct3d_, {})) direct3d->abandon();
  last_ledger_ = public_ledger(process_->client().process().ledger());
  static_cast<void>(process_.release());  // objects of a machine that stopped by itself are not destroyed
}

}  // namespace drydock::internal
