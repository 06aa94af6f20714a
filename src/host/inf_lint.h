#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/inf_file.h"
#include "nt/probe.h"
#include "verifier/finding.h"

namespace host {

// What is known of the driver beside its INF file. What is not known is not judged.
struct InfFacts {
  std::string driver_version = {};        // "1.2.3.4", of the driver's file; empty: not known
  std::optional<bool> renders = {};       // a display adapter with a user-mode driver, not one that only displays
  std::optional<uint32_t> direct3d = {};  // the highest version that the user-mode driver has: 9, 10, 11 or 12
};

// A rule that an INF file breaks.
struct InfBreach {
  nt::Broke what;
  std::string sentence;
  std::string section;  // without brackets; may be empty
  uint32_t line;        // 0: of the file as a whole
};

// In the order of lines.
std::vector<InfBreach> lint(const InfFile& file, const InfFacts& facts = {});

// The same for a file, as findings of the verifier. A file that cannot be read gives none, and one sentence in `error`,
// which is empty otherwise.
std::vector<verifier::Finding> lint_package(const std::string& inf_path, const InfFacts& facts, std::string* error);

}  // namespace host
