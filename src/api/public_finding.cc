#include "api/public_finding.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/check.h"
#include "nt/ke/irql.h"
#include "verifier/finding/module_names.h"
#include "verifier/report/report.h"
#include "verifier/rules/rules.h"

namespace drydock::internal {
namespace {

// The file that this code is in: libdrydock.so, or a program that holds all of it.
std::string own_file() {
  Dl_info found{};
  static const char here = 0;
  return dladdr(&here, &found) && found.dli_fname ? found.dli_fname : "";
}

std::string frame_text(const verifier::Frame& frame) {
  if (frame.module.empty()) return "?";
  if (frame.function.empty()) return base::module_and_offset(frame.module, frame.offset);
  if (!frame.driver) return frame.function;  // file and line of the host's own source are left out
  if (frame.file.empty()) return fmt::format("{} in {}", frame.function, frame.module);
  return fmt::format("{} at {}:{}", frame.function, frame.file, frame.line);
}

Stack public_stack(const verifier::FrameStack& from) {
  Stack stack{from.role, {}};
  for (const verifier::Frame& frame : verifier::driver_view(from.frames)) stack.frames.push_back(frame_text(frame));
  return stack;
}

std::string where_text(const verifier::Finding& from) {
  if (from.in_call.empty() && from.thread.empty()) return {};
  std::string out;
  if (!from.in_call.empty()) out += fmt::format("in {}, ", from.in_call);
  if (!from.thread.empty()) out += fmt::format("thread '{}' ({}), ", from.thread, from.thread_ordinal);
  return out + "at " + nt::irql_name(from.irql);
}

Finding public_finding(const verifier::Finding& from) {
  const verifier::Rule* rule = verifier::find_rule(from.rule);
  CHECK(rule);  // a finding without a rule cannot be made
  Finding finding;
  finding.rule = from.rule;
  finding.title = rule->title;
  finding.level = from.level == verifier::Level::Error ? Level::Error : Level::Warning;
  finding.sentence = from.sentence;
  finding.where = where_text(from);
  for (const verifier::FrameStack& from_stack : from.stacks) {
    Stack stack = public_stack(from_stack);
    if (!stack.frames.empty())
      finding.stacks.push_back(std::move(stack));  // a client's violation is in no driver's code
  }
  finding.times = from.times;
  return finding;
}

}  // namespace

std::vector<Finding> public_findings(std::vector<verifier::Finding> findings, const std::vector<std::string>& drivers) {
  verifier::ModuleNames names;
  for (const std::string& driver : drivers) {
    if (!driver.empty()) names.add(driver);
  }
  names.add(own_file());
  for (verifier::Finding& finding : findings) verifier::symbolize(finding, names);
  verifier::sort_worst_first(findings);
  std::vector<Finding> out;
  for (const verifier::Finding& finding : findings) out.push_back(public_finding(finding));
  return out;
}

}  // namespace drydock::internal
