#include "host/inf_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace host {
namespace {

constexpr size_t kMostLetters = 4096;  // of a field: general-syntax-rules-for-inf-files, "INF Size Limits"
constexpr size_t kMostLettersOfSection = 255;

uint8_t byte_at(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }

void append_utf8(std::string& out, uint32_t letter) {
  auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((letter >> shift) & 0x3F)); };
  if (letter < 0x80) {
    out += static_cast<char>(letter);
  } else if (letter < 0x800) {
    out += static_cast<char>(0xC0 | (letter >> 6));
    tail(0);
  } else if (letter < 0x10000) {
    out += static_cast<char>(0xE0 | (letter >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (letter >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::optional<std::string> from_utf16(std::string_view bytes, std::string* why) {
  if (bytes.size() % 2 != 0) {
    *why = "is UTF-16 with half a letter at its end";
    return std::nullopt;
  }
  std::string out;
  auto unit = [&](size_t at) -> uint32_t { return byte_at(bytes, at) | uint32_t{byte_at(bytes, at + 1)} << 8; };
  for (size_t at = 0; at < bytes.size(); at += 2) {
    uint32_t letter = unit(at);
    bool first_half = letter >= 0xD800 && letter < 0xDC00;
    bool second_follows = first_half && at + 2 < bytes.size() && unit(at + 2) >= 0xDC00 && unit(at + 2) < 0xE000;
    if ((letter >= 0xD800 && letter < 0xE000) && !second_follows) {
      *why = fmt::format("is UTF-16 with half a letter at byte {}", at);
      return std::nullopt;
    }
    if (second_follows) {
      letter = 0x10000 + ((letter - 0xD800) << 10) + (unit(at + 2) - 0xDC00);
      at += 2;
    }
    append_utf8(out, letter);
  }
  return out;
}

// How many bytes the letter at `at` has; 0 for one that UTF-8 does not know.
size_t utf8_letter(std::string_view bytes, size_t at) {
  uint8_t first = byte_at(bytes, at);
  if (first < 0x80) return 1;
  size_t count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || bytes.size() - at < count) return 0;
  for (size_t i = 1; i < count; ++i) {
    if ((byte_at(bytes, at + i) & 0xC0) != 0x80) return 0;
  }
  return count;
}

bool is_utf8(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    size_t count = utf8_letter(bytes, at);
    if (count == 0) return false;
    at += count;
  }
  return true;
}

std::string from_latin1(std::string_view bytes) {
  std::string out;
  for (char c : bytes) append_utf8(out, static_cast<uint8_t>(c));
  return out;
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

std::optional<InfText> decode_inf(std::string_view bytes, std::string* why) {
  InfText out;
  if (bytes.starts_with("\xFF\xFE")) {
    out.utf16 = true;
    auto text = from_utf16(bytes.substr(2), why);
    if (!text) return std::nullopt;
    out.text = std::move(*text);
  } else if (bytes.starts_with("\xFE\xFF")) {
    *why = "is UTF-16 with its bytes the wrong way round";
    return std::nullopt;
  } else {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    out.text = is_utf8(bytes) ? std::string(bytes) : from_latin1(bytes);
  }
  if (!is_text(out.text)) {
    *why = "is no text";
    return std::nullopt;
  }
  return out;
}

InfLexer::InfLexer(std::string_view text) : text_(text) {
  skip_blank_lines();
  while (!at_end() && text_[at_] != '[') {
    skip_rest_of_line();
    skip_blank_lines();
  }
}

std::nullopt_t InfLexer::refuse(uint32_t line, std::string_view why) {
  error_ = fmt::format("line {}: {}", line, why);
  at_ = text_.size();
  return std::nullopt;
}

void InfLexer::skip_rest_of_line() {
  while (!at_end() && !is_break(text_[at_])) ++at_;
}

void InfLexer::skip_blank_lines() {
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

std::optional<InfLine> InfLexer::next() {
  skip_blank_lines();
  if (at_end()) return std::nullopt;
  return text_[at_] == '[' ? heading() : entry();
}

// What follows the bracket is of no account. A name may contain what would begin a comment elsewhere.
std::optional<InfLine> InfLexer::heading() {
  size_t end = text_.find_first_of("]\r\n", at_);
  if (end == std::string_view::npos || text_[end] != ']') return refuse(line_, "the name of a section has no ]");
  InfLine out;
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
bool InfLexer::take(std::string& field) {
  char c = text_[at_++];
  if (static_cast<uint8_t>(c) >= 0x80 && foreign_line_ == 0) foreign_line_ = line_;
  field += c;
  if (field.size() <= kMostLetters) return true;
  refuse(line_, fmt::format("a field has more than {} letters", kMostLetters));
  return false;
}

// From one quotation mark to the next; two of them are one that is meant. A quoted string may go over lines, but not
// into a section: then its end was forgotten.
bool InfLexer::quoted(std::string& field) {
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

// %name% outside of quotes, where a semicolon is no comment and a comma no end. A percent sign without its fellow in
// the line stands for itself.
bool InfLexer::token(std::string& field) {
  size_t end = text_.find_first_of("%\r\n", at_ + 1);
  bool whole = end != std::string_view::npos && text_[end] == '%';
  size_t last = whole ? end : at_;
  while (at_ <= last) {
    if (!take(field)) return false;
  }
  return true;
}

// At a backslash: whether nothing but a comment follows in the line, so that the next line belongs to it. Then that is
// where it stands.
bool InfLexer::continues() {
  size_t ahead = at_ + 1;
  while (ahead < text_.size() && is_blank(text_[ahead])) ++ahead;
  if (ahead < text_.size() && text_[ahead] == ';') ahead = std::min(text_.find_first_of("\r\n", ahead), text_.size());
  if (ahead >= text_.size() || !is_break(text_[ahead])) return false;
  at_ = ahead + (text_.substr(ahead).starts_with("\r\n") ? 2 : 1);
  ++line_;
  return true;
}

std::optional<InfLine> InfLexer::entry() {
  InfLine out;
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

}  // namespace host
