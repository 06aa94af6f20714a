// drydock rules: every requirement on a driver, a client or the host, and what Drydock does with it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "verifier/rules/rule_list.h"

namespace tools {
namespace {

struct Options {
  std::string area;
  bool summary = false, json = false, markdown = false;
};

int list(const Options& options) {
  verifier::RuleSelection selection;
  if (!options.area.empty()) {
    auto selected = verifier::select(options.area);
    if (!selected) {
      return refuse(fmt::format("there is no area called '{}'; there are {}", options.area,
                                fmt::join(verifier::selection_names(), ", ")));
    }
    selection = *selected;
  }
  if (options.markdown) {
    fmt::print("{}", verifier::rule_list_markdown());
  } else if (options.json) {
    fmt::print("{}", verifier::rule_list_json(selection));
  } else {
    fmt::print("{}", options.summary ? verifier::rule_summary(selection) : verifier::rule_list(selection));
  }
  return kNothingFound;
}

}  // namespace

void add_rules(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("rules", "everything that is asked of drivers, and whether it is checked");
  auto options = std::make_shared<Options>();
  command->add_option("--area", options->area,
                      fmt::format("only one area: {}", fmt::join(verifier::selection_names(), ", ")));
  auto* summary = command->add_flag("--summary", options->summary, "only the counts");
  auto* json = command->add_flag("--json", options->json, "one JSON document, with the counts")->excludes(summary);
  command->add_flag("--markdown", options->markdown, "the whole of docs/rules.md")
      ->excludes(summary)
      ->excludes(json)
      ->excludes("--area");
  command->callback([options, &exit_code] { exit_code = list(*options); });
}

}  // namespace tools
