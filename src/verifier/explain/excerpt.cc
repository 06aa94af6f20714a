#include "verifier/explain/excerpt.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace verifier {
namespace {

struct Line {
  std::string_view text;
  bool in_wrong;
  bool in_right;

  bool changes() const { return in_wrong != in_right; }
};

// What belongs together at the outermost level of a file: a function, a group of definitions.
struct Chunk {
  std::vector<Line> lines;
  bool changes = false;
};

bool is_directive(std::string_view line, std::string_view directive) {
  if (line.empty() || line[0] != '#') return false;
  line.remove_prefix(1);
  while (!line.empty() && line[0] == ' ') line.remove_prefix(1);
  return line.starts_with(directive);
}

// Splits a file into chunks and finds out which lines are in which form of the program.
class Splitter {
 public:
  std::vector<Chunk> split(std::string_view source) {
    while (!source.empty()) {
      size_t end = std::min(source.find('\n'), source.size());
      take(source.substr(0, end));
      source.remove_prefix(std::min(end + 1, source.size()));
    }
    close();
    return std::move(chunks_);
  }

 private:
  enum class Open : uint8_t { Other, Wrong, Right };  // a conditional that is open, and which form its lines are in

  void take(std::string_view line) {
    if (line.empty() && !in_body_ && !inside_fixed()) return close();
    if (directive(line)) return;
    chunk_.lines.push_back({line, !inside(Open::Right), !inside(Open::Wrong)});
    // Bodies of functions and initialisers end with a brace in the first column, and nothing else does.
    if (line.starts_with('}')) in_body_ = false;
    if (line.ends_with('{')) in_body_ = true;
  }

  // True for the lines that only choose between the forms.
  bool directive(std::string_view line) {
    if (is_directive(line, "ifdef FIXED") || is_directive(line, "ifndef FIXED")) {
      open_.push_back(is_directive(line, "ifdef") ? Open::Right : Open::Wrong);
      chunk_.changes = true;
      return true;
    }
    if (is_directive(line, "if")) open_.push_back(Open::Other);
    if (open_.empty()) return false;
    bool ours = open_.back() != Open::Other;
    if (is_directive(line, "else") && ours) open_.back() = open_.back() == Open::Right ? Open::Wrong : Open::Right;
    if (is_directive(line, "endif")) open_.pop_back();
    return ours && (is_directive(line, "else") || is_directive(line, "endif"));
  }

  bool inside(Open what) const { return std::find(open_.begin(), open_.end(), what) != open_.end(); }
  bool inside_fixed() const { return inside(Open::Wrong) || inside(Open::Right); }

  void close() {
    if (!chunk_.lines.empty() || chunk_.changes) chunks_.push_back(std::move(chunk_));
    chunk_ = {};
    in_body_ = false;
  }

  std::vector<Chunk> chunks_;
  Chunk chunk_;
  std::vector<Open> open_;
  bool in_body_ = false;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool mentions(const Chunk& chunk, std::string_view name) {
  return std::any_of(chunk.lines.begin(), chunk.lines.end(), [&](const Line& line) {
    for (size_t at = line.text.find(name); at != std::string_view::npos; at = line.text.find(name, at + 1)) {
      size_t end = at + name.size();
      bool whole = (at == 0 || !is_word(line.text[at - 1])) && (end == line.text.size() || !is_word(line.text[end]));
      if (whole) return true;
    }
    return false;
  });
}

// Macros that have another meaning in each form.
std::vector<std::string_view> changing_macros(const std::vector<Chunk>& chunks) {
  constexpr std::string_view kDefine = "#define ";
  std::vector<std::string_view> names;
  for (const Chunk& chunk : chunks) {
    for (const Line& line : chunk.lines) {
      if (!line.changes() || !line.text.starts_with(kDefine)) continue;
      std::string_view name = line.text.substr(kDefine.size());
      size_t end = 0;
      while (end < name.size() && is_word(name[end])) ++end;
      names.push_back(name.substr(0, end));
    }
  }
  return names;
}

// A long chunk is shown from its first line on, and then only near what changes.
constexpr size_t kWhole = 32, kNear = 8;

std::string form_of(const Chunk& chunk, bool Line::*in_form) {
  auto near_a_change = [&](size_t i) {
    size_t first = i < kNear ? 0 : i - kNear, last = std::min(i + kNear + 1, chunk.lines.size());
    auto around = std::span(chunk.lines).subspan(first, last - first);
    return std::any_of(around.begin(), around.end(), [](const Line& line) { return line.changes(); });
  };
  std::string out;
  bool left_out = false;
  for (size_t i = 0; i < chunk.lines.size(); ++i) {
    const Line& line = chunk.lines[i];
    if (!(line.*in_form)) continue;
    bool shown = chunk.lines.size() <= kWhole || i == 0 || line.text.starts_with('}') || near_a_change(i);
    if (shown) out += std::string(line.text) + "\n";
    if (!shown && !left_out) out += "  …\n";
    left_out = !shown;
  }
  return out;
}

std::string form_of(const std::vector<Chunk>& chunks, bool Line::*in_form) {
  std::string out;
  for (const Chunk& chunk : chunks) {
    std::string text = form_of(chunk, in_form);
    if (!out.empty() && !text.empty()) out += '\n';
    out += text;
  }
  return out;
}

// Takes the comment that a file begins with, as one line.
std::string take_heading(std::string_view& source) {
  std::string out;
  bool block = source.starts_with("/*");
  while (source.starts_with("//") || block) {
    std::string_view line = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(line.size() + 1, source.size()));
    if (block && line.ends_with("*/")) {
      block = false;
      line.remove_suffix(2);
    }
    line.remove_prefix(std::min(line.find_first_not_of("/* "), line.size()));
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (!out.empty() && !line.empty()) out += ' ';
    out += line;
    if (source.empty()) break;
  }
  return out;
}

void keep_if(std::vector<Chunk>& chunks, const std::function<bool(const Chunk&)>& wanted) {
  chunks.erase(std::remove_if(chunks.begin(), chunks.end(), [&](const Chunk& chunk) { return !wanted(chunk); }),
               chunks.end());
}

// What changes and what uses it. A program whose fault lies in what it shares with others is shown whole after that.
std::vector<Chunk> what_matters(std::vector<Chunk> own, std::vector<Chunk> shared) {
  auto changes = [](const Chunk& chunk) { return chunk.changes; };
  if (std::any_of(own.begin(), own.end(), changes)) {
    std::vector<std::string_view> macros = changing_macros(own);
    keep_if(own, [&](const Chunk& chunk) {
      return chunk.changes ||
             std::any_of(macros.begin(), macros.end(), [&](std::string_view name) { return mentions(chunk, name); });
    });
    return own;
  }
  keep_if(shared, changes);
  keep_if(own, [](const Chunk& chunk) { return !is_directive(chunk.lines.front().text, "include"); });
  shared.insert(shared.end(), own.begin(), own.end());
  return shared;
}

}  // namespace

Excerpt excerpt_of(std::string_view source, std::string_view shared) {
  Excerpt excerpt;
  std::string heading = take_heading(source);
  size_t fix = heading.find("FIXED ");
  excerpt.does = heading.substr(0, fix);
  while (excerpt.does.ends_with(' ')) excerpt.does.pop_back();
  if (fix != std::string::npos) excerpt.fixed = heading.substr(fix + 6);
  std::vector<Chunk> chunks = what_matters(Splitter().split(source), Splitter().split(shared));
  excerpt.wrong = form_of(chunks, &Line::in_wrong);
  excerpt.right = form_of(chunks, &Line::in_right);
  return excerpt;
}

}  // namespace verifier
