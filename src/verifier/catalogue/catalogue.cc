#include "verifier/catalogue/catalogue.h"

#include <strings.h>

namespace verifier {
namespace {

#define PAGES(...) \
  { __VA_ARGS__ }

// Each list closes with an empty row, which is not shown: a list may have no row at all.
constexpr Requirement kRequirements[] = {
#define CHECKED(id, rule_class, who, since, title, requirement, pages, rule, program) \
  {id, RuleClass::rule_class, Who::who, since, title, requirement, {pages}, Area::AREA, State::Checked, rule, program},
#define GUARANTEED(id, rule_class, who, since, title, requirement, pages, test)     \
  {id,         RuleClass::rule_class, Who::who, since, title, requirement, {pages}, \
   Area::AREA, State::Guaranteed,     nullptr,  test},
#define UNCHECKED(id, rule_class, who, since, title, requirement, pages, reason)    \
  {id,         RuleClass::rule_class, Who::who, since, title, requirement, {pages}, \
   Area::AREA, State::Unchecked,      nullptr,  reason},
#define UNBUILT(id, rule_class, who, since, title, requirement, pages, reason)      \
  {id,         RuleClass::rule_class, Who::who, since, title, requirement, {pages}, \
   Area::AREA, State::Unbuilt,        nullptr,  reason},
#define CAUGHT(...)
#define MISSED(...)
#include "verifier/catalogue/catalogue.def"
#undef CHECKED
#undef GUARANTEED
#undef UNCHECKED
#undef UNBUILT
#undef CAUGHT
#undef MISSED
    {},
};

constexpr RealFailure kFailures[] = {
#define CHECKED(...)
#define GUARANTEED(...)
#define UNCHECKED(...)
#define UNBUILT(...)
#define CAUGHT(id, stage, what, windows, source, rule, program) {id, stage, what, windows, source, rule, program},
#define MISSED(id, stage, what, windows, source, reason) {id, stage, what, windows, source, nullptr, reason},
#include "verifier/catalogue/catalogue.def"
#undef CHECKED
#undef GUARANTEED
#undef UNCHECKED
#undef UNBUILT
#undef CAUGHT
#undef MISSED
    {},
};
#undef PAGES

template <typename Row>
const Row* find(std::span<const Row> rows, std::string_view id) {
  for (const Row& row : rows) {
    if (id.size() == std::string_view(row.id).size() && strncasecmp(id.data(), row.id, id.size()) == 0) return &row;
  }
  return nullptr;
}

}  // namespace

const char* to_string(Who who) {
  switch (who) {
    case Who::Client:
      return "client";
    case Who::Umd:
      return "user-mode driver";
    case Who::Kmd:
      return "kernel-mode driver";
    case Who::Host:
      return "host";
  }
  return "";
}

const char* to_string(State state) {
  switch (state) {
    case State::Checked:
      return "checked";
    case State::Guaranteed:
      return "guaranteed";
    case State::Unchecked:
      return "not checkable";
    case State::Unbuilt:
      return "not built yet";
  }
  return "";
}

const char* to_string(Area area) {
  switch (area) {
    case Area::Nt:
      return "nt";
    case Area::Client:
      return "client";
    case Area::Umd:
      return "umd";
    case Area::Kmd:
      return "kmd";
    case Area::Ks:
      return "ks";
    case Area::Inf:
      return "inf";
  }
  return "";
}

std::span<const Requirement> all_requirements() { return std::span(kRequirements).first(std::size(kRequirements) - 1); }

std::span<const RealFailure> all_failures() { return std::span(kFailures).first(std::size(kFailures) - 1); }

const Requirement* find_requirement(std::string_view id) { return find(all_requirements(), id); }

const RealFailure* find_failure(std::string_view id) { return find(all_failures(), id); }

Area area_of(const Rule& rule) {
  std::string_view example = rule.example;
  for (Area area : {Area::Client, Area::Umd, Area::Kmd, Area::Ks, Area::Inf}) {
    std::string_view name = to_string(area);
    if (example.starts_with(name) && example[name.size()] == '/') return area;
  }
  return Area::Nt;
}

}  // namespace verifier
