#pragma once

#include <string>
#include <vector>

#include "verifier/report/report.h"

namespace tools {

// The files that a check's report is written to, besides the screen; empty: no such file.
struct ReportFiles {
  std::string json, junit, sarif, html;

  bool any() const { return !json.empty() || !junit.empty() || !sarif.empty() || !html.empty(); }
};

// Before anything runs: one sentence about the first file that could not be written, or empty. Leaves nothing behind.
std::string refusal_of(const ReportFiles& files);

// Writes each as a whole or not at all. One sentence about the first that failed, or empty.
std::string write_reports(const ReportFiles& files, const verifier::Report& report);

// The file gets its name when all of it is there.
std::string write_whole(const std::string& path, const std::string& text);

}  // namespace tools
