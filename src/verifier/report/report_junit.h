#pragma once

#include <string>

#include "verifier/report/report.h"

namespace verifier {

// For build servers: JUnit's XML. A test suite per driver and a test case per scenario, which fails when it has a
// finding that is an error; warnings are its output, and what could not run is skipped.
std::string junit_report(const Report& report);

}  // namespace verifier
