#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verifier/catalogue/catalogue.h"
#include "verifier/explain/pages.h"

// `drydock explain`: all that is known about something, for a terminal of 100 columns.
namespace verifier {

// With the functions that it is about and a wrong and a right sequence of calls.
std::string explain_rule(const Rule& rule);
std::string explain_requirement(const Requirement& requirement);
std::string explain_failure(const RealFailure& failure);
// A function or callback, and the rules and requirements whose pages name it.
std::string explain_page(const Page& page);

// Anything by its id, or by the name of a function. Empty for nothing.
std::string explain_subject(std::string_view subject);
// Names that look like that one, best first.
std::vector<std::string> nearest_subjects(std::string_view subject, size_t count);

}  // namespace verifier
