#pragma once

#include <string>

#include "verifier/report/report.h"

namespace verifier {

// For build servers and editors: SARIF 2.1.0, the OASIS format for results of analysis. A result per finding, with the
// driver's innermost frame as its place, its stacks, and a fingerprint that is equal for findings that are one.
std::string sarif_report(const Report& report);

}  // namespace verifier
