#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verifier/finding/finding.h"
#include "verifier/report/outcome.h"
#include "verifier/report/report_charts.h"

namespace verifier {

// The results of failures that were injected on purpose.
struct FaultCounts {
  uint64_t injected = 0;
  uint64_t untried = 0;  // places that were seen and never made to fail
};

// One scenario, as far as it was run.
struct ScenarioRun {
  std::string name;
  uint64_t seeds = 0;          // that were run
  uint64_t failing_seeds = 0;  // of these, with an error or the death of their process
  uint64_t warned_seeds = 0;   // with warnings alone
  Activity activity = {};      // over all seeds
  uint64_t milliseconds = 0;   // of real time, over all seeds; 0: not measured
  bool cut_short = false;      // its other seeds were left out because enough had failed
  Outcome outcome = Outcome::Passed;
  std::string reason = {};                 // why it is skipped or incomplete
  std::optional<FaultCounts> faults = {};  // when faults were injected into it
};

// Something that should have been run and was not.
struct NotRun {
  std::string what;       // a scenario, a seed, a file; may be empty
  std::string why;        // half a sentence
  bool as_asked = false;  // by a limit that the user set: the check is complete without it
};

// The result of the check of one driver on one profile. Findings are symbolized before they are put here.
struct CheckedDriver {
  std::string path;     // as the user named it
  std::string kind;     // "kernel-mode display driver"
  std::string profile;  // the version of Windows' driver model it was run as, "WDDM 2.0"; may be empty
  std::vector<ScenarioRun> scenarios;
  std::vector<NotRun> not_run;
  std::vector<Finding> findings;
  std::optional<FaultCounts> faults;  // when faults were injected

  uint64_t runs() const;  // seeds, over all scenarios
  uint64_t count(Level level) const;
  uint64_t count(Outcome outcome) const;  // scenarios
  // Everything that was asked for was tried: no scenario is incomplete or failed by a fault of ours, nothing could not
  // be run.
  bool complete() const;
};

// The result of one `drydock check`. The code that fills it decides whether it contains real time: without, reports of
// equal checks are equal.
struct Report {
  std::string tool_version;
  std::string command_line;  // what was asked for, as a shell would take it; may be empty
  std::vector<CheckedDriver> drivers;
  std::vector<Charts> charts;  // each of one run

  uint64_t runs() const;
  uint64_t count(Level level) const;
  uint64_t count(Outcome outcome) const;
  bool complete() const;
};

// What stops a machine first, then errors before warnings, then by the weight of the rule, then by run and words.
bool worse(const Finding& a, const Finding& b);
// The same for the same findings in any order.
void sort_worst_first(std::vector<Finding>& findings);

// A stack as a driver's author wants it: the driver's own frames, and of the host's only the function that the driver
// called.
std::vector<Frame> driver_view(const std::vector<Frame>& frames);
// The stacks that help: one without code of the driver is left out where another has some. The stacks of threads that
// wait for each other are all shown.
std::vector<const FrameStack*> told_stacks(const Finding& finding);

enum class Colour : uint8_t { No, Yes };

// For people: one block per finding, worst first, then what ran, what did not and why, and the counts. The other forms
// of a report are report_json.h (programs), report_junit.h and report_sarif.h (build servers), report_html.h (people).
std::string text_report(const Report& report, Colour colour);
std::string text_finding(const Finding& finding, uint64_t runs, Colour colour);

// The command that shows a finding again.
std::string replay_command(const RunContext& run);

// A command line of these words, each quoted where a shell would split or change it.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace verifier
