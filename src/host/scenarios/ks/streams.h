#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "host/scenarios/ks/ks_driver.h"
#include "ks/allocator/allocator.h"
#include "ks/device/system.h"
#include "ks/exports/ddi.h"

namespace host {

// Calls of each routine of the minidrivers, by ks::Ddi.
using StreamTotals = std::array<uint64_t, ks::kDdiCount>;

// Minidrivers on a running machine, with the AVStream class between them and their programs. Used on the machine's
// threads, at PASSIVE_LEVEL; the images outlive it.
class Streams {
 public:
  Streams(nt::Machine& machine, const std::vector<const DriverImage*>& images);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Every driver, each with one device. When one is refused the others are stopped again; refusal() says why.
  bool start();
  // Programs have ended by now.
  void stop();
  const std::string& refusal() const { return refusal_; }

  ks::System& system() { return system_; }
  nt::Machine& machine() { return system_.machine(); }
  size_t drivers() const { return drivers_.size(); }
  KsDriver& driver(size_t index) { return *drivers_[index]; }
  StreamTotals ddi_calls() { return system_.ddi_calls(); }
  std::vector<ks::AllocatorNode::Ledger> allocators();

 private:
  ks::System system_;
  std::vector<std::unique_ptr<KsDriver>> drivers_;
  std::string refusal_;
};

}  // namespace host
