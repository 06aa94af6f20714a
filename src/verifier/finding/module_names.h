#pragma once

#include <map>
#include <string>

#include "verifier/finding/finding.h"

namespace verifier {

// Names from the debug information of given files. Owned by the code that writes a report; single-threaded.
class ModuleNames final : public Names {
 public:
  // Source files below `source_root` are named relative to it.
  explicit ModuleNames(std::string source_root = "") : source_root_(std::move(source_root)) {}

  // Frames of the module with this path's file name are looked up in the file at `path`.
  void add(const std::string& path);
  std::vector<base::SourceFrame> resolve(const Frame& frame) override;

 private:
  std::string source_root_;
  std::map<std::string, std::string> paths_;  // by file name
  base::Symbolizer symbolizer_;
};

}  // namespace verifier
