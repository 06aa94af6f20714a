#include "host/capture/capture_script.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "base/number.h"

namespace host {
namespace {

using Verb = CaptureStep::Verb;

struct Word {
  const char* text;
  Verb verb;
  bool number;  // it needs one
};

constexpr Word kWords[] = {
    {"stop", Verb::Stop, false},
    {"acquire", Verb::Acquire, false},
    {"pause", Verb::Pause, false},
    {"run", Verb::Run, false},
    {"read", Verb::Read, true},
    {"send", Verb::Send, true},
    {"wait", Verb::Wait, true},
    {"cancel", Verb::Cancel, false},
    {"reset-begin", Verb::ResetBegin, false},
    {"reset-end", Verb::ResetEnd, false},
    {"header-bytes", Verb::HeaderBytes, true},
    {"frame-bytes", Verb::FrameBytes, true},
    {"rest", Verb::Rest, true},
    {"sleep", Verb::Sleep, false},
    {"wake", Verb::Wake, false},
    {"remove", Verb::Remove, false},
};

const Word* find_word(const std::string& text) {
  for (const Word& word : kWords) {
    if (text == word.text) return &word;
  }
  return nullptr;
}

std::optional<uint32_t> parse_number(const std::string& text) {
  auto value = base::parse_number<uint32_t>(text);
  return value && *value <= 1'000'000 ? value : std::nullopt;
}

}  // namespace

const char* to_string(Verb verb) {
  for (const Word& word : kWords) {
    if (word.verb == verb) return word.text;
  }
  return "?";
}

base::Expected<CaptureScript, std::string> CaptureScript::parse(const std::string& text) {
  CaptureScript script;
  std::istringstream lines(text);
  std::string line;
  for (uint32_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string verb, argument, more;
    words >> verb >> argument >> more;
    if (verb.empty()) continue;
    const Word* word = find_word(verb);
    if (!word) return fmt::format("line {}: there is no step '{}'", number, verb);
    std::optional<uint32_t> value = argument.empty() ? std::nullopt : parse_number(argument);
    if (!more.empty() || word->number != !argument.empty() || (word->number && !value)) {
      return fmt::format("line {}: '{}' takes {}", number, verb, word->number ? "a number up to 1000000" : "nothing");
    }
    script.steps.push_back({word->verb, value.value_or(0), number});
  }
  if (script.steps.empty()) return std::string("no step in it");
  return script;
}

}  // namespace host
