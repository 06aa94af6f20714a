#pragma once

#include <chrono>
#include <string>

#include "host/check/check.h"

namespace tools {

// Shows the progress of a check on standard error: a bar on a terminal, a line per scenario elsewhere, and each finding
// as soon as there is one.
class Progress {
 public:
  explicit Progress(std::string driver, size_t scenarios);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  host::Watch watch();

 private:
  void advanced(const host::Scenario& scenario, uint64_t done, uint64_t total);
  void found(const verifier::Finding& finding);
  void erase() const;
  void draw(const host::Scenario& scenario);

  const std::string driver_;
  const size_t scenarios_;
  const bool terminal_;
  uint64_t done_ = 0;        // seeds, over all scenarios
  uint64_t each_total_ = 0;  // seeds of one scenario
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace tools
