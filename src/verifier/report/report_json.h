#pragma once

#include <string>

#include "verifier/report/report.h"

namespace verifier {

inline constexpr const char* kReportSchema = "drydock-report/1";

// For programs: the whole report as one JSON document, as docs/reports.md describes it. A member that is there today
// keeps its name and meaning as long as kReportSchema does; new ones may come.
std::string json_report(const Report& report);

}  // namespace verifier
