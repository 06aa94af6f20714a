// drydock explain [ID|FUNCTION]: what a rule, a requirement or a real driver's failure is about, or what the
// documentation says of a function.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "verifier/explain/explain.h"
#include "verifier/rules/rule_list.h"

namespace tools {
namespace {

int explain(const std::string& subject) {
  if (subject.empty()) {
    fmt::print("{}", verifier::rule_list({}));
    return kNothingFound;
  }
  std::string text = verifier::explain_subject(subject);
  if (text.empty()) {
    return refuse(fmt::format("there is no rule and no function called '{}'; the nearest names are {}", subject,
                              fmt::join(verifier::nearest_subjects(subject, 3), ", ")));
  }
  fmt::print("{}", text);
  return kNothingFound;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("explain", "what a rule asks for, or what the documentation says of a function");
  auto subject = std::make_shared<std::string>();
  command->add_option("subject", *subject, "a rule's id or a function's or callback's name; nothing: list the rules");
  command->callback([subject, &exit_code] { exit_code = explain(*subject); });
}

}  // namespace tools
