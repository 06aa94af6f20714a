#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "include_checker.h"

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kRows =
    "# a comment\n"
    "abi:\n"
    "base: abi\n"
    "nt: base abi   # as in the real one\n"
    "dxgk: nt base abi\n"
    "tools: nt base abi\n"
    "drivers: abi\n";

std::vector<std::string> texts(const std::vector<layers::Complaint>& complaints) {
  std::vector<std::string> lines;
  for (const layers::Complaint& complaint : complaints) lines.push_back(layers::to_string(complaint));
  return lines;
}

// A small tree in a temporary folder, removed with the test.
class Layers : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "layers_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    write("src/LAYERS", kRows);
    write("abi/km/wdm.h", "#include \"ntdef.h\"\n#include <stdint.h>\n");
    write("abi/shared/ntdef.h", "");
    write("abi/crt/string.h", "");
  }
  void TearDown() override {
    std::error_code error;
    fs::remove_all(root_, error);
  }

  void write(const std::string& file, std::string_view text) {
    std::error_code error;
    fs::create_directories((root_ / file).parent_path(), error);
    ASSERT_TRUE(std::ofstream(root_ / file) << text);
  }
  std::vector<std::string> complaints() const { return texts(layers::check_tree(root_)); }

  fs::path root_;
};

TEST(LayersOfThisTree, AreKept) { EXPECT_THAT(texts(layers::check_tree(DRYDOCK_SOURCE_DIR)), IsEmpty()); }

TEST(RoomsOfThisTree, AreKept) { EXPECT_THAT(texts(layers::check_rooms(DRYDOCK_SOURCE_DIR)), IsEmpty()); }

TEST_F(Layers, AllowWhatARowLists) {
  write("src/nt/pool.cc",
        "#include \"nt/pool.h\"\n#include <vector>\n#include \"base/check.h\"\n#include \"abi/km/wdm.h\"\n");
  write("tools/main.cc", "#include \"nt/pool.h\"\n#include \"tools/args.h\"\n");
  write("include/drydock/host.h", "#include <string>\n#include \"drydock/device.h\"\n#include \"abi/km/wdm.h\"\n");
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(Layers, RefuseAnArrowUpwardWithFileLineAndRule) {
  write("src/base/check.cc", "#include <string>\n\n  #  include \"nt/pool.h\"\n");
  EXPECT_THAT(complaints(), ElementsAre("src/base/check.cc:3: base may not include \"nt/pool.h\": row 'base' of "
                                        "src/LAYERS does not list nt"));
}

TEST_F(Layers, RefuseAnArrowInAngleBracketsToo) {
  write("src/base/check.cc", "#include <nt/pool.h>\n");
  EXPECT_THAT(complaints(), ElementsAre(StartsWith("src/base/check.cc:1: base may not include")));
}

TEST_F(Layers, AreNotTransitive) {
  write("src/LAYERS", "abi:\nbase: abi\nnt: base\n");
  write("src/nt/pool.cc", "#include \"abi/km/wdm.h\"\n");
  EXPECT_THAT(complaints(), ElementsAre(StartsWith("src/nt/pool.cc:1: nt may not include \"abi/km/wdm.h\"")));
}

TEST_F(Layers, WantIncludesFromTheLayerRoot) {
  write("src/nt/pool.cc", "#include \"pool.h\"\n#include \"../base/check.h\"\n");
  EXPECT_THAT(complaints(), ElementsAre(HasSubstr("pool.cc:1: \"pool.h\" begins with no layer"),
                                        HasSubstr("pool.cc:2: \"../base/check.h\" begins with no layer")));
}

TEST_F(Layers, HaveARowEach) {
  write("src/ks/pin.cc", "#include \"nt/pool.h\"\n");
  write("src/ks/pin.h", "");
  EXPECT_THAT(complaints(), ElementsAre("src/ks/pin.cc:1: layer 'ks' has no row in src/LAYERS"));
}

TEST_F(Layers, KeepThePublicHeadersApart) {
  write("include/drydock/host.h", "#include \"nt/pool.h\"\n");
  write("src/nt/pool.cc", "#include \"drydock/host.h\"\n");
  EXPECT_THAT(complaints(), ElementsAre(StartsWith("include/drydock/host.h:1: include may not include"),
                                        StartsWith("src/nt/pool.cc:1: nt may not include")));
}

TEST_F(Layers, LetADriversTestSeeWhatRunsTheDriver) {
  write("src/LAYERS", "host:\nabi:\ndrivers: abi\n");
  write("src/host/environment.h", "");
  write("drivers/mill/proto/mill_regs.h", "");
  write("drivers/mill/mill_test.cc",
        "#include <vector>\n#include \"host/environment.h\"\n#include \"mill/proto/mill_regs.h\"\n#include "
        "\"nowhere.h\"\n");
  EXPECT_THAT(complaints(), ElementsAre(StartsWith("drivers/mill/mill_test.cc:4: a driver's test quotes only")));
}

TEST_F(Layers, LetDriversSeeOnlyTheirOwnFilesAndAbi) {
  write("drivers/mill/mill.h", "");
  write("drivers/mill/mill.c",
        "#include <wdm.h>\n#include <string.h>\n#include \"mill.h\"\n#include \"abi/km/wdm.h\"\n");
  EXPECT_THAT(complaints(), IsEmpty());
  write("drivers/mill/mill.c", "#include <stdio.h>\n#include \"nt/pool.h\"\n#include \"../../src/nt/pool.h\"\n");
  write("src/nt/pool.h", "");
  EXPECT_THAT(
      complaints(),
      ElementsAre("drivers/mill/mill.c:1: a driver sees only its own files and abi/; \"stdio.h\" is neither",
                  StartsWith("drivers/mill/mill.c:2: a driver"), StartsWith("drivers/mill/mill.c:3: a driver")));
}

TEST_F(Layers, KeepAbiSelfContained) {
  write("abi/km/wdm.h", "#include \"base/check.h\"\n");
  EXPECT_THAT(complaints(), ElementsAre("abi/km/wdm.h:1: abi may quote only abi; \"base/check.h\" is not there"));
}

TEST_F(Layers, NeedATable) {
  fs::remove(root_ / "src/LAYERS");
  EXPECT_THAT(complaints(), ElementsAre("src/LAYERS:0: cannot be read"));
}

class Rooms : public Layers {
 protected:
  void SetUp() override {
    Layers::SetUp();
    write("src/LAYERS", "abi:\nbase: abi\nnt: base abi\nnt/: mm testing\n");
    write("src/nt/README.md", "| `mm/` | memory |\n| `testing/` | fixtures |\n");
    write("src/nt/CMakeLists.txt", "");
    write("src/nt/mm/pool.cc", "");
    write("src/nt/testing/machine_fixture.h", "");
    write("src/base/check.cc", "");
  }
  std::vector<std::string> complaints() const { return texts(layers::check_rooms(root_)); }
};

TEST_F(Rooms, HoldTheFilesOfTheirLayer) {
  EXPECT_THAT(complaints(), IsEmpty());
  EXPECT_THAT(Layers::complaints(), IsEmpty());
}

TEST_F(Rooms, OfTheRowAreTheOnlyOnes) {
  write("src/nt/pool.h", "");
  write("src/nt/ke/wait.cc", "");
  write("src/base/debug/stack.cc", "");
  EXPECT_THAT(complaints(),
              ElementsAre("src/base/debug/stack.cc:1: layer 'base' has no row 'base/: room …' in src/LAYERS",
                          "src/nt/ke/wait.cc:1: lies in no room of nt; src/LAYERS has mm, testing",
                          "src/nt/pool.h:1: lies in no room of nt; src/LAYERS has mm, testing"));
}

TEST_F(Rooms, HaveTheirLayersFolderIfTheRowHasADot) {
  write("src/LAYERS", "nt/: . mm testing\n");
  write("src/nt/pool.h", "");
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(Rooms, CalledTestingHoldTheFixtures) {
  write("src/nt/mm/pool_fixture.h", "");
  EXPECT_THAT(complaints(), ElementsAre("src/nt/mm/pool_fixture.h:1: a fixture lies in src/nt/testing"));
}

TEST_F(Rooms, AreNotTooFull) {
  for (size_t i = 1; i < layers::kMostFilesOfARoom; ++i) write("src/nt/mm/file" + std::to_string(i) + ".h", "");
  EXPECT_THAT(complaints(), IsEmpty());
  write("src/nt/mm/one_more.h", "");
  EXPECT_THAT(complaints(), ElementsAre("src/nt/mm:1: has more than 45 files"));
}

TEST_F(Rooms, AreNamedInTheReadmeAndExist) {
  write("src/LAYERS", "nt/: ke mm testing\n");
  EXPECT_THAT(complaints(),
              ElementsAre("src/nt/README.md:1: does not say what `ke/` is for", "src/LAYERS:1: nt has no folder ke"));
}

TEST(LayersTable, ComplainsAboutItsOwnRows) {
  std::vector<layers::Complaint> complaints;
  layers::Table table = layers::parse_table("abi:\nbase: abi typo\nno colon\nabi:\n", &complaints);
  EXPECT_THAT(texts(complaints),
              ElementsAre(StartsWith("src/LAYERS:3: not a row"), StartsWith("src/LAYERS:4: not a row"),
                          "src/LAYERS:2: 'typo' has no row of its own"));
  EXPECT_THAT(table["base"], ElementsAre("abi", "typo"));
}

}  // namespace
