#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "verifier/finding/finding_json.h"

namespace host {

// For tests: lines as workers and zygotes write them, without their ends.
inline std::string seed_line(uint64_t seed, bool failing = false) {
  return nlohmann::ordered_json{{"type", "seed"}, {"seed", seed}, {"failing", failing}}.dump();
}
inline std::string finding_line(const verifier::Finding& finding) {
  return nlohmann::ordered_json{
      {"type", "finding"}, {"seed", finding.run.seed}, {"finding", verifier::to_json_value(finding)}}
      .dump();
}
inline std::string end_line() { return R"({"type":"end"})"; }

// A finding of a seed. Two with the same sentence are one.
inline verifier::Finding finding_of(nt::Violation what, const std::string& sentence, const std::string& scenario,
                                    uint64_t seed) {
  verifier::Finding finding = verifier::finding_for(what);
  finding.sentence = sentence;
  finding.run.driver = "fake.so";
  finding.run.scenario = scenario;
  finding.run.seed = seed;
  return finding;
}

}  // namespace host
