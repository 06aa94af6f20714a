#include "inf/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/planted.h"
#include "inf/text.h"

namespace inf {
namespace {

constexpr size_t kMostBytes = 8 << 20;  // the largest INF files of the world have two
constexpr size_t kMostLetters = 4096;   // of a field with its strings put in

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Of wdf/using-inx-files-to-create-inf-files.
bool is_template(const Line& line) {
  auto has = [](const std::string& text) { return text.find("$ARCH$") != std::string::npos; };
  return has(line.section) || std::ranges::any_of(line.fields, has);
}

bool is_strings(std::string_view folded) { return folded == "strings" || folded.starts_with("strings."); }

}  // namespace

std::string inf_folded(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

const std::string& Entry::value(size_t i) const {
  static const std::string kNone;
  return i < values.size() || base::planted("inf_file_fuzz") ? values[i] : kNone;
}

const Entry* Section::find(std::string_view key) const {
  std::string wanted = inf_folded(key);
  auto found = std::ranges::find_if(entries, [&](const Entry& entry) { return inf_folded(entry.key) == wanted; });
  return found == entries.end() ? nullptr : &*found;
}

base::Expected<File, std::string> File::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kMostBytes + 1, 0);  // parse refuses more
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.is_open() || file.bad()) return fmt::format("{} cannot be read", path);
  bytes.resize(static_cast<size_t>(file.gcount()));
  return parse(bytes, path);
}

base::Expected<File, std::string> File::parse(std::string_view bytes, const std::string& name) {
  constexpr const char* kRefusal = "{} is no INF file: it {}";
  if (bytes.size() > kMostBytes) return fmt::format(kRefusal, name, fmt::format("has more than {} bytes", kMostBytes));
  auto decoded = decode_inf(bytes);
  if (!decoded.ok()) return fmt::format(kRefusal, name, decoded.error());
  Text text = decoded.take();
  File out;
  Lexer lexer(text.text);
  Section* open = nullptr;
  while (auto line = lexer.next()) {
    if (is_template(*line)) {
      return fmt::format("{} is a template ($ARCH$ in line {}): check the file that stampinf makes of it", name,
                         line->line);
    }
    if (line->heading) {
      open = &out.section(line->section, line->line);
      continue;
    }
    Entry& entry = open->entries.emplace_back();
    entry.line = line->line;
    if (line->has_key) entry.key = std::move(line->fields[0]);
    auto first = line->fields.begin() + (line->has_key ? 1 : 0);
    entry.values.assign(std::make_move_iterator(first), std::make_move_iterator(line->fields.end()));
  }
  if (!lexer.error().empty()) return fmt::format("{} is broken in {}", name, lexer.error());
  if (out.sections_.empty()) return fmt::format("{} is no INF file: it has no section", name);
  if (!text.utf16) out.foreign_line_ = lexer.foreign_line();
  out.collect_strings();
  out.put_in_strings();
  return out;
}

Section& File::section(const std::string& name, uint32_t line) {
  auto [found, fresh] = by_name_.try_emplace(inf_folded(name), sections_.size());
  if (fresh) sections_.push_back({name, {}, line});
  return sections_[found->second];
}

const Section* File::find(std::string_view section) const {
  auto found = by_name_.find(inf_folded(section));
  return found == by_name_.end() ? nullptr : &sections_[found->second];
}

// A key may be quoted or, as some write it, in percent signs.
void File::collect_strings() {
  for (const auto& [name, index] : by_name_) {  // "strings" comes before "strings.0407"
    if (!is_strings(name)) continue;
    for (const Entry& entry : sections_[index].entries) {
      std::string key = inf_folded(entry.key);
      if (key.size() > 2 && key.starts_with('%') && key.ends_with('%')) key = key.substr(1, key.size() - 2);
      if (!key.empty()) strings_.try_emplace(key, entry.value(0));
    }
  }
}

void File::put_in_strings() {
  for (Section& section : sections_) {
    if (is_strings(inf_folded(section.name))) continue;
    for (Entry& entry : section.entries) {
      entry.key = with_strings(entry.key, entry.line);
      for (std::string& value : entry.values) value = with_strings(value, entry.line);
    }
  }
}

std::string File::with_strings(const std::string& text, uint32_t line) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = text[at] == '%' ? text.find('%', at + 1) : std::string::npos;
    if (end == std::string::npos) {
      out += text[at++];
      continue;
    }
    std::string token = text.substr(at + 1, end - at - 1);
    at = end + 1;
    auto found = strings_.find(inf_folded(token));
    if (token.empty()) {
      out += '%';
    } else if (found != strings_.end()) {
      out += found->second;
    } else {
      if (!is_number(token)) undefined_.push_back({token, line});
      out += '%' + token + '%';
    }
    if (out.size() > kMostLetters) out.resize(kMostLetters);
  }
  return out;
}

}  // namespace inf
