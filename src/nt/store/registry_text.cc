#include "nt/store/registry_text.h"

#include <fmt/format.h>

#include <cctype>

#include "base/planted.h"
#include "base/utf.h"

namespace nt {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool eat(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// One file, line by line. Each step returns what is wrong as a sentence, or "".
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::string run() {
    eat(rest_, "\xEF\xBB\xBF");
    std::string_view line;
    while (next(line)) {
      if (std::string wrong = parse_line(trimmed(line)); !wrong.empty()) return wrong;
    }
    return "";
  }

  size_t line() const { return line_; }
  std::vector<RegistryEntry> take() { return std::move(entries_); }

 private:
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_ = end == rest_.npos ? std::string_view() : rest_.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++line_;
    return true;
  }

  std::string parse_line(std::string_view line) {
    if (line.empty() || line[0] == ';') return "";
    if (line[0] == '[') return parse_key(line);
    if (entries_.empty() && !base::planted("nt_registry_fuzz")) return "a value before the first key";
    size_t begin = line_;
    RegistryValue value;
    if (std::string wrong = parse_name(line, value.name); !wrong.empty()) return wrong;
    line = trimmed(line);
    if (!eat(line, "=")) return "a value's name is followed by =";
    line = trimmed(line);
    std::string wrong = parse_data(line, value);
    entries_.push_back({entries_.back().key, std::move(value), begin});
    return wrong;
  }

  std::string parse_key(std::string_view line) {
    if (line.back() != ']') return "a key ends with ]";
    std::string_view inside = line.substr(1, line.size() - 2);
    std::string path;
    if (eat(inside, "HKEY_LOCAL_MACHINE")) {
      path = "\\Registry\\Machine";
    } else if (eat(inside, "HKEY_USERS")) {
      path = "\\Registry\\User";
    } else if (inside.substr(0, 1) != "\\") {
      return "a key begins with \\Registry, HKEY_LOCAL_MACHINE or HKEY_USERS";
    }
    path += inside;
    std::optional<std::u16string> wide = base::to_utf16(path);
    if (!wide) return "not UTF-8";
    entries_.push_back({std::move(*wide), std::nullopt, line_});
    return "";
  }

  static std::string parse_name(std::string_view& line, std::u16string& name) {
    if (eat(line, "@")) return "";
    if (line[0] != '"') return "a line is a [key], a \"name\"=, @= or a ; comment";
    return parse_string(line, name);
  }

  // From quote to quote; what follows stays in `line`.
  static std::string parse_string(std::string_view& line, std::u16string& out) {
    if (!eat(line, "\"")) return "a string begins with a quote";
    std::string bytes;
    while (!line.empty() && line[0] != '"') {
      char letter = line[0];
      line.remove_prefix(1);
      if (letter == '\\') {
        if (line.empty() || (line[0] != '"' && line[0] != '\\')) return "a backslash stands before \" or \\ only";
        letter = line[0];
        line.remove_prefix(1);
      }
      bytes += letter;
    }
    if (!eat(line, "\"")) return "a string without its closing quote";
    std::optional<std::u16string> wide = base::to_utf16(bytes);
    if (!wide) return "not UTF-8";
    out = std::move(*wide);
    return "";
  }

  std::string parse_data(std::string_view line, RegistryValue& value) {
    if (line.substr(0, 1) == "\"") return parse_strings(line, value, REG_SZ);
    if (eat(line, "expand:")) return parse_strings(line, value, REG_EXPAND_SZ);
    if (eat(line, "multi:")) return parse_strings(line, value, REG_MULTI_SZ);
    if (eat(line, "dword:")) return parse_number(line, value, REG_DWORD, 4);
    if (eat(line, "qword:")) return parse_number(line, value, REG_QWORD, 8);
    if (eat(line, "hex:")) return parse_hex(line, value, REG_BINARY);
    if (eat(line, "hex(")) {
      size_t end = line.find("):");
      std::optional<uint64_t> type = hex_number(line.substr(0, end), 8);
      if (end == line.npos || !type) return "hex( is followed by the type's number and ):";
      return parse_hex(line.substr(end + 2), value, static_cast<uint32_t>(*type));
    }
    return "a value is a \"string\", expand:, multi:, dword:, qword:, hex: or hex(n):";
  }

  static void append(RegistryValue& value, const std::u16string& text) {
    for (size_t i = 0; i <= text.size(); ++i) {
      char16_t unit = i < text.size() ? text[i] : u'\0';
      value.data.push_back(static_cast<uint8_t>(unit));
      value.data.push_back(static_cast<uint8_t>(unit >> 8));
    }
  }

  static std::string parse_strings(std::string_view line, RegistryValue& value, uint32_t type) {
    value.type = type;
    bool list = type == REG_MULTI_SZ;
    for (bool first = true; !(list && first && line.empty()); first = false) {
      std::u16string text;
      if (std::string wrong = parse_string(line, text); !wrong.empty()) return wrong;
      append(value, text);
      line = trimmed(line);
      if (!list || !eat(line, ",")) break;
      line = trimmed(line);
    }
    if (list) append(value, u"");
    return line.empty() ? "" : "something follows the value";
  }

  static std::optional<uint64_t> hex_number(std::string_view digits, size_t most) {
    if (digits.empty() || digits.size() > most) return std::nullopt;
    uint64_t number = 0;
    for (char digit : digits) {
      auto letter = static_cast<unsigned char>(digit);
      if (!std::isxdigit(letter)) return std::nullopt;
      number =
          number << 4 | static_cast<uint64_t>(std::isdigit(letter) ? letter - '0' : std::tolower(letter) - 'a' + 10);
    }
    return number;
  }

  static std::string parse_number(std::string_view line, RegistryValue& value, uint32_t type, size_t bytes) {
    std::optional<uint64_t> number = hex_number(line, 2 * bytes);
    if (!number) return fmt::format("a number of 1 to {} hexadecimal digits is expected", 2 * bytes);
    value.type = type;
    for (size_t i = 0; i < bytes; ++i) value.data.push_back(static_cast<uint8_t>(*number >> 8 * i));
    return "";
  }

  std::string parse_hex(std::string_view line, RegistryValue& value, uint32_t type) {
    value.type = type;
    for (;;) {
      line = trimmed(line);
      if (eat(line, "\\")) {
        if (!trimmed(line).empty()) return "a backslash that joins lines is the last of its line";
        if (!next(line)) return "a backslash joins the last line to nothing";
        continue;
      }
      if (line.empty()) return "";
      std::optional<uint64_t> byte = hex_number(trimmed(line.substr(0, line.find_first_of(",\\"))), 2);
      if (!byte) return "bytes are one or two hexadecimal digits with commas between";
      value.data.push_back(static_cast<uint8_t>(*byte));
      size_t end = line.find_first_of(",\\");
      line = end == line.npos ? std::string_view() : line.substr(line[end] == ',' ? end + 1 : end);
    }
  }

  std::string_view rest_;
  size_t line_ = 0;
  std::vector<RegistryEntry> entries_;
};

base::Failure failed(std::string* message, std::string sentence) {
  if (message) *message = std::move(sentence);
  return base::Failure(STATUS_INVALID_PARAMETER, "the text of a registry is not well formed");
}

}  // namespace

base::Result<std::vector<RegistryEntry>> parse_registry(std::string_view text, const std::string& file,
                                                        std::string* message) {
  Parser parser(text);
  if (std::string wrong = parser.run(); !wrong.empty()) {
    return failed(message, fmt::format("{}:{}: {}", file, parser.line(), wrong));
  }
  return parser.take();
}

base::Result<> load_registry(Registry& registry, std::string_view text, const std::string& file, std::string* message) {
  std::vector<RegistryEntry> entries = TRY(parse_registry(text, file, message));
  for (const RegistryEntry& entry : entries) {
    auto key = registry.make_path(entry.key);
    base::Result<> done = key.ok() ? base::Result<>() : key.failure();
    if (key.ok() && entry.value)
      done = registry.set(*key.value(), entry.value->name, entry.value->type, entry.value->data);
    if (!done.ok()) return failed(message, fmt::format("{}:{}: {}", file, entry.line, done.failure().why()));
  }
  return {};
}

}  // namespace nt
