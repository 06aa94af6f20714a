#pragma once

#include <cstdint>
#include <vector>

#include "nt/probe.h"

namespace verifier {

// Which of a driver's allocations fail. Installed in a Verifier, which it outlives.
class FaultPlan {
 public:
  virtual bool fails(const nt::PoolRequest& request) = 0;
  // The next run begins.
  virtual void reset() = 0;

 protected:
  ~FaultPlan() = default;
};

// Fails one allocation: the first from the nth different stack (from 1). Counting up from 1 until `reached` is false
// walks every failure path of a driver once, however often each place allocates.
class FailNth final : public FaultPlan {
 public:
  explicit FailNth(uint32_t n) : n_(n) {}

  bool fails(const nt::PoolRequest& request) override;
  void reset() override;

  bool reached() const { return stacks_ >= n_; }
  uint32_t stacks() const { return stacks_; }  // how many different ones have allocated so far

 private:
  uint32_t n_;
  uint32_t stacks_ = 0;
  std::vector<bool> seen_;  // by StackId: they are small numbers
};

}  // namespace verifier
