// The documents are true: the lock table is the enum, links lead somewhere, files that are named exist, versions agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = DRYDOCK_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kRoot)) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

// Every match of `pattern`, as "rank name what it guards".
std::vector<std::string> rows(const std::string& text, const std::regex& pattern, std::vector<int> groups) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    std::string row;
    for (int group : groups) row += (row.empty() ? "" : " | ") + (*at)[static_cast<size_t>(group)].str();
    found.push_back(row);
  }
  return found;
}

TEST(Docs, TheLockTableIsTheEnum) {
  std::string header = text_of(kRoot / "src/base/mutex.h");
  std::string body = header.substr(header.find("enum class LockRank"));
  body = body.substr(0, body.find("};"));
  auto in_code = rows(body, std::regex(R"((\w+) = (\d+), *// (.*))"), {2, 1, 3});
  auto in_document = rows(text_of(kRoot / "docs/locks.md"), std::regex(R"(\| (\d+) \| (\w+) \| (.*) \|)"), {1, 2, 3});
  EXPECT_GE(in_code.size(), 4u);
  EXPECT_EQ(in_code, in_document);
}

TEST(Docs, LinksLeadSomewhere) {
  size_t links = 0;
  for (const fs::path& document : documents()) {
    std::string text = text_of(document);
    static const std::regex kLink(R"(\]\(([^)#]+)[^)]*\))");
    for (std::sregex_iterator at(text.begin(), text.end(), kLink), end; at != end; ++at) {
      std::string target = (*at)[1];
      if (target.find("://") != std::string::npos) continue;
      ++links;
      EXPECT_TRUE(fs::exists(document.parent_path() / target)) << document << " links to " << target;
    }
  }
  EXPECT_GT(links, 5u);
}

// `nt/door.h`, `src/LAYERS`, `drivers/mill/mill.c`: below the root, src/ or abi/.
TEST(Docs, FilesThatAreNamedExist) {
  size_t names = 0;
  for (const fs::path& document : documents()) {
    if (document.filename() == "CHANGELOG.md") continue;
    std::string text = text_of(document);
    static const std::regex kName(R"(`((?:\w+/)+\w+\.(?:h|cc|c|def|cmake|csv|md))`)");
    for (std::sregex_iterator at(text.begin(), text.end(), kName), end; at != end; ++at) {
      std::string name = (*at)[1];
      ++names;
      EXPECT_TRUE(fs::exists(kRoot / name) || fs::exists(kRoot / "src" / name) || fs::exists(kRoot / "abi" / name))
          << document << " names " << name;
    }
  }
  EXPECT_GT(names, 20u);
}

TEST(Docs, TheChangelogBeginsWithTheProjectsVersion) {
  auto versions = rows(text_of(kRoot / "CHANGELOG.md"), std::regex(R"(\n## (\d+\.\d+\.\d+), )"), {1});
  ASSERT_FALSE(versions.empty());
  EXPECT_EQ(versions.front(), DRYDOCK_PROJECT_VERSION);
}

// docs/founding-pages.md: every test, rule and example that a sentence is tied to is there.
TEST(Docs, FoundingPagesLeadToCodeTestRuleAndExample) {
  std::string rules;
  for (const auto& file : fs::directory_iterator(kRoot / "src/verifier/rules")) rules += text_of(file.path());
  size_t sentences = 0;
  std::ifstream file(kRoot / "docs/founding-pages.md");
  for (std::string line; std::getline(file, line);) {
    static const std::regex kRow(R"(\| (.+) \| `(\S+)` \| `(\S+)`: (\w+)\.(\w+) \| ([A-Z0-9, -]+) \| `(\S+)` \|)");
    std::smatch row;
    if (line.rfind("| sentence", 0) == 0 || line.rfind("|---", 0) == 0 || line.rfind("|", 0) != 0) continue;
    ASSERT_TRUE(std::regex_match(line, row, kRow)) << line;
    ++sentences;
    EXPECT_TRUE(fs::exists(kRoot / "src" / row[2].str())) << row[2];
    std::regex test("TEST(_F|_P)?\\(" + row[4].str() + ",\\s*" + row[5].str() + "\\)");
    EXPECT_TRUE(std::regex_search(text_of(kRoot / row[3].str()), test)) << row[3] << ": " << row[4] << "." << row[5];
    std::string ids = row[6];
    static const std::regex kId(R"([A-Z]+(-[A-Z]+)?-\d\d)");
    for (std::sregex_iterator at(ids.begin(), ids.end(), kId), end; at != end; ++at) {
      EXPECT_NE(rules.find("\"" + at->str() + "\""), std::string::npos) << at->str();
    }
    EXPECT_TRUE(fs::exists(kRoot / row[7].str())) << row[7];
  }
  EXPECT_GE(sentences, 49u);
}

}  // namespace
