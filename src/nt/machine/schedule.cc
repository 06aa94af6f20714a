#include "nt/machine/schedule.h"

#include <fmt/format.h>

#include "base/number.h"
#include "base/planted.h"

namespace nt {
namespace {

constexpr size_t kMaxEntries = 20'000'000;  // a file is not trusted with more memory than this takes
constexpr std::string_view kMagic = "drydock schedule 1";

char letter(Decision kind) { return kind == Decision::Pick ? 'p' : kind == Decision::Fuel ? 'f' : 'c'; }

std::optional<Decision> decision_of(char c) {
  switch (c) {
    case 'p':
      return Decision::Pick;
    case 'f':
      return Decision::Fuel;
    case 'c':
      return Decision::Choice;
    default:
      return std::nullopt;
  }
}

// Takes the next line off `text`; false at its end.
bool next_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  size_t end = text.find('\n');
  line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return true;
}

template <typename Int>
bool parse(std::string_view word, Int& out) {
  auto value = base::parse_number<Int>(word);
  if (value) out = *value;
  return value.has_value();
}

// Takes the next space-separated word off `line`.
std::string_view next_word(std::string_view& line) {
  size_t end = line.find(' ');
  std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

bool parse_header(std::string_view line, Schedule::Header& header) {
  size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return false;
  std::string_view key = line.substr(0, colon), value = line.substr(colon + 2);
  if (key == "driver") return header.driver = value, true;
  if (key == "build-id") return header.build_id = value, true;
  if (key == "scenario") return header.scenario = value, true;
  if (key == "seed") return parse(value, header.seed);
  if (key == "processors") return parse(value, header.processors);
  if (key == "hang-edges") return parse(value, header.hang_edges);
  return false;
}

bool parse_entry(std::string_view line, std::vector<Schedule::Entry>& entries) {
  std::string_view kind = next_word(line);
  Schedule::Entry entry{};
  if (kind.size() != 1 || !decision_of(kind[0])) return false;
  entry.kind = *decision_of(kind[0]);
  if (!parse(next_word(line), entry.bound) || !parse(next_word(line), entry.value)) return false;
  if (entry.value >= entry.bound && !base::planted("nt_schedule_fuzz")) return false;
  uint32_t times = 1;
  if (!line.empty()) {
    if (line[0] != 'x' || !parse(line.substr(1), times) || times == 0) return false;
  }
  if (times > kMaxEntries - entries.size()) return false;
  entries.insert(entries.end(), times, entry);
  return true;
}

}  // namespace

std::string Schedule::to_text() const {
  std::string out = fmt::format("{}\ndriver: {}\nbuild-id: {}\nscenario: {}\nseed: {}\nprocessors: {}\n", kMagic,
                                header.driver, header.build_id, header.scenario, header.seed, header.processors);
  if (header.hang_edges) fmt::format_to(std::back_inserter(out), "hang-edges: {}\n", header.hang_edges);
  out += '\n';
  for (size_t i = 0; i < entries.size();) {
    size_t run = 1;
    while (i + run < entries.size() && entries[i + run] == entries[i]) ++run;
    fmt::format_to(std::back_inserter(out), "{} {} {}", letter(entries[i].kind), entries[i].bound, entries[i].value);
    if (run > 1) fmt::format_to(std::back_inserter(out), " x{}", run);
    out += '\n';
    i += run;
  }
  return out;
}

base::Expected<Schedule, std::string> Schedule::from_text(std::string_view text) {
  std::string_view line;
  if (!next_line(text, line) || line != kMagic)
    return fmt::format("not a schedule: the first line is not '{}'", kMagic);
  Schedule schedule;
  size_t number = 1;
  while (next_line(text, line) && ++number && !line.empty()) {
    if (!parse_header(line, schedule.header)) return fmt::format("line {}: not a header line: '{}'", number, line);
  }
  while (next_line(text, line)) {
    ++number;
    if (!parse_entry(line, schedule.entries)) return fmt::format("line {}: not a decision: '{}'", number, line);
  }
  return schedule;
}

}  // namespace nt
