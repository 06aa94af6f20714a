#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/check/check.h"

namespace host {

// What became of one seed.
struct SeedRecord {
  bool failing = false, hung = false, warned = false;
  std::string skipped = {}, incomplete = {}, idle = {};  // why, in words; empty: it was not
  verifier::Activity activity = {};
  std::optional<SeedHashes> hashes = {};
  std::vector<verifier::Finding> findings = {};
  std::string death = {};      // the sentence about its process, which died
  std::string our_fault = {};  // the run in which Drydock failed
};

// Counts the seeds of one scenario in the order of their numbers, whatever the order in which they are run: a record
// waits until all before it have come. Behind the seed at which enough have failed nothing counts. So the counts of
// equal seeds are equal with any number of workers.
//
// Owned by the coordinator, touched by its thread.
class ScenarioTally {
 public:
  ScenarioTally(std::string name, uint64_t first_seed, uint32_t max_failing)
      : result_{.name = std::move(name), .faults = {}}, next_(first_seed), max_failing_(max_failing) {}

  void add(uint64_t seed, SeedRecord record);
  // Counts the next seed and returns its record. Empty: it has not come, or enough have failed.
  std::optional<std::pair<uint64_t, SeedRecord>> count_next();
  // No further record comes: those that wait for a seed that was never run are counted too.
  void close() { closed_ = true; }

  bool has_failed_enough() const { return failures_left() == 0; }
  uint32_t failures_left() const;               // before enough seeds have failed
  uint64_t next_seed() const { return next_; }  // behind the one that was counted last

  // Of the seeds that were counted.
  const std::vector<std::string>& deaths() const { return deaths_; }
  const std::vector<std::string>& our_faults() const { return our_faults_; }

  ScenarioResult& result() { return result_; }
  const ScenarioResult& result() const { return result_; }

 private:
  void count(const SeedRecord& record);

  ScenarioResult result_;
  std::map<uint64_t, SeedRecord> waiting_;
  uint64_t next_;
  const uint32_t max_failing_;
  bool closed_ = false;
  std::vector<std::string> deaths_, our_faults_;
};

}  // namespace host
