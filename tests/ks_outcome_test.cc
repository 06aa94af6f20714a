// What the scenarios for streaming drivers say of drivers that stream, and of drivers that do not: never that one of
// the latter passed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/csv_table.h"
#include "host/run/run_seed.h"

namespace tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Driver {
 public:
  explicit Driver(const std::string& name)
      : images_(load(name)), judge_({.drivers = {images_.file_name()}}, modules_) {}

  host::SeedResult play(const host::Scenario& scenario, uint64_t seed) {
    return host::run_seed(images_, scenario, seed, {}, judge_, writer_);
  }
  // Errors of the last run; advice is none.
  std::vector<std::string> errors() const {
    std::vector<std::string> errors;
    for (const verifier::Finding& finding : judge_.findings()) {
      if (finding.level == verifier::Level::Error) errors.push_back(finding.rule + ": " + finding.sentence);
    }
    return errors;
  }

 private:
  static host::Images load(const std::string& name) {
    auto images = host::Images::load(DRYDOCK_DRIVERS "/" + name + ".so", {}, {});
    CHECK_MSG(images.ok(), images.error().c_str());
    return images.take();
  }

  host::Images images_;
  base::ModuleMap modules_;
  verifier::Verifier judge_;
  trace::Writer writer_;
};

constexpr uint64_t kSeeds = 4;

// The bundled drivers have everything that the scenarios are about, between them.
TEST(KsOutcome, TheBundledDriversPass) {
  std::map<std::string, std::string> skipped;  // by scenario: why, of every driver
  std::set<std::string> passed;
  for (const char* name : {"testcam", "ksalloc", "kssg"}) {
    Driver driver(name);
    for (const host::Scenario* scenario : host::find_scenarios("ks/*")) {
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        SCOPED_TRACE(testing::Message() << name << " " << scenario->name << " " << seed);
        host::SeedResult result = driver.play(*scenario, seed);
        EXPECT_THAT(driver.errors(), IsEmpty());
        EXPECT_EQ(result.incomplete, "");
        EXPECT_GT(result.activity.ddi_calls, 0u);
        if (result.skipped.empty()) passed.insert(scenario->name);
        if (!result.skipped.empty()) skipped[scenario->name] += std::string(name) + ": " + result.skipped + "\n";
      }
    }
  }
  for (const auto& [scenario, why] : skipped) EXPECT_TRUE(passed.count(scenario)) << scenario << "\n" << why;
}

std::vector<std::string> names_in(const std::string& folder) {
  auto read = base::CsvTable::read(DRYDOCK_SOURCE_DIR "/drivers/" + folder + "/TABLE.csv", {"name"});
  EXPECT_TRUE(read.ok()) << read.error();
  base::CsvTable table = read.take();
  std::vector<std::string> names;
  for (size_t i = 0; i < table.size(); ++i) names.push_back(table.at(i, "name"));
  return names;
}

// Small correct drivers: those that were once blamed, and the wrong ones in their fixed form.
TEST(KsOutcome, NoCorrectDriverIsIncomplete) {
  std::vector<std::string> drivers;
  for (const std::string& name : names_in("quiet/ks")) drivers.push_back("quiet/ks/" + name);
  for (const std::string& name : names_in("bad/ks")) {
    std::string fixed = "bad/ks/fixed/" + name;
    if (std::filesystem::exists(DRYDOCK_DRIVERS "/" + fixed + ".so")) drivers.push_back(fixed);
  }
  ASSERT_FALSE(drivers.empty());
  for (const std::string& name : drivers) {
    Driver driver(name);
    for (const host::Scenario* scenario : host::find_scenarios("ks/*")) {
      EXPECT_EQ(driver.play(*scenario, 0).incomplete, "") << name << " " << scenario->name;
    }
  }
}

// What the scenarios are for, as far as it is not to stream.
const std::set<std::string> kStreamNothing = {"ks/load", "ks/list", "ks/allocator", "ks/controls"};

TEST(KsOutcome, ADriverThatStreamsIsCounted) {
  Driver driver("ksalloc");
  for (const host::Scenario* scenario : host::find_scenarios("ks/*")) {
    if (kStreamNothing.count(scenario->name)) continue;
    EXPECT_GT(driver.play(*scenario, 1).activity.frames, 0u) << scenario->name;
  }
}

struct Idle {
  const char* name;
  const char* why;                    // part of what each scenario says
  std::set<std::string> passes = {};  // what it can do all the same
};
void PrintTo(const Idle& idle, std::ostream* out) { *out << idle.name; }

class IdleDriver : public ::testing::TestWithParam<Idle> {};

TEST_P(IdleDriver, PassesNothingThatItCannotDo) {
  Driver driver(std::string("tests/ks/") + GetParam().name);
  for (const host::Scenario* scenario : host::find_scenarios("ks/*")) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      SCOPED_TRACE(testing::Message() << scenario->name << " " << seed);
      host::SeedResult result = driver.play(*scenario, seed);
      EXPECT_THAT(driver.errors(), IsEmpty());
      if (GetParam().passes.count(scenario->name)) {
        EXPECT_EQ(result.incomplete, "");
      } else {
        EXPECT_THAT(result.incomplete, HasSubstr(GetParam().why));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Drivers, IdleDriver,
    ::testing::Values(
        Idle{"refuses_add", "did not start: AddDevice failed with 0xC000000E"},
        Idle{"refuses_start", "did not start: IRP_MN_START_DEVICE failed with 0xC0000182"},
        Idle{"without_filter", "expected: the driver offers a filter", {"ks/load"}},
        Idle{"refuses_filter", "expected: filter 0 can be opened; it refused with 0xC0000022", {"ks/load"}},
        Idle{"refuses_pins", "expected: pin", {"ks/load", "ks/list", "ks/controls"}},
        Idle{"refuses_run", "goes to KSSTATE_RUN; it refused with 0xC00000A3", kStreamNothing},
        Idle{"does_nothing", "no frame ", kStreamNothing},
        // The name is that of a driver that streams, and means nothing.
        Idle{"testcam", "no frame ", kStreamNothing}, Idle{"one_frame", "no frame ", kStreamNothing},
        Idle{"pair_refuses_input", "expected: pin", {"ks/load", "ks/list", "ks/controls"}}),
    [](const auto& idle) { return std::string(idle.param.name); });

TEST(KsOutcome, ADriverThatStopsInTheMiddleIsIncomplete) {
  Driver driver("tests/ks/nine_frames");
  host::SeedResult result = driver.play(*host::find_scenarios("ks/capture")[0], 1);
  EXPECT_THAT(result.incomplete, HasSubstr("any more after 9 of"));
  EXPECT_EQ(result.activity.frames, 9u);
}

// --- Pins that need each other: InstancesNecessary ---

TEST(KsOutcome, PinsThatNeedEachOtherStreamTogether) {
  Driver driver("tests/ks/pair");
  for (const host::Scenario* scenario : host::find_scenarios("ks/*")) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      SCOPED_TRACE(testing::Message() << scenario->name << " " << seed);
      host::SeedResult result = driver.play(*scenario, seed);
      EXPECT_THAT(driver.errors(), IsEmpty());
      EXPECT_EQ(result.incomplete, "");
      if (std::string(scenario->name).starts_with("ks/connect") || kStreamNothing.count(scenario->name)) continue;
      EXPECT_GT(result.activity.frames, 0u);
    }
  }
}

TEST(KsOutcome, APinWhoseFilterNeedsAnotherIsNotTriedWithoutIt) {
  auto capture_of = [](const char* name) {
    return Driver(name).play(*host::find_scenarios("ks/capture")[0], 1).incomplete;
  };
  EXPECT_EQ(capture_of("tests/ks/pair_refuses_input"),
            "expected: pin 1, which the filter needs, can be opened with the format that it agreed to; it refused with "
            "0x80000011");
  EXPECT_EQ(capture_of("tests/ks/pair_input_is_source"),
            "expected: pin 1, which the filter needs, takes requests of a program");
}

}  // namespace
}  // namespace tests
