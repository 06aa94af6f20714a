#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "verifier/finding/finding.h"

// A finding as JSON: how it leaves the process that saw it, and what the JSON report holds. The keys are the members of
// Finding; frames leave out what is empty, false or zero.
namespace verifier {

inline constexpr int kSchemaVersion = 1;

nlohmann::ordered_json to_json_value(const Finding& finding);
// The error is one sentence that names the offending member.
base::Expected<Finding, std::string> from_json_value(const nlohmann::ordered_json& value);

// One finding as a document of its own, on one line.
std::string to_json_text(const Finding& finding);
base::Expected<Finding, std::string> from_json_text(std::string_view text);

// Text of a value whatever its strings hold: bytes that are not UTF-8 are replaced.
std::string dump_json(const nlohmann::ordered_json& value, int indent);

}  // namespace verifier
