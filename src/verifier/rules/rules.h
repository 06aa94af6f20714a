#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nt/machine/machine_observer.h"

namespace verifier {

// Where a rule comes from. In the order of their weight.
enum class RuleClass : uint8_t { Must, Observed, Policy, Should, Advice };
const char* to_string(RuleClass rule_class);
// What the class means, in words.
const char* in_words(RuleClass rule_class);

// What a finding does to a verdict: an error fails a run, a warning never does, in no kind of report.
enum class Level : uint8_t { Error, Warning };
const char* to_string(Level level);
// The one place that decides it. A class that warns has no rule that ends a run (rules.cc).
constexpr Level level_of(RuleClass rule_class) {
  return rule_class == RuleClass::Should || rule_class == RuleClass::Advice ? Level::Warning : Level::Error;
}

// One requirement on drivers, with its provenance. Rows of rules.def, which says what the columns mean; never changes.
struct Rule {
  nt::Violation violation;
  const char* id;
  RuleClass rule_class;
  nt::Then then;
  const char* title;
  const char* requirement;
  std::array<const char*, 3> pages;  // null after the last
  const char* windows;
  const char* check;
  const char* example;
};

// In the order of rules.def.
std::span<const Rule> all_rules();

const Rule& rule_for(nt::Violation what);
// By id, in any case of letters; null for none.
const Rule* find_rule(std::string_view id);
// Where a page of a rule is read.
std::string page_address(const char* page);

// "drydock explain NT-IRQL-03".
std::string explain_command(std::string_view rule_id);
// What to read next about the rule: the command that explains it, then its pages.
std::vector<std::string> read_next(const Rule& rule);

// What its row says, for a terminal of 100 columns. More is known to explain.h.
std::string explain(const Rule& rule);

}  // namespace verifier
