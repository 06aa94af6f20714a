#include "host/inf_lint.h"

#include "host/inf_judge.h"
#include "host/inf_package.h"
#include "verifier/rules.h"

namespace host {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The place is a frame, as a place in a driver's code is.
verifier::Finding finding_of(const InfBreach& breach, const std::string& path) {
  verifier::Finding out = verifier::finding_for(breach.what);
  out.sentence = breach.sentence;
  out.run.driver = path;
  verifier::Frame frame;
  frame.module = file_name(path);
  frame.offset = breach.line;
  frame.driver = true;
  frame.function = breach.section.empty() ? "(file)" : "[" + breach.section + "]";
  frame.file = path;
  frame.line = breach.line;
  out.stacks.push_back({"here", {frame}});
  return out;
}

}  // namespace

std::vector<InfBreach> lint(const InfFile& file, const InfFacts& facts) { return InfJudge(file, facts).judge(); }

std::vector<verifier::Finding> lint_package(const std::string& inf_path, const InfFacts& facts, std::string* error) {
  std::vector<verifier::Finding> out;
  auto file = InfFile::read(inf_path, error);
  if (!file) return out;
  for (const InfBreach& breach : lint(*file, facts)) out.push_back(finding_of(breach, inf_path));
  return out;
}

}  // namespace host
