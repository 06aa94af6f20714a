#include "verifier/rules/rules.h"

#include <fmt/format.h>
#include <strings.h>

#include "base/check.h"
#include "verifier/finding/text.h"

namespace verifier {
namespace {

#define PAGES(...) \
  { __VA_ARGS__ }
constexpr Rule kRules[] = {
#define RULE(violation, id, rule_class, then, title, requirement, pages, windows, check, example) \
  {nt::Violation::violation,                                                                      \
   id,                                                                                            \
   RuleClass::rule_class,                                                                         \
   nt::Then::then,                                                                                \
   title,                                                                                         \
   requirement,                                                                                   \
   {pages},                                                                                       \
   windows,                                                                                       \
   check,                                                                                         \
   example},
#include "verifier/rules/rules.def"
#undef RULE
};
#undef PAGES

// The table is ordered by family, and nt's list of violations by its own order. This index joins the two; there is a
// rule for each violation.
struct Index {
  uint16_t rule[nt::kViolationCount];
  bool complete;
};
constexpr Index make_index() {
  Index index{{}, std::size(kRules) == nt::kViolationCount};
  bool seen[nt::kViolationCount] = {};
  for (size_t i = 0; i < std::size(kRules); ++i) {
    auto what = static_cast<size_t>(kRules[i].violation);
    if (seen[what]) index.complete = false;
    seen[what] = true;
    index.rule[what] = static_cast<uint16_t>(i);
  }
  return index;
}
constexpr Index kIndex = make_index();
static_assert(kIndex.complete, "every nt::Violation has exactly one row in rules.def");

// A rule that the pages only recommend neither ends a run nor fails it: later findings can be trusted.
constexpr bool warnings_go_on() {
  for (const Rule& rule : kRules) {
    if (level_of(rule.rule_class) == Level::Warning && rule.then == nt::Then::Stop) return false;
  }
  return true;
}
static_assert(warnings_go_on(), "a rule of class Should or Advice says GoOn");

}  // namespace

const char* to_string(RuleClass rule_class) {
  switch (rule_class) {
    case RuleClass::Must:
      return "must";
    case RuleClass::Should:
      return "should";
    case RuleClass::Policy:
      return "policy";
    case RuleClass::Observed:
      return "observed";
    case RuleClass::Advice:
      return "advice";
  }
  return "";
}

const char* in_words(RuleClass rule_class) {
  switch (rule_class) {
    case RuleClass::Must:
      return "must: the documentation requires it";
    case RuleClass::Should:
      return "should: the documentation recommends it, which is a warning";
    case RuleClass::Policy:
      return "policy: the documentation is silent, Drydock asks for it";
    case RuleClass::Observed:
      return "observed: others have seen Windows behave so";
    case RuleClass::Advice:
      return "advice: Windows lets it pass, and there is a better way, which is a warning";
  }
  return "";
}

const char* to_string(Level level) { return level == Level::Error ? "error" : "warning"; }

std::span<const Rule> all_rules() { return kRules; }

const Rule& rule_for(nt::Violation what) {
  auto index = static_cast<size_t>(what);
  CHECK(index < nt::kViolationCount);
  return kRules[kIndex.rule[index]];
}

const Rule* find_rule(std::string_view id) {
  for (const Rule& rule : kRules) {
    if (id.size() == std::string_view(rule.id).size() && strncasecmp(id.data(), rule.id, id.size()) == 0) return &rule;
  }
  return nullptr;
}

std::string page_address(const char* page) {
  return fmt::format("https://learn.microsoft.com/windows-hardware/drivers/{}", page);
}

std::string explain_command(std::string_view rule_id) { return fmt::format("drydock explain {}", rule_id); }

std::vector<std::string> read_next(const Rule& rule) {
  std::vector<std::string> out = {explain_command(rule.id)};
  for (const char* page : rule.pages) {
    if (page) out.push_back(page_address(page));
  }
  return out;
}

std::string explain(const Rule& rule) {
  std::string out = fmt::format("{}: {}\n", rule.id, rule.title);
  append_section(out, "What is required", rule.requirement);
  append_section(out, "Who says so", in_words(rule.rule_class));
  for (const char* page : rule.pages) {
    if (page) append_wrapped(out, 2, page_address(page));
  }
  append_section(out, "What Windows does", *rule.windows ? rule.windows : "The pages name no bug check for it.");
  append_section(out, "How Drydock sees it", rule.check);
  append_wrapped(out, 2,
                 rule.then == nt::Then::Stop ? "The run ends there: what came after it could not be trusted."
                                             : "The run goes on after it.");
  append_section(out, "A driver that breaks it", fmt::format("drivers/bad/{}", rule.example));
  return out;
}

}  // namespace verifier
