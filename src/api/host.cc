#include "drydock/host.h"

#include <algorithm>
#include <utility>

#include "api/client.h"
#include "api/machine.h"
#include "api/stream_client.h"
#include "drydock/version.h"

namespace drydock {

#define DRYDOCK_TEXT(x) #x
#define DRYDOCK_TEXT_OF(x) DRYDOCK_TEXT(x)
const char* version() {
  return DRYDOCK_TEXT_OF(DRYDOCK_VERSION_MAJOR) "." DRYDOCK_TEXT_OF(DRYDOCK_VERSION_MINOR) "." DRYDOCK_TEXT_OF(
      DRYDOCK_VERSION_PATCH);
}

Host::Host(const HostOptions& options) : machine_(std::make_shared<internal::Machine>(options)) {}

Host::~Host() {
  if (machine_) machine_->stop();
}

Host::Host(Host&& other) noexcept = default;

Host& Host::operator=(Host&& other) noexcept {
  if (machine_ && machine_ != other.machine_) machine_->stop();
  machine_ = std::move(other.machine_);
  return *this;
}

bool Host::started() const { return machine_->started(); }

const std::string& Host::refusal() const { return machine_->refusal(); }

Process Host::process(const std::string& name) {
  auto client = std::make_shared<internal::Client>(machine_, name);
  client->begin();
  return Process(std::move(client));
}

StreamProgram Host::stream_program(const std::string& name) {
  auto program = std::make_shared<internal::StreamClient>(machine_, name);
  program->begin();
  return StreamProgram(std::move(program));
}

StreamDevice Host::stream_device(std::size_t driver) { return StreamDevice(machine_, driver); }

std::vector<AllocatorLedger> Host::allocators() const { return machine_->allocators(); }

void Host::pass_time(std::chrono::nanoseconds duration) {
  machine_->pass_time(static_cast<uint64_t>(std::max<int64_t>(duration.count(), 0)));
}

bool Host::together(const std::vector<std::function<void()>>& bodies) { return machine_->together(bodies); }

std::uint64_t Host::calls(const std::string& ddi) const { return machine_->calls(ddi); }

std::vector<Finding> Host::findings() const { return machine_->findings(); }

std::string Host::report() const { return machine_->report(); }

void Host::stop() { machine_->stop(); }

bool Host::stopped() const { return machine_->stopped(); }

std::string Host::stop_reason() const { return machine_->stop_reason(); }

}  // namespace drydock
