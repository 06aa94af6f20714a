#include "verifier/finding/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace verifier {

void append_wrapped(std::string& out, size_t indent, std::string_view text) {
  constexpr size_t kWidth = 100;
  size_t column = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column != 0 && column + 1 + word.size() > kWidth) {
      out += '\n';
      column = 0;
    }
    out.append(column == 0 ? indent : 1, ' ');
    column += (column == 0 ? indent : 1) + word.size();
    out += word;
  }
  out += '\n';
}

void append_section(std::string& out, std::string_view heading, std::string_view text) {
  out += fmt::format("\n{}\n", heading);
  append_wrapped(out, 2, text);
}

void append_lines(std::string& out, size_t indent, std::string_view lines) {
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    if (!line.empty()) out.append(indent, ' ');
    out += line;
    out += '\n';
  }
}

}  // namespace verifier
