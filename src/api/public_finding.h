#pragma once

#include <string>
#include <vector>

#include "drydock/finding.h"
#include "verifier/finding.h"

namespace drydock::internal {

// Findings as users see them: names for frames, the driver's view of stacks, worst first. Frames of the driver are
// looked up in the file at `driver`.
std::vector<Finding> public_findings(std::vector<verifier::Finding> findings, const std::string& driver);

}  // namespace drydock::internal
