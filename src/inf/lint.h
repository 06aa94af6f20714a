#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inf/file.h"
#include "nt/machine/machine_observer.h"
#include "verifier/finding/finding.h"

namespace inf {

// What is known of the driver besides its INF file. What is not known is not checked.
struct Facts {
  std::string driver_version = {};        // "1.2.3.4", of the driver's file; empty: not known
  std::optional<bool> renders = {};       // a display adapter with a user-mode driver, not one that only displays
  std::optional<uint32_t> direct3d = {};  // the highest version that the user-mode driver has: 9, 10, 11 or 12
};

// A rule that an INF file breaks.
struct Complaint {
  nt::Violation what;
  std::string sentence;
  std::string section;  // without brackets; may be empty
  uint32_t line;        // 0: of the file as a whole
};

// In the order of lines.
std::vector<Complaint> lint(const File& file, const Facts& facts = {});

// The same for a file, as findings of the verifier; or one sentence, why it cannot be read.
base::Expected<std::vector<verifier::Finding>, std::string> lint_package(const std::string& inf_path,
                                                                         const Facts& facts);

}  // namespace inf
