#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/catalogue/catalogue.h"

// `drydock rules`: every requirement on a driver, a client or the host, with what Drydock does with it.
namespace verifier {

inline constexpr const char* kRuleListSchema = "drydock-rules/1";

// What to list: one area, the failures of real drivers, or everything.
struct RuleSelection {
  std::optional<Area> area;
  bool failures = false;

  bool all() const { return !area && !failures; }
};
// The names that select() understands.
std::vector<std::string> selection_names();
std::optional<RuleSelection> select(std::string_view name);

// A rule is a requirement that is checked, so that both can be listed and counted together.
struct ListedRequirement {
  const char* id;
  Area area;
  RuleClass rule_class;
  State state;
  const char* title;
  const Rule* rule;                // one of the two
  const Requirement* requirement;  //
};
std::vector<ListedRequirement> listed_requirements(RuleSelection selection);

struct AreaCounts {
  size_t checked = 0, guaranteed = 0, unchecked = 0, unbuilt = 0;
  size_t total() const { return checked + guaranteed + unchecked + unbuilt; }
};
AreaCounts count(const std::vector<ListedRequirement>& listed);

// One line for each.
std::string rule_list(RuleSelection selection);
// The counts for each area and state.
std::string rule_summary(RuleSelection selection);
// One document that names its schema.
std::string rule_list_json(RuleSelection selection);
// docs/rules.md.
std::string rule_list_markdown();

}  // namespace verifier
