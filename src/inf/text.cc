#include "inf/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/utf.h"

namespace inf {
namespace {

constexpr size_t kMostLetters = 4096;  // of a field: general-syntax-rules-for-inf-files, "INF Size Limits"
constexpr size_t kMostLettersOfSection = 255;

// The text is little-endian, as this machine is.
base::Expected<Text, std::string> from_utf16(std::string_view bytes) {
  if (bytes.size() % 2 != 0) return std::string("is UTF-16 with half a letter at its end");
  std::u16string units(bytes.size() / 2, u'\0');
  std::memcpy(units.data(), bytes.data(), bytes.size());
  Text out{.text = {}, .utf16 = true};
  for (std::u16string_view left = units; !left.empty();) {
    auto letter = base::first_character(left);
    if (!letter) return fmt::format("is UTF-16 with half a letter at byte {}", (units.size() - left.size()) * 2);
    base::append_character(out.text, letter->value);
    left.remove_prefix(letter->length);
  }
  return out;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t length = base::utf8_sequence_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string from_latin1(std::string_view bytes) {
  std::string out;
  for (char c : bytes) base::append_character(out, static_cast<uint8_t>(c));
  return out;
}

Text from_bytes(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  return {.text = is_utf8(bytes) ? std::string(bytes) : from_latin1(bytes), .utf16 = false};
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }
bool is_break(char c) { return c == '\n' || c == '\r'; }

constexpr char kEndOfText = 0x1A;  // what editors of old left at the end of a file

bool is_text(std::string_view text) {
  for (char c : text) {
    bool control = static_cast<uint8_t>(c) < 0x20 || c == 0x7F;
    if (control && !is_blank(c) && !is_break(c) && c != kEndOfText) return false;
  }
  return true;
}

void trim(std::string& text) {
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  text.erase(0, begin);
}

}  // namespace

base::Expected<Text, std::string> decode_inf(std::string_view bytes) {
  if (bytes.starts_with("\xFE\xFF")) return std::string("is UTF-16 with its bytes the wrong way round");
  auto decoded = bytes.starts_with("\xFF\xFE") ? from_utf16(bytes.substr(2)) : from_bytes(bytes);
  if (decoded.ok() && !is_text(decoded.value().text)) return std::string("is no text");
  return decoded;
}

Lexer::Lexer(std::string_view text) : text_(text) {
  skip_blank_lines();
  while (!at_end() && text_[at_] != '[') {
    skip_rest_of_line();
    skip_blank_lines();
  }
}

std::nullopt_t Lexer::refuse(uint32_t line, std::string_view why) {
  error_ = fmt::format("line {}: {}", line, why);
  at_ = text_.size();
  return std::nullopt;
}

void Lexer::skip_rest_of_line() {
  while (!at_end() && !is_break(text_[at_])) ++at_;
}

void Lexer::skip_blank_lines() {
  while (!at_end()) {
    char c = text_[at_];
    if (c == ';') {
      skip_rest_of_line();
    } else if (is_break(c)) {
      if (c == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
      ++at_;
      ++line_;
    } else if (is_blank(c) || c == kEndOfText) {
      ++at_;
    } else {
      return;
    }
  }
}

std::optional<Line> Lexer::next() {
  skip_blank_lines();
  if (at_end()) return std::nullopt;
  return text_[at_] == '[' ? heading() : entry();
}

// Text after the bracket is ignored. A name may contain a character that would begin a comment elsewhere.
std::optional<Line> Lexer::heading() {
  size_t end = text_.find_first_of("]\r\n", at_);
  if (end == std::string_view::npos || text_[end] != ']') return refuse(line_, "the name of a section has no ]");
  Line out;
  out.line = line_;
  out.heading = true;
  out.section = text_.substr(at_ + 1, end - at_ - 1);
  if (out.section.empty()) return refuse(line_, "a section has no name");
  if (out.section.size() > kMostLettersOfSection) {
    return refuse(line_, fmt::format("the name of a section has more than {} letters", kMostLettersOfSection));
  }
  at_ = end;
  skip_rest_of_line();
  return out;
}

// One letter of a field.
bool Lexer::take(std::string& field) {
  char c = text_[at_++];
  if (static_cast<uint8_t>(c) >= 0x80 && foreign_line_ == 0) foreign_line_ = line_;
  field += c;
  if (field.size() <= kMostLetters) return true;
  refuse(line_, fmt::format("a field has more than {} letters", kMostLetters));
  return false;
}

// From one quotation mark to the next; two in a row stand for one. A quoted string may go over lines, but not into a
// section: then its end was forgotten.
bool Lexer::quoted(std::string& field) {
  uint32_t begin = line_;
  bool line_begins = false;
  ++at_;
  while (!at_end()) {
    char c = text_[at_];
    if (c == '"') {
      ++at_;
      if (at_end() || text_[at_] != '"') return true;
    }
    if (line_begins && c == '[') break;
    line_begins = is_break(c) || (line_begins && is_blank(c));
    if (c == '\n' || (c == '\r' && !text_.substr(at_ + 1).starts_with('\n'))) ++line_;
    if (!take(field)) return false;
  }
  refuse(begin, "a string is not closed");
  return false;
}

// %name% outside of quotes, where a semicolon begins no comment and a comma ends nothing. A percent sign without a
// second one in the line stands for itself.
bool Lexer::token(std::string& field) {
  size_t end = text_.find_first_of("%\r\n", at_ + 1);
  bool whole = end != std::string_view::npos && text_[end] == '%';
  size_t last = whole ? end : at_;
  while (at_ <= last) {
    if (!take(field)) return false;
  }
  return true;
}

// At a backslash: whether nothing but a comment follows in the line, so that the next line continues it. If so, moves
// to that line.
bool Lexer::continues() {
  size_t ahead = at_ + 1;
  while (ahead < text_.size() && is_blank(text_[ahead])) ++ahead;
  if (ahead < text_.size() && text_[ahead] == ';') ahead = std::min(text_.find_first_of("\r\n", ahead), text_.size());
  if (ahead >= text_.size() || !is_break(text_[ahead])) return false;
  at_ = ahead + (text_.substr(ahead).starts_with("\r\n") ? 2 : 1);
  ++line_;
  return true;
}

std::optional<Line> Lexer::entry() {
  Line out;
  out.line = line_;
  std::string kept;   // of the field, up to the last quotation mark
  std::string field;  // what followed it, blanks around it not yet cut off
  auto keep = [&] {
    trim(field);
    kept += field;
    field.clear();
  };
  auto finish = [&] {
    keep();
    out.fields.push_back(std::move(kept));
    kept.clear();
  };
  while (!at_end()) {
    char c = text_[at_];
    if (is_break(c) || c == ';' || c == kEndOfText) break;
    if (c == '"') {
      keep();
      if (!quoted(kept)) return std::nullopt;
    } else if (c == '%') {
      if (!token(field)) return std::nullopt;
    } else if (c == ',' || (c == '=' && out.fields.empty())) {
      out.has_key = out.has_key || c == '=';
      finish();
      ++at_;
    } else if (c != '\\' || !continues()) {
      if (!take(field)) return std::nullopt;
    }
  }
  finish();
  skip_rest_of_line();
  return out;
}

}  // namespace inf
