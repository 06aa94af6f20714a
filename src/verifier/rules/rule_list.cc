#include "verifier/rules/rule_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verifier/finding/finding_json.h"

namespace verifier {
namespace {

using Json = nlohmann::ordered_json;

constexpr Area kAreas[] = {Area::Nt, Area::Client, Area::Umd, Area::Kmd, Area::Ks, Area::Inf};
constexpr std::string_view kFailures = "failures";

bool wanted(RuleSelection selection, Area area) {
  return selection.all() || (selection.area && *selection.area == area);
}
bool wants_failures(RuleSelection selection) { return selection.all() || selection.failures; }

size_t caught_count() {
  auto failures = all_failures();
  return static_cast<size_t>(std::count_if(failures.begin(), failures.end(), [](auto& row) { return row.caught(); }));
}

// --- JSON ---

Json pages_json(std::span<const char* const> pages) {
  Json out = Json::array();
  for (const char* page : pages) {
    if (page) out.push_back(page_address(page));
  }
  return out;
}

Json to_json(const Rule& rule) {
  return {{"id", rule.id},
          {"area", to_string(area_of(rule))},
          {"class", to_string(rule.rule_class)},
          {"state", to_string(State::Checked)},
          {"title", rule.title},
          {"requirement", rule.requirement},
          {"pages", pages_json(rule.pages)},
          {"rule", rule.id},
          {"example", rule.example},
          {"windows", rule.windows},
          {"check", rule.check}};
}

Json to_json(const Requirement& row) {
  Json out = {{"id", row.id},
              {"area", to_string(row.area)},
              {"class", to_string(row.rule_class)},
              {"state", to_string(row.state)},
              {"title", row.title},
              {"requirement", row.requirement},
              {"pages", pages_json(row.pages)},
              {"who", to_string(row.who)},
              {"since", row.since}};
  if (row.state == State::Checked) out["rule"] = row.rule;
  constexpr const char* kProof[] = {"example", "test", "reason", "reason"};
  out[kProof[static_cast<size_t>(row.state)]] = row.proof;
  return out;
}

Json to_json(const RealFailure& row) {
  Json out = {{"id", row.id},           {"stage", row.stage},   {"what", row.what},
              {"windows", row.windows}, {"source", row.source}, {"caught", row.caught()}};
  if (row.caught()) out["rule"] = row.rule;
  out[row.caught() ? "example" : "reason"] = row.proof;
  return out;
}

Json counts_json(const AreaCounts& counts) {
  return {{"checked", counts.checked},
          {"guaranteed", counts.guaranteed},
          {"not checkable", counts.unchecked},
          {"not built yet", counts.unbuilt}};
}

// --- Markdown ---

const char* heading_of(Area area) {
  switch (area) {
    case Area::Nt:
      return "Kernel-mode drivers of every kind (nt)";
    case Area::Client:
      return "Clients of the graphics kernel (client)";
    case Area::Umd:
      return "User-mode display drivers (umd)";
    case Area::Kmd:
      return "Display miniport drivers (kmd)";
    case Area::Ks:
      return "AVStream minidrivers (ks)";
    case Area::Inf:
      return "Driver packages (inf)";
  }
  return "";
}

std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string state_cell(const ListedRequirement& row) {
  if (row.rule) return fmt::format("checked: `{}`", row.rule->example);
  switch (row.state) {
    case State::Checked:
      return fmt::format("checked by {}: `{}`", row.requirement->rule, row.requirement->proof);
    case State::Guaranteed:
      return fmt::format("guaranteed: {}", row.requirement->proof);
    case State::Unchecked:
    case State::Unbuilt:
      return fmt::format("{}: {}", to_string(row.state), cell(row.requirement->proof));
  }
  return "";
}

std::span<const char* const> pages_of(const ListedRequirement& row) {
  if (row.rule) return row.rule->pages;
  return row.requirement->pages;
}

std::string page_links(std::span<const char* const> pages) {
  std::string out;
  for (size_t i = 0; i < pages.size() && pages[i]; ++i) {
    out += fmt::format("{}[{}]({})", i ? " " : "", i + 1, page_address(pages[i]));
  }
  return out;
}

std::string area_markdown(Area area) {
  auto listed = listed_requirements({area, false});
  if (listed.empty()) return "";
  std::string out =
      fmt::format("\n## {}\n\n| id | class | requirement | pages | state |\n|---|---|---|---|---|\n", heading_of(area));
  for (const ListedRequirement& row : listed) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", row.id, to_string(row.rule_class),
                       cell(row.rule ? row.rule->requirement : row.requirement->requirement), page_links(pages_of(row)),
                       state_cell(row));
  }
  return out;
}

std::string failures_markdown() {
  if (all_failures().empty()) return "";
  std::string out =
      "\n## Failures of real drivers (failures)\n\n| id | stage | what the driver did | what Windows did | source | "
      "here "
      "|\n|---|---|---|---|---|---|\n";
  for (const RealFailure& row : all_failures()) {
    out += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", row.id, cell(row.stage), cell(row.what), cell(row.windows),
        cell(row.source),
        row.caught() ? fmt::format("{}: `{}`", row.rule, row.proof) : fmt::format("not caught: {}", cell(row.proof)));
  }
  return out;
}

}  // namespace

std::vector<std::string> selection_names() {
  std::vector<std::string> names;
  for (Area area : kAreas) names.emplace_back(to_string(area));
  names.emplace_back(kFailures);
  return names;
}

std::optional<RuleSelection> select(std::string_view name) {
  if (name == kFailures) return RuleSelection{std::nullopt, true};
  for (Area area : kAreas) {
    if (name == to_string(area)) return RuleSelection{area, false};
  }
  return std::nullopt;
}

std::vector<ListedRequirement> listed_requirements(RuleSelection selection) {
  std::vector<ListedRequirement> listed;
  for (Area area : kAreas) {
    if (!wanted(selection, area)) continue;
    for (const Rule& rule : all_rules()) {
      if (area_of(rule) != area) continue;
      listed.push_back({rule.id, area, rule.rule_class, State::Checked, rule.title, &rule, nullptr});
    }
    for (const Requirement& row : all_requirements()) {
      if (row.area == area) listed.push_back({row.id, area, row.rule_class, row.state, row.title, nullptr, &row});
    }
  }
  return listed;
}

AreaCounts count(const std::vector<ListedRequirement>& listed) {
  AreaCounts counts;
  for (const ListedRequirement& row : listed) {
    counts.checked += row.state == State::Checked;
    counts.guaranteed += row.state == State::Guaranteed;
    counts.unchecked += row.state == State::Unchecked;
    counts.unbuilt += row.state == State::Unbuilt;
  }
  return counts;
}

std::string rule_list(RuleSelection selection) {
  std::string out;
  for (const ListedRequirement& row : listed_requirements(selection)) {
    out += fmt::format("{:<12} {:<8} {:<13} {}\n", row.id, to_string(row.rule_class), to_string(row.state), row.title);
  }
  if (!wants_failures(selection)) return out;
  for (const RealFailure& row : all_failures()) {
    out += fmt::format("{:<12} {:<8} {:<13} {}\n", row.id, "real", row.caught() ? "caught" : "not caught", row.what);
  }
  return out;
}

std::string rule_summary(RuleSelection selection) {
  std::string out;
  if (!selection.failures) {
    auto line = [&](const char* name, const AreaCounts& counts) {
      out += fmt::format("{:<10} {:>8} {:>11} {:>14} {:>14} {:>6}\n", name, counts.checked, counts.guaranteed,
                         counts.unchecked, counts.unbuilt, counts.total());
    };
    out += fmt::format("{:<10} {:>8} {:>11} {:>14} {:>14} {:>6}\n", "area", "checked", "guaranteed", "not checkable",
                       "not built yet", "all");
    for (Area area : kAreas) {
      if (wanted(selection, area)) line(to_string(area), count(listed_requirements({area, false})));
    }
    if (selection.all()) line("all", count(listed_requirements({})));
  }
  if (!wants_failures(selection)) return out;
  size_t caught = caught_count(), all = all_failures().size();
  return out + fmt::format("{}real failures: {} caught, {} not, {} in all\n", out.empty() ? "" : "\n", caught,
                           all - caught, all);
}

std::string rule_list_json(RuleSelection selection) {
  auto listed = listed_requirements(selection);
  Json rows = Json::array(), failures = Json::array();
  for (const ListedRequirement& row : listed) rows.push_back(row.rule ? to_json(*row.rule) : to_json(*row.requirement));
  Json counts = {{"requirements", counts_json(count(listed))}};
  if (wants_failures(selection)) {
    for (const RealFailure& row : all_failures()) failures.push_back(to_json(row));
    counts["failures"] = {{"caught", caught_count()}, {"not caught", all_failures().size() - caught_count()}};
  }
  Json out = {{"schema", kRuleListSchema}, {"counts", counts}, {"requirements", rows}, {"failures", failures}};
  return dump_json(out, 2) + "\n";
}

std::string rule_list_markdown() {
  std::string out = R"(<!-- Written by `drydock rules --markdown > docs/rules.md`; a test compares the two. -->
# What is asked of drivers, clients and the host

Every requirement has one row and one state. *Checked*: a rule reports who breaks it, and the program below `drivers/bad`
does. *Guaranteed*: it is the host's own duty or cannot be broken, and the test shows that. *Not checkable*: it cannot be
seen here, for the reason given. *Not built yet*: it could be seen, and the part of Drydock that would is missing.

The class says where a requirement comes from: a page requires it (*must*), others saw Windows refuse it (*observed*), it is
ours where the pages are silent and harm follows (*policy*), a page recommends it (*should*), or Windows accepts it and there
is a better way (*advice*). The last two are warnings, which fail no run. `drydock explain ID` tells the whole of a row, with
a wrong and a right sequence of calls.

```
)";
  out += rule_summary({}) + "```\n";
  for (Area area : kAreas) out += area_markdown(area);
  return out + failures_markdown();
}

}  // namespace verifier
