#pragma once

#include <string>
#include <vector>

#include "drydock/finding.h"
#include "verifier/finding/finding.h"

namespace drydock::internal {

// Findings as users see them: names for frames, the driver's view of stacks, worst first. Frames of a driver are
// looked up in its file, one of `drivers`; an empty path is none.
std::vector<Finding> public_findings(std::vector<verifier::Finding> findings, const std::vector<std::string>& drivers);

}  // namespace drydock::internal
