#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "verifier/rules/rules.h"

namespace verifier {

// Whose duty a requirement is.
enum class Who : uint8_t { Client, Umd, Kmd, Host };
const char* to_string(Who who);

// What Drydock does with a requirement. Unchecked: it cannot be seen here. Unbuilt: the part that could see it is
// missing.
enum class State : uint8_t { Checked, Guaranteed, Unchecked, Unbuilt };
const char* to_string(State state);

// The part of the contract that a rule or a requirement belongs to.
enum class Area : uint8_t { Nt, Client, Umd, Kmd, Ks, Inf };
const char* to_string(Area area);

// A requirement that has no rule of its own. Rows of catalogue.def, which says what the columns mean; never changes.
struct Requirement {
  const char* id;
  RuleClass rule_class;
  Who who;
  const char* since;
  const char* title;
  const char* requirement;
  std::array<const char*, 4> pages;  // null after the last
  Area area;
  State state;
  const char* rule;   // Checked: the id of the rule that reports it; else null
  const char* proof;  // Checked: a program below drivers/bad. Guaranteed: a test. Unchecked, Unbuilt: the reason
};

// Something that real drivers did wrong on Windows. Rows of catalogue.def; never changes.
struct RealFailure {
  const char* id;
  const char* stage;
  const char* what;
  const char* windows;
  const char* source;
  const char* rule;   // null when it is not caught
  const char* proof;  // caught: a program below drivers/bad; else the reason why it is not

  bool caught() const { return rule != nullptr; }
};

// In the order of catalogue.def.
std::span<const Requirement> all_requirements();
std::span<const RealFailure> all_failures();

// By id, in any case of letters; null for none.
const Requirement* find_requirement(std::string_view id);
const RealFailure* find_failure(std::string_view id);

// By the folder of its example.
Area area_of(const Rule& rule);

}  // namespace verifier
