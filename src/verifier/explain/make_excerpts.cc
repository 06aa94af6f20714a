// make_excerpts FOLDER OUTPUT: the excerpts of every program that the tables below drivers/bad list, as rows
//   EXCERPT("kmd/name", does, fixed, wrong, right)
// of an include file, and OUTPUT.d with the files that it comes from. What did not change is not written again.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include "base/csv_table.h"
#include "verifier/explain/excerpt.h"

namespace {

bool read(const std::string& path, std::string& text) {
  std::ifstream file(path);
  text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  return file.good() || file.eof();
}

// A C literal of one line for each of the text's.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      out += i + 1 < text.size() ? "\\n\"\n  \"" : "\\n";
      continue;
    }
    if (text[i] == '"' || text[i] == '\\') out += '\\';
    out += text[i];
  }
  return out + '"';
}

// The headers beside a program that it includes; `sources` receives their paths.
std::string headers_of(const std::string& folder, const std::string& source, std::string& sources) {
  constexpr std::string_view kInclude = "#include \"";
  std::string texts;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kInclude)) continue;
    std::string path = folder + "/" + line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
    std::string text;
    if (!read(path, text)) continue;
    sources += " " + path;
    texts += text + "\n";
  }
  return texts;
}

bool write_if_changed(const std::string& path, const std::string& text) {
  std::string before;
  if (read(path, before) && before == text) return true;
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  return file.good();
}

int fail(const std::string& sentence) {
  fmt::print(stderr, "make_excerpts: {}\n", sentence);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("usage: make_excerpts FOLDER OUTPUT");
  std::string folder = argv[1], output = argv[2];
  std::string rows, sources;
  for (const char* kind : {"nt", "client", "umd", "kmd", "ks"}) {
    std::string path = fmt::format("{}/{}/TABLE.csv", folder, kind);
    auto read_table = base::CsvTable::read(path, {"name"});
    if (!read_table.ok()) return fail(read_table.error());
    base::CsvTable table = read_table.take();
    sources += " " + path;
    for (size_t row = 0; row < table.size(); ++row) {
      std::string name = fmt::format("{}/{}", kind, table.at(row, "name"));
      path = fmt::format("{}/{}.c", folder, name);
      std::string source;
      if (!read(path, source)) continue;  // its own build says so, and the others need not wait for it
      sources += " " + path;
      verifier::Excerpt excerpt = verifier::excerpt_of(source, headers_of(folder + "/" + kind, source, sources));
      rows += fmt::format("EXCERPT({},\n  {},\n  {},\n  {},\n  {})\n", literal(name), literal(excerpt.does),
                          literal(excerpt.fixed), literal(excerpt.wrong), literal(excerpt.right));
    }
  }
  if (!write_if_changed(output + ".d", fmt::format("{}:{}\n", output, sources))) return fail(output + ".d: no");
  return write_if_changed(output, rows) ? 0 : fail(output + " cannot be written");
}
