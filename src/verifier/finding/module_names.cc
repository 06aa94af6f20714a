#include "verifier/finding/module_names.h"

namespace verifier {

void ModuleNames::add(const std::string& path) { paths_[path.substr(path.rfind('/') + 1)] = path; }

std::vector<base::SourceFrame> ModuleNames::resolve(const Frame& frame) {
  auto at = paths_.find(frame.module);
  if (at == paths_.end() || frame.offset == 0) return {};
  uintptr_t call = frame.offset - 1;  // a return address may be the next line's, or the next function's
  std::vector<base::SourceFrame> sources = symbolizer_.resolve(at->second, call);
  // Without debug information the symbolizer would give the address of the byte before; the report has better text.
  if (sources.size() == 1 && sources[0].function == base::module_and_offset(at->second, call)) return {};
  for (base::SourceFrame& source : sources) source.file = base::shorten_path(source.file, source_root_);
  return sources;
}

}  // namespace verifier
