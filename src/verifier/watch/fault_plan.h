#pragma once

#include <cstdint>
#include <vector>

#include "nt/machine/machine_observer.h"

namespace verifier {

// Decides which operations are made to fail. Installed in a Verifier, which it outlives.
class FaultPlan {
 public:
  virtual bool fails(const nt::FaultSite& site) = 0;
  // The next run begins.
  virtual void reset() = 0;

 protected:
  ~FaultPlan() = default;
};

constexpr uint32_t fault_bit(nt::FaultKind kind) { return 1u << static_cast<uint32_t>(kind); }
inline constexpr uint32_t kAllFaults = ~0u;
// Memory of all sorts: what "out of memory" means.
inline constexpr uint32_t kMemoryFaults = fault_bit(nt::FaultKind::Pool) | fault_bit(nt::FaultKind::Mapping);

// Fails once: the first time at the nth different stack (from 1). Counting up from 1 until `reached` is false walks
// every failure path of a driver once, however often each place is passed.
class FailNth final : public FaultPlan {
 public:
  explicit FailNth(uint32_t n, uint32_t kinds = kMemoryFaults) : n_(n), kinds_(kinds) {}

  bool fails(const nt::FaultSite& site) override;
  void reset() override;

  bool reached() const { return stacks_ >= n_; }
  uint32_t stacks() const { return stacks_; }                      // how many different stacks came so far
  const std::vector<uint32_t>& places() const { return places_; }  // their StackIds, oldest first

 private:
  uint32_t n_;
  uint32_t kinds_;
  uint32_t stacks_ = 0;
  std::vector<bool> seen_;  // by StackId: they are small numbers
  std::vector<uint32_t> places_;
};

}  // namespace verifier
