#pragma once

#include <cstdint>
#include <string>

namespace verifier {

// How a scenario ended on one driver. Where several are true, the last of them counts.
enum class Outcome : uint8_t {
  Passed,      // it did what it is for, and found no error
  Skipped,     // this driver has nothing that the scenario could try
  Incomplete,  // it was to try something and could not, or did too little
  Found,       // an error
  OurFault,    // Drydock itself failed
};

// As reports list them.
inline constexpr Outcome kOutcomes[] = {Outcome::Passed, Outcome::Found, Outcome::Skipped, Outcome::Incomplete,
                                        Outcome::OurFault};

// "passed", "skipped", "incomplete", "found", "our fault": in every form of a report.
const char* to_string(Outcome outcome);

// What was really done with a driver. A run in which every count is zero tried nothing.
struct Activity {
  uint64_t ddi_calls = 0;    // into a display driver or a minidriver
  uint64_t requests = 0;     // IRPs that the driver completed
  uint64_t submissions = 0;  // of GPU work that came to its end
  uint64_t frames = 0;       // that a pin delivered or took, with data

  Activity& operator+=(const Activity& more);
  bool operator==(const Activity&) const = default;
};

// The counts of an Activity, in the order in which reports show them.
struct ActivityCount {
  uint64_t Activity::*count;
  const char* key;    // in JSON
  const char* words;  // "DDI calls"
};
inline constexpr ActivityCount kActivityCounts[] = {
    {&Activity::ddi_calls, "ddi_calls", "DDI calls"},
    {&Activity::requests, "requests", "requests"},
    {&Activity::submissions, "submissions", "submissions"},
    {&Activity::frames, "frames", "frames"},
};

}  // namespace verifier
