// drydock explain [ID|FUNCTION]: what a rule asks for and where that is written; what IRQL an NT function allows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "nt/functions.h"
#include "nt/irql.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "verifier/rules.h"

namespace tools {
namespace {

void list_rules() {
  for (const verifier::Rule& rule : verifier::all_rules()) fmt::print("{:<12} {}\n", rule.id, rule.title);
}

void explain_function(const nt::FunctionRow& row) {
  std::string limits = row.min_irql == 0 ? fmt::format("{} or below", nt::irql_name(row.max_irql))
                       : row.min_irql == row.max_irql
                           ? nt::irql_name(row.min_irql)
                           : fmt::format("{} to {}", nt::irql_name(row.min_irql), nt::irql_name(row.max_irql));
  if (row.min_irql == 0 && row.max_irql == 15) limits = "any";
  fmt::print("{}\n  IRQL  {}\n  page  {}\n", row.name, limits,
             verifier::page_address(("ddi/" + std::string(row.page)).c_str()));
}

int explain(const std::string& subject) {
  if (subject.empty()) {
    list_rules();
    return kNothingFound;
  }
  if (const verifier::Rule* rule = verifier::find_rule(subject)) {
    fmt::print("{}", verifier::explain(*rule));
    return kNothingFound;
  }
  if (auto fn = nt::find_function(subject)) {
    explain_function(nt::row(*fn));
    return kNothingFound;
  }
  fmt::print(stderr, "drydock: there is no rule and no NT function called '{}'; `drydock explain` lists the rules\n",
             subject);
  return kUsage;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("explain", "what a rule asks for, or at which IRQL an NT function may be called");
  auto subject = std::make_shared<std::string>();
  command->add_option("subject", *subject, "a rule's id or an NT function's name; nothing: list the rules");
  command->callback([subject, &exit_code] { exit_code = explain(*subject); });
}

}  // namespace tools
