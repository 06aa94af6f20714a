#include "verifier/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <utility>

#include "nt/boundary/functions.h"
#include "nt/ke/irql.h"
#include "verifier/explain/excerpts.h"
#include "verifier/finding/text.h"

namespace verifier {
namespace {

const char* duty_of(Area area) {
  switch (area) {
    case Area::Nt:
      return "kernel-mode drivers of every kind";
    case Area::Client:
      return "clients of the graphics kernel";
    case Area::Umd:
      return "user-mode display drivers";
    case Area::Kmd:
      return "display miniport drivers";
    case Area::Ks:
      return "AVStream minidrivers";
    case Area::Inf:
      return "driver packages";
  }
  return "";
}

// What Drydock enforces counts for its own functions: where a page's head and its remarks disagree, functions.def has
// the remarks.
std::string irql_of(const Page& page) {
  auto fn = nt::find_function(page.name);
  if (!fn) return *page.irql ? page.irql : "not documented";
  const nt::FunctionRow& row = nt::row(*fn);
  if (row.min_irql == 0 && row.max_irql == 15) return "any";
  if (row.min_irql == 0) return fmt::format("{} or below", nt::irql_name(row.max_irql));
  if (row.min_irql == row.max_irql) return nt::irql_name(row.min_irql);
  return fmt::format("{} to {}", nt::irql_name(row.min_irql), nt::irql_name(row.max_irql));
}

const char* since_of(const Page& page) { return *page.since ? page.since : "not documented"; }

using Paths = std::span<const char* const>;

void append_pages(std::string& out, Paths paths) {
  for (const char* path : paths) {
    if (path) append_wrapped(out, 2, page_address(path));
  }
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Functions among the pages, then those that the texts name.
std::vector<const Page*> functions_of(Paths paths, std::initializer_list<std::string_view> texts) {
  std::vector<const Page*> found;
  auto add = [&](const Page* page) {
    if (page && std::find(found.begin(), found.end(), page) == found.end()) found.push_back(page);
  };
  for (const char* path : paths) add(path ? page_at(path) : nullptr);
  for (std::string_view text : texts) {
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && is_word(text[end])) ++end;
      if (end > at) add(page_named(text.substr(at, end - at)));
      at = end + 1;
    }
  }
  return found;
}

// IRQL and oldest Windows.
void append_functions(std::string& out, const std::vector<const Page*>& functions) {
  if (!functions.empty()) out += "\nFunctions it is about\n";
  for (const Page* page : functions) {
    out += fmt::format("  {}\n    IRQL: {}; oldest Windows: {}\n", page->name, irql_of(*page), since_of(*page));
  }
}

void append_excerpt(std::string& out, const char* program) {
  const StoredExcerpt* excerpt = find_excerpt(program);
  if (!excerpt) return;
  append_section(out, "Wrong", excerpt->does);
  out += '\n';
  append_lines(out, 4, excerpt->wrong);
  std::string fixed = excerpt->fixed;
  if (!fixed.empty()) fixed[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(fixed[0])));
  append_section(out, "Right", fixed);
  out += '\n';
  append_lines(out, 4, excerpt->right);
}

void append_other_uses(std::string& out, const Rule& rule) {
  std::string rows;
  for (const Requirement& requirement : all_requirements()) {
    if (requirement.rule && std::string_view(requirement.rule) == rule.id) {
      rows += fmt::format("  {:<6} {}\n", requirement.id, requirement.title);
    }
  }
  for (const RealFailure& failure : all_failures()) {
    if (failure.caught() && std::string_view(failure.rule) == rule.id) {
      append_wrapped(rows, 2, fmt::format("{:<6} (real failure) {}", failure.id, failure.what));
    }
  }
  if (!rows.empty()) out += "\nIt also reports\n" + rows;
}

bool names(Paths paths, const Page& page) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const char* path) { return path && std::string_view(path) == page.path; });
}

std::string upper(std::string_view text) {
  std::string out;
  for (char c : text) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// Insertions, deletions and exchanges of letters between two names.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t exchanged = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({exchanged, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string explain_rule(const Rule& rule) {
  std::string out = explain(rule);
  append_section(out, "Whose duty", duty_of(area_of(rule)));
  append_functions(out, functions_of(rule.pages, {rule.requirement, rule.check}));
  append_other_uses(out, rule);
  append_excerpt(out, rule.example);
  return out;
}

std::string explain_requirement(const Requirement& requirement) {
  std::string out = fmt::format("{}: {}\n", requirement.id, requirement.title);
  append_section(out, "What is required", requirement.requirement);
  append_section(out, "Who says so", in_words(requirement.rule_class));
  append_pages(out, requirement.pages);
  append_section(out, "Whose duty", fmt::format("{}, since {}", to_string(requirement.who), requirement.since));
  append_functions(out, functions_of(requirement.pages, {requirement.requirement}));
  switch (requirement.state) {
    case State::Checked:
      append_section(
          out, "What Drydock makes of it",
          fmt::format("checked: {} reports it, and drivers/bad/{} shows that", requirement.rule, requirement.proof));
      append_excerpt(out, requirement.proof);
      break;
    case State::Guaranteed:
      append_section(out, "What Drydock makes of it",
                     fmt::format("guaranteed by the host: test {}", requirement.proof));
      break;
    case State::Unchecked:
      append_section(out, "What Drydock makes of it", fmt::format("not checkable here: {}", requirement.proof));
      break;
    case State::Unbuilt:
      append_section(out, "What Drydock makes of it", fmt::format("not built yet: {}", requirement.proof));
      break;
  }
  return out;
}

std::string explain_failure(const RealFailure& failure) {
  std::string out = fmt::format("{}: a failure of a real driver ({})\n", failure.id, failure.stage);
  append_section(out, "What the driver did", failure.what);
  append_section(out, "What Windows did", failure.windows);
  append_section(out, "Where it is known from", failure.source);
  append_section(out, "What Drydock makes of it",
                 failure.caught()
                     ? fmt::format("caught: {} reports it, and drivers/bad/{} shows that", failure.rule, failure.proof)
                     : fmt::format("not caught: {}", failure.proof));
  if (failure.caught()) append_excerpt(out, failure.proof);
  return out;
}

std::string explain_page(const Page& page) {
  std::string out =
      fmt::format("{}\n  header          {}\n  IRQL            {}\n  oldest Windows  {}\n  page            {}\n",
                  page.name, page.header(), irql_of(page), since_of(page), page_address(page.path));
  std::string rows;
  for (const Rule& rule : all_rules()) {
    if (names(rule.pages, page)) rows += fmt::format("  {:<12} {}\n", rule.id, rule.title);
  }
  for (const Requirement& requirement : all_requirements()) {
    if (names(requirement.pages, page)) rows += fmt::format("  {:<12} {}\n", requirement.id, requirement.title);
  }
  return rows.empty() ? out : out + "\nRules about it\n" + rows;
}

std::string explain_subject(std::string_view subject) {
  if (const Rule* rule = find_rule(subject)) return explain_rule(*rule);
  if (const Requirement* requirement = find_requirement(subject)) return explain_requirement(*requirement);
  if (const RealFailure* failure = find_failure(subject)) return explain_failure(*failure);
  std::string out;
  for (const Page* page : find_pages(subject)) out += (out.empty() ? "" : "\n") + explain_page(*page);
  return out;
}

std::vector<std::string> nearest_subjects(std::string_view subject, size_t count) {
  std::string wanted = upper(subject);
  std::vector<std::pair<size_t, std::string>> all;
  auto add = [&](const char* name) { all.emplace_back(distance(wanted, upper(name)), name); };
  for (const Rule& rule : all_rules()) add(rule.id);
  for (const Requirement& requirement : all_requirements()) add(requirement.id);
  for (const RealFailure& failure : all_failures()) add(failure.id);
  for (const Page& page : all_pages()) add(page.name);
  std::sort(all.begin(), all.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(count, all.size()); ++i) names.push_back(all[i].second);
  return names;
}

}  // namespace verifier
