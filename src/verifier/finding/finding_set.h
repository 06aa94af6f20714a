#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "verifier/finding/finding.h"

namespace verifier {

// Findings without their repetitions: of one run (the verifier's) or of many (a check's). Single-threaded.
class FindingSet {
 public:
  // Joins it to the one with the same key, if there is one. Of two runs the one that compares less stands for both, so
  // that the order in which runs end does not matter.
  void add(Finding finding);
  void clear();

  // In the order they were first added.
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
  std::unordered_map<std::string, size_t> by_key_;
};

}  // namespace verifier
