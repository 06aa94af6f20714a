#pragma once

#include <string>

#include "verifier/report/report.h"

namespace verifier {

// For people, to keep and to send: the whole report as one page that needs nothing else, neither a network nor scripts.
std::string html_report(const Report& report);

}  // namespace verifier
