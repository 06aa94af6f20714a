// The documents are true: the lock table is the enum, links lead somewhere, files that are named exist, versions agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "verifier/catalogue/catalogue.h"
#include "verifier/rules/rules.h"

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

// `nt/boundary/driver_call.h`, `src/LAYERS`, `drivers/mill/mill.c`: below the root, src/ or abi/.
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

// --- docs/founding-pages.md ---

// The pages of a rule or of a requirement of the catalogue; empty when there is none of that id.
std::vector<std::string> pages_of(const std::string& id) {
  std::vector<std::string> pages;
  auto add = [&](const auto& from) {
    for (const char* page : from) {
      if (page) pages.emplace_back(page);
    }
  };
  if (const verifier::Rule* rule = verifier::find_rule(id)) add(rule->pages);
  if (const verifier::Requirement* requirement = verifier::find_requirement(id)) add(requirement->pages);
  return pages;
}

// `dxgk/destroy/destroy.cc`: `judge`, `start`; `kmt/allocation/destroy_allocation.cc`: `destroy`
void expect_functions(const std::string& code) {
  static const std::regex kFile(R"(`([\w/]+\.\w+)`(: (`[\w:~]+`(, )?)+)?)");
  size_t files = 0;
  for (std::sregex_iterator at(code.begin(), code.end(), kFile), end; at != end; ++at, ++files) {
    std::string text = text_of(kRoot / "src" / (*at)[1].str());
    std::string functions = (*at)[2];
    static const std::regex kFunction(R"(`([\w:~]+)`)");
    for (std::sregex_iterator function(functions.begin(), functions.end(), kFunction); function != end; ++function) {
      // A definition begins a line: its type, its name, its parameters.
      std::regex definition("(^|\n)([A-Za-z][^\n;=]*[ *&])?" + (*function)[1].str() + "\\(");
      EXPECT_TRUE(std::regex_search(text, definition)) << (*at)[1] << " does not define " << (*function)[1];
    }
  }
  EXPECT_GT(files, 0u) << code;
}

// Every function, test, rule and example that a sentence is tied to is there, and each rule is of that page.
TEST(Docs, FoundingPagesLeadToCodeTestRuleAndExample) {
  size_t sentences = 0;
  std::string page;
  std::ifstream file(kRoot / "docs/founding-pages.md");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_search(line, match, std::regex(R"(Page: `(\S+)`\.)"))) page = match[1];
    if (line.rfind("| sentence", 0) == 0 || line.rfind("|---", 0) == 0 || line.rfind("|", 0) != 0) continue;
    static const std::regex kRow(R"(\| (.+) \| (`.+`) \| `(\S+)`: (\w+)\.(\w+) \| (none|[A-Z0-9, -]+) \| `(\S+)` \|)");
    ASSERT_TRUE(std::regex_match(line, match, kRow)) << line;
    ++sentences;
    expect_functions(match[2]);
    std::regex test("TEST(_F|_P)?\\(" + match[4].str() + ",\\s*" + match[5].str() + "\\)");
    EXPECT_TRUE(std::regex_search(text_of(kRoot / match[3].str()), test))
        << match[3] << ": " << match[4] << "." << match[5];
    std::string ids = match[6];
    static const std::regex kId(R"([A-Z]+(-[A-Z]+)?-\d+)");
    for (std::sregex_iterator at(ids.begin(), ids.end(), kId), end; at != end; ++at) {
      EXPECT_THAT(pages_of(at->str()), ::testing::Contains(page)) << at->str() << ": " << line;
    }
    EXPECT_TRUE(fs::exists(kRoot / match[7].str())) << match[7];
  }
  EXPECT_GE(sentences, 52u);
}

}  // namespace
