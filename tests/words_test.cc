// Words that were given up (old_words.csv) are found nowhere in the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_table.h"
#include "fmt/format.h"

namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path kRoot = DRYDOCK_SOURCE_DIR;

struct OldWord {
  std::string word, instead, folder;
  bool in_comment;  // elsewhere it may stand: in a message, in a name
};

std::vector<OldWord> old_words() {
  auto read = base::CsvTable::read(kRoot / "tests/old_words.csv", {"word", "instead"});
  EXPECT_TRUE(read.ok()) << read.error();
  base::CsvTable table = read.take();
  std::vector<OldWord> words;
  for (size_t row = 0; row < table.size(); ++row) {
    words.push_back(
        {table.at(row, "word"), table.at(row, "instead"), table.at(row, "folder"), table.at(row, "in") == "comment"});
  }
  return words;
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether the word stands at `at`: where it begins or ends with a letter, the text must not go on with one there.
bool is_whole(std::string_view text, size_t at, std::string_view word) {
  size_t end = at + word.size();
  bool begins = !is_letter(word.front()) || at == 0 || !is_letter(text[at - 1]);
  bool ends = !is_letter(word.back()) || end == text.size() || !is_letter(text[end]);
  return begins && ends;
}

bool in_comment(std::string_view text, size_t at) {
  size_t line = text.rfind('\n', at) + 1;  // 0 for the first line
  return text.substr(line, at - line).find("//") != std::string_view::npos;
}

// The lines of the text that use the word.
std::vector<size_t> lines_with(std::string_view text, const OldWord& old) {
  std::vector<size_t> lines;
  for (size_t at = text.find(old.word); at != std::string_view::npos; at = text.find(old.word, at + 1)) {
    if (!is_whole(text, at, old.word) || (old.in_comment && !in_comment(text, at))) continue;
    lines.push_back(1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n')));
  }
  return lines;
}

bool is_text(const fs::path& file) {
  static const std::set<std::string> kEndings = {".cc", ".h",     ".c",  ".def", ".md",
                                                 ".py", ".cmake", ".in", ".csv", ".awk"};
  std::string name = file.filename().string();
  return kEndings.contains(file.extension().string()) || name == "CMakeLists.txt" || name == "LAYERS";
}

// Of the files that are ours and are not records of what was.
std::vector<fs::path> texts() {
  std::vector<fs::path> files;
  for (const char* top : {"src", "tools", "tests", "include", "examples", "docs", "cmake"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      if (entry.is_regular_file() && is_text(entry.path())) files.push_back(entry.path().lexically_relative(kRoot));
    }
  }
  for (const char* file : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}) files.emplace_back(file);
  std::erase_if(files, [](const fs::path& file) {
    std::string name = file.generic_string();
    return name.starts_with("tests/fixtures/") || name.starts_with("tests/net/") || name == "tests/old_words.csv" ||
           name == "tests/words_test.cc";
  });
  return files;
}

bool is_in(const fs::path& file, const std::string& folder) {
  return folder.empty() || file.generic_string().starts_with(folder + "/");
}

TEST(Words, ThatWereGivenUpAreNotUsed) {
  std::vector<std::string> found;
  std::vector<OldWord> words = old_words();
  for (const fs::path& file : texts()) {
    std::ifstream in(kRoot / file);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (const OldWord& old : words) {
      if (!is_in(file, old.folder)) continue;
      for (size_t line : lines_with(text, old)) {
        found.push_back(fmt::format("{}:{}: say '{}', not '{}'", file.generic_string(), line, old.instead, old.word));
      }
    }
  }
  EXPECT_THAT(found, IsEmpty());
}

TEST(Words, AreFoundAsWholeWords) {
  using ::testing::ElementsAre;
  EXPECT_THAT(lines_with("\n  Door door;\n", {"Door", "", "", false}), ElementsAre(2));
  EXPECT_THAT(lines_with("DoorFrame TheDoor", {"Door", "", "", false}), IsEmpty());
  EXPECT_THAT(lines_with("machine.broke(x)", {"broke(", "", "", false}), ElementsAre(1));
  EXPECT_THAT(lines_with("machine.unbroke(x)", {"broke(", "", "", false}), IsEmpty());
}

TEST(Words, MayBeForbiddenInCommentsAlone) {
  OldWord old{"nobody", "no thread", "src", true};
  EXPECT_THAT(lines_with("f();  // nobody waits", old), ::testing::ElementsAre(1));
  EXPECT_THAT(lines_with("// A comment.\ntell(\"nobody waits\");", old), IsEmpty());
}

}  // namespace
