#include "inf/lint.h"

#include "inf/judge.h"
#include "inf/package.h"
#include "verifier/rules/rules.h"

namespace inf {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The place is a frame, as a place in a driver's code is.
verifier::Finding finding_of(const Complaint& complaint, const std::string& path) {
  verifier::Finding out = verifier::finding_for(complaint.what);
  out.sentence = complaint.sentence;
  out.run.driver = path;
  verifier::Frame frame;
  frame.module = file_name(path);
  frame.offset = complaint.line;
  frame.driver = true;
  frame.function = complaint.section.empty() ? "(file)" : "[" + complaint.section + "]";
  frame.file = path;
  frame.line = complaint.line;
  out.stacks.push_back({"here", {frame}});
  return out;
}

}  // namespace

std::vector<Complaint> lint(const File& file, const Facts& facts) { return Judge(file, facts).judge(); }

base::Expected<std::vector<verifier::Finding>, std::string> lint_package(const std::string& inf_path,
                                                                         const Facts& facts) {
  auto file = File::read(inf_path);
  if (!file.ok()) return file.error();
  std::vector<verifier::Finding> out;
  for (const Complaint& complaint : lint(file.value(), facts)) out.push_back(finding_of(complaint, inf_path));
  return out;
}

}  // namespace inf
