#include "verifier/finding/suppressions.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "verifier/rules/rules.h"

namespace verifier {
namespace {

bool fits(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool names_a_rule(const std::string& pattern) {
  return std::ranges::any_of(all_rules(), [&](const Rule& rule) { return fits(pattern, rule.id); });
}

bool fits_place(const std::string& pattern, const Frame& frame) {
  return frame.driver && (fits(pattern, frame.function) || fits(pattern, fmt::format("{}:{}", frame.file, frame.line)));
}

bool fits_anything(const std::string& pattern, const Finding& finding) {
  if (fits(pattern, finding.sentence)) return true;
  return std::ranges::any_of(finding.stacks, [&](const FrameStack& stack) {
    return std::ranges::any_of(stack.frames, [&](const Frame& frame) { return fits_place(pattern, frame); });
  });
}

}  // namespace

base::Expected<Suppressions, std::string> Suppressions::parse(std::string_view text, const std::string& file) {
  Suppressions all;
  std::istringstream in{std::string(text)};
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    size_t comment = line.find('#');
    std::istringstream words(line.substr(0, comment));
    Line one{.where = fmt::format("{}:{}", file, number), .rule = {}, .pattern = {}};
    if (!(words >> one.rule)) continue;
    std::getline(words >> std::ws, one.pattern);
    while (!one.pattern.empty() && std::isspace(static_cast<unsigned char>(one.pattern.back()))) one.pattern.pop_back();
    if (!names_a_rule(one.rule)) {
      return fmt::format("{}: there is no rule '{}'; `drydock rules` lists them", one.where, one.rule);
    }
    all.lines_.push_back(std::move(one));
  }
  return all;
}

bool Suppressions::matches(const Finding& finding) {
  bool any = false;
  for (Line& line : lines_) {
    if (!fits(line.rule, finding.rule)) continue;
    if (!line.pattern.empty() && !fits_anything(line.pattern, finding)) continue;
    any = line.used = true;
  }
  return any;
}

std::vector<std::string> Suppressions::unused() const {
  std::vector<std::string> sentences;
  for (const Line& line : lines_) {
    if (line.used) continue;
    sentences.push_back(fmt::format("{}: the suppression '{}{}{}' matches nothing that was found", line.where,
                                    line.rule, line.pattern.empty() ? "" : " ", line.pattern));
  }
  return sentences;
}

}  // namespace verifier
