#pragma once

#include <optional>
#include <string>

#include "host/check/check.h"
#include "tools/report_files.h"
#include "verifier/finding/suppressions.h"
#include "verifier/report/report.h"

namespace tools {

// The results of one `drydock check` or `drydock replay`, driver by driver, and the report at the end.
class Verdict {
 public:
  // Adds the result of the check of one driver. `kind` says what it is. Its findings are symbolized here.
  void add(const host::CheckOptions& options, host::CheckResult result, const char* kind);
  // Adds a driver that was to be checked when the user interrupted.
  void add_interrupted(const std::string& path, const char* kind);
  // Adds findings that no run made: of a package.
  void add_package(const std::string& path, std::vector<verifier::Finding> findings);
  void add_charts(verifier::Charts charts) { report_.charts.push_back(std::move(charts)); }

  void suppress(verifier::Suppressions suppressions) { suppressions_ = std::move(suppressions); }
  void keep_schedules_in(std::string folder) { schedules_folder_ = std::move(folder); }
  void keep_times() { times_ = true; }  // real time enters the report
  void was_asked(std::string command_line) { report_.command_line = std::move(command_line); }

  // Prints the report, writes the files that were asked for, and returns the exit code.
  int tell(const ReportFiles& files);

 private:
  void take_findings(verifier::CheckedDriver& driver, const host::CheckOptions& options, host::CheckResult& result);
  static void take_left_out(verifier::CheckedDriver& driver, const host::CheckOptions& options,
                            const host::CheckResult& result);
  bool save_schedule(host::SeenFinding& seen);
  bool suppressed(const verifier::Finding& finding);
  int exit_code() const;

  verifier::Report report_{.tool_version = DRYDOCK_VERSION, .command_line = {}, .drivers = {}, .charts = {}};
  std::optional<verifier::Suppressions> suppressions_;
  std::string schedules_folder_;
  bool times_ = false;
  uint64_t suppressed_ = 0;
  std::vector<std::string> hashes_;      // lines
  std::vector<std::string> our_faults_;  // where Drydock itself failed
  std::string refusal_;                  // what makes the whole verdict worthless
};

}  // namespace tools
