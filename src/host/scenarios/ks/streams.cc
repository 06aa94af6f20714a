#include "host/scenarios/ks/streams.h"

#include <fmt/format.h>

#include "ks/allocator/allocator_registry.h"

namespace host {

Streams::Streams(nt::Machine& machine, const std::vector<const DriverImage*>& images) : system_(machine, {}) {
  for (const DriverImage* image : images) drivers_.push_back(std::make_unique<KsDriver>(system_, *image));
}

bool Streams::start() {
  for (const auto& driver : drivers_) {
    if (driver->start()) continue;
    refusal_ = drivers_.size() > 1 ? fmt::format("{}: {}", driver->name(), driver->refusal()) : driver->refusal();
    stop();
    return false;
  }
  return true;
}

void Streams::stop() {
  for (auto driver = drivers_.rbegin(); driver != drivers_.rend(); ++driver) (*driver)->stop();
}

std::vector<ks::AllocatorNode::Ledger> Streams::allocators() { return system_.allocators().ledgers(); }

}  // namespace host
