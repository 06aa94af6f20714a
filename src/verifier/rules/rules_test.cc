#include "verifier/rules/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <regex>
#include <set>
#include <string>

namespace verifier {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string snake_case(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (std::isupper(c) && !out.empty()) out += '_';
    out += static_cast<char>(std::tolower(c));
  }
  return out;
}

TEST(Rules, EveryViolationHasItsOwnRule) {
  std::set<std::string> ids;
  for (size_t i = 0; i < nt::kViolationCount; ++i) {
    auto what = static_cast<nt::Violation>(i);
    const Rule& rule = rule_for(what);
    EXPECT_EQ(rule.violation, what) << nt::to_string(what);
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id << " is taken twice";
  }
  EXPECT_EQ(all_rules().size(), nt::kViolationCount);
}

TEST(Rules, ItsCommandAndItsPagesAreReadNext) {
  const Rule* rule = find_rule("TR-20");
  ASSERT_TRUE(rule);
  std::vector<std::string> next = read_next(*rule);
  ASSERT_EQ(next.size(), 3u);
  EXPECT_EQ(next[0], "drydock explain TR-20");
  EXPECT_EQ(next[1], page_address(rule->pages[0]));
  EXPECT_EQ(next[2], page_address(rule->pages[1]));
}

TEST(Rules, IdsAreNumberedWithinTheirFamily) {
  // NT-…: the machine's. Two letters: the graphics kernel's (docs/life-of-an-allocation.md says of whom each family
  // is). One letter: the AVStream class's. PK: of the INF file.
  std::regex form(
      "(NT-(IRQL|POOL|LIVE|LEAK|LOCK|WAIT|STACK|STUCK|CRASH|MMIO|INT|MDL|DMA|RACE|MEM|APC|IRP)|KD|KC|SH|US|CA|OC|DA|HN|"
      "DX|RS|CX|TR|UT|UR|CB|AB|TD|SR|A|L|Q|PK)-[0-9]{2}");
  for (const Rule& rule : all_rules()) EXPECT_TRUE(std::regex_match(rule.id, form)) << rule.id;
}

TEST(Rules, EveryRowIsFilledIn) {
  std::regex page("(kernel|devtest|debugger|display|driversecurity|install|stream|ddi/[a-z0-9]+)/[a-z0-9_-]+");
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.id);
    EXPECT_THAT(rule.title, Not(EndsWith(".")));
    EXPECT_THAT(rule.requirement, ::testing::MatchesRegex(".*[.]\\)?"));
    EXPECT_THAT(rule.check, EndsWith("."));
    ASSERT_NE(rule.pages[0], nullptr) << "a rule without a page has no provenance";
    for (const char* name : rule.pages) {
      EXPECT_TRUE(!name || std::regex_match(name, page)) << name;
    }
  }
}

// The names of violations of user-mode drivers begin with Umd, of AVStream minidrivers with Ks, of INF files with Inf.
// That prefix names the example's folder, and is left out of the example's name.
std::string example_of(const std::string& folder, nt::Violation what) {
  std::string name = snake_case(nt::to_string(what));
  return name.starts_with(folder + "_") ? folder + "/" + name.substr(folder.size() + 1) : folder + "/" + name;
}

TEST(Rules, TheExampleIsNamedAfterTheViolation) {
  for (const Rule& rule : all_rules()) {
    std::string example = rule.example;
    std::string folder = example.substr(0, example.find('/'));
    EXPECT_THAT(folder, ::testing::AnyOf("nt", "kmd", "client", "umd", "ks", "inf"));
    // An example may also be named after the failure of a real driver.
    static const std::regex kFailure("[a-z]+/[a-z]{2}[0-9]{2}_[a-z0-9_]+");
    if (!std::regex_match(example, kFailure)) {
      EXPECT_EQ(example, example_of(folder, rule.violation));
    }
  }
}

TEST(Rules, FindsById) {
  ASSERT_NE(find_rule("NT-IRQL-03"), nullptr);
  EXPECT_EQ(find_rule("NT-IRQL-03")->violation, nt::Violation::WaitAtDispatch);
  EXPECT_EQ(find_rule("nt-irql-03"), find_rule("NT-IRQL-03"));
  EXPECT_EQ(find_rule("NT-IRQL-0"), nullptr);
  EXPECT_EQ(find_rule("NT-IRQL-033"), nullptr);
  EXPECT_EQ(find_rule(""), nullptr);
}

TEST(Rules, ARunSurvivesWhatWindowsSurvives) {
  EXPECT_EQ(rule_for(nt::Violation::Leak).then, nt::Then::GoOn);
  EXPECT_EQ(rule_for(nt::Violation::LockOrder).then, nt::Then::GoOn);
  EXPECT_EQ(rule_for(nt::Violation::PoolFreeInvalid).then, nt::Then::Stop);
  EXPECT_EQ(rule_for(nt::Violation::Crash).then, nt::Then::Stop);
}

TEST(Explain, TellsAllOfARule) {
  EXPECT_EQ(explain(rule_for(nt::Violation::PoolTagMismatch)),
            R"(NT-POOL-06: pool freed with another tag

What is required
  ExFreePoolWithTag takes the tag that the block was allocated with.

Who says so
  must: the documentation requires it
  https://learn.microsoft.com/windows-hardware/drivers/ddi/wdm/nf-wdm-exfreepoolwithtag
  https://learn.microsoft.com/windows-hardware/drivers/debugger/bug-check-0xc2--bad-pool-caller

What Windows does
  BAD_POOL_CALLER 0xC2 (0x0A)

How Drydock sees it
  The pool compares the two tags.
  The run goes on after it.

A driver that breaks it
  drivers/bad/nt/pool_tag_mismatch
)");
}

TEST(Explain, FitsATerminal) {
  for (const Rule& rule : all_rules()) {
    std::string text = explain(rule);
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      std::string line = text.substr(at, end - at);
      bool address = line.find("https://") != std::string::npos;
      EXPECT_TRUE(address || line.size() <= 102) << line;  // "…" has three bytes
      at = end + 1;
    }
  }
}

TEST(Explain, SaysWhenWindowsHasNoCode) {
  EXPECT_THAT(explain(rule_for(nt::Violation::PoolTagInvalid)), HasSubstr("The pages name no bug check for it."));
}

}  // namespace
}  // namespace verifier
