// `drydock run` as a user meets it: small clients (clients/) on softgpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "base/debug/elf_file.h"
#include "base/sanitizer.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

#ifndef DRYDOCK_LIBDXCORE

TEST(Run, SaysWhyASanitizedTreeCannot) {
  Outcome outcome = drydock({"run", "--", "/bin/true"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("a sanitized build has none"));
}

#else

Outcome story(const std::string& name, std::vector<std::string> options = {}) {
  std::vector<std::string> arguments = {"run"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", DRYDOCK_STORY, name});
  return drydock(arguments);
}

// A line of the table of objects.
struct Objects {
  uint64_t created, peak, at_exit;
};
Objects objects(const Outcome& outcome, const std::string& kind) {
  std::smatch row;
  std::regex pattern("\n    " + kind + " +([0-9]+) +([0-9]+) +([0-9]+)\n");
  if (!std::regex_search(outcome.out, row, pattern)) return {};
  return {std::stoull(row[1]), std::stoull(row[2]), std::stoull(row[3])};
}

TEST(Run, ATidyClientLeavesNothing) {
  Outcome outcome = story("tidy");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("0 findings, 0 leaks, 0 refusals: client_story\n"),
                                 HasSubstr("drivers/softgpu/softgpu.so"), Not(HasSubstr("incomplete"))));
  EXPECT_EQ(objects(outcome, "device").created, 1u) << outcome.out;
  EXPECT_EQ(objects(outcome, "allocation").created, 1u) << outcome.out;
  EXPECT_EQ(objects(outcome, "allocation").at_exit, 0u) << outcome.out;
}

// The bytes move between the bar and system memory below a lock; no write is lost.
TEST(Run, ALockedAllocationComesAndGoes) {
  Outcome outcome = drydock({"run", "--driver", driver("tests/softgpu/softgpu_local"), "--", DRYDOCK_LOCKS});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(" moves\n"), HasSubstr("0 findings, 0 leaks, 0 refusals: client_locks\n")));
}

TEST(Run, AnswersAsWslWhenAsked) {
  Outcome outcome = story("tidy", {"--wsl"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

TEST(Run, ALibraryThatIsLoadedIntoAScopeOfItsOwnServesToo) {
  Outcome outcome = drydock({"run", "--", DRYDOCK_HIDDEN});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("0 findings, 0 leaks, 0 refusals: client_hidden\n"));
}

TEST(Run, ALeakHasTheStackOfItsCreation) {
  Outcome outcome = story("leak");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("3 allocations (0x"), HasSubstr("192.0 KiB, created in\n"),
                                 HasSubstr("forget_allocations at "), HasSubstr("story.c:")));
  EXPECT_EQ(objects(outcome, "allocation").at_exit, 3u) << outcome.out;
}

TEST(Run, ARefusalSaysWhy) {
  Outcome outcome = story("refused");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("D3DKMTCreateDevice: STATUS_INVALID_PARAMETER, 2 times: "),
                                 HasSubstr("memory that the client named cannot be read")));
}

TEST(Run, AdviceToTheClientIsAWarningWithItsStack) {
  Outcome outcome = story("unruly");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("0 findings, 1 warning, 0 leaks"), HasSubstr("warning KC-14"),
                                 HasSubstr("#0 D3DKMTCreateAllocation2\n"), HasSubstr("#1 break_a_rule at ")));
}

TEST(Run, TwoThreadsShareTheKernel) {
  Outcome outcome = story("threads");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("0 findings, 0 leaks, 0 refusals"));
  EXPECT_EQ(objects(outcome, "device").created, 100u) << outcome.out;
  EXPECT_EQ(objects(outcome, "device").peak, 2u) << outcome.out;
}

TEST(Run, TheChildOfAForkHasNoKernel) {
  Outcome outcome = story("fork");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("0 findings, 0 leaks, 0 refusals"));
  size_t first = outcome.out.find("ledger of process");
  EXPECT_EQ(outcome.out.find("ledger of process", first + 1), std::string::npos) << "the parent's alone";
}

TEST(Run, AForkBeforeTheFirstCallGivesEachAKernel) {
  Outcome outcome = story("fork-first");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  size_t first = outcome.out.find("ledger of process");
  EXPECT_NE(outcome.out.find("ledger of process", first + 1), std::string::npos) << outcome.out;
}

TEST(Run, ExitInTheMiddleIsTheEndOfAProcess) {
  Outcome outcome = story("exit");
  EXPECT_EQ(outcome.exit_code, 7) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("1 device (0x"));
}

TEST(Run, ExitHandlersOfTheClientComeFirst) {
  Outcome outcome = story("exit-handler");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("0 findings, 0 leaks, 0 refusals"));
}

TEST(Run, AProcessThatDiesHasNoLedger) {
  struct Death {
    const char* story;
    int exit_code;
    const char* how;
  };
  for (const Death& death :
       {Death{"abort", 128 + SIGABRT, "was ended by signal 6"}, Death{"killed", 128 + SIGKILL, "was ended by signal 9"},
        Death{"leave-at-once", 0, "ended with exit code 0"}}) {
    Outcome outcome = story(death.story);
    EXPECT_EQ(outcome.exit_code, death.exit_code) << outcome.out;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("no ledger of process"), HasSubstr(death.how)));
  }
}

TEST(Run, AThreadInsideOfACallIsNotPulledOut) {
  Outcome outcome = story("stuck-thread");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("incomplete: 1 of the process's threads did not come out of a call"));
  EXPECT_EQ(objects(outcome, "device").at_exit, 1u) << outcome.out;
}

// The program never ends by itself. The test asserts nothing about time: it waits for the detector.
TEST(Run, AStuckProgramIsEndedAndItsLedgerSaysWhoWaitsForWhom) {
  Outcome outcome = story("threads", {"--driver", driver("tests/run/looping"), "--stuck-limit", "2"});
  EXPECT_EQ(outcome.exit_code, 128 + SIGABRT) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("ledger of process"), HasSubstr("1 finding"),
                                 HasSubstr("has been in one call for 2 s or more"), HasSubstr("LoopInCreateAllocation"),
                                 HasSubstr("waits for a mutex of the graphics kernel, held by thread 'client_story'")));
}

TEST(Run, ADriverThatStopsTheMachineAtItsEndHasALedger) {
  Outcome outcome = story("leak", {"--driver", driver("tests/run/bug_check_at_end")});
  EXPECT_EQ(outcome.exit_code, 128 + SIGABRT) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 finding"), HasSubstr("the driver called for bug check 0xE2"),
                                 HasSubstr("forget_allocations at "), HasSubstr("incomplete: the machine stopped"),
                                 Not(HasSubstr("CHECK("))));
  EXPECT_EQ(objects(outcome, "allocation").at_exit, 3u) << outcome.out;
}

TEST(Run, AFaultOfTheClientIsTheClients) {
  Outcome outcome = story("own-fault");
  EXPECT_EQ(outcome.exit_code, 42) << outcome.out;
}

TEST(Run, ClientsHaveWideNames) {
  Outcome outcome = story("names");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("description: [ -~]+\n"))) << outcome.out;
}

TEST(Run, ClientsShareByNameWithOurOwnHeaders) {
  Outcome outcome = story("shared-name");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("0 findings, 0 leaks, 0 refusals"));
}

TEST(Run, AnNtHandleIsAFileDescriptor) {
  Outcome outcome = story("shared-handle");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("0 findings, 0 leaks, 1 refusal"));
}

TEST(Run, AProgramThatDoesNothingHasNoLedger) {
  EXPECT_THAT(story("nothing").out, HasSubstr("never called D3DKMT"));
  Outcome outcome = drydock({"run", "--", "/bin/sh", "-c", "exit 5"});
  EXPECT_EQ(outcome.exit_code, 5);
}

TEST(Run, KeepsTheLedgerInAFile) {
  TemporaryFolder folder;
  std::string file = folder.path() + "/ledger.txt";
  Outcome outcome = story("leak", {"--ledger", file});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(read_text(file), HasSubstr("forget_allocations"));
}

TEST(Run, WhatCannotBeRunIsRefused) {
  EXPECT_EQ(drydock({"run", "--", "/no/such/program"}).exit_code, 127);
  EXPECT_EQ(drydock({"run", "--", "/etc/passwd"}).exit_code, 126);
  EXPECT_EQ(drydock({"run"}).exit_code, 2);
  Outcome missing = story("tidy", {"--driver", "/no/such/driver.so"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.out, HasSubstr("/no/such/driver.so"));
}

TEST(Run, ASanitizedDriverIsRefusedBeforeTheProgramStarts) {
  Outcome outcome = story("tidy", {"--driver", DRYDOCK_SANITIZED});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("built with a sanitizer"));
}

TEST(Run, ADriverThatIsNoDisplayDriverIsRefused) {
  Outcome outcome = story("tidy", {"--driver", driver("mill")});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("mill.so: no display driver"));
}

// --- The library ---

std::vector<std::string> exported_names() {
  std::vector<std::string> names;
  std::string command = "nm -D --defined-only " DRYDOCK_LIBDXCORE " | awk '{print $3}'";
  FILE* pipe = popen(command.c_str(), "r");
  char line[512];
  while (pipe && fgets(line, sizeof(line), pipe)) names.emplace_back(line, strcspn(line, "\n"));
  EXPECT_EQ(pclose(pipe), 0);
  return names;
}

TEST(Libdxcore, HasEveryD3dkmtFunctionAndNoCxxNames) {
  std::vector<std::string> names = exported_names();
  auto has = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
#define THUNK(name, argument, file) EXPECT_TRUE(has("D3DKMT" #name));
#define REFUSED(name) EXPECT_TRUE(has("D3DKMT" #name));
#include "kmt/client/thunks.def"
  EXPECT_TRUE(has("DXCoreCreateAdapterFactory"));
  for (const std::string& name : names) {
    EXPECT_FALSE(name.starts_with("_Z") || name.find('@') != std::string::npos) << name;
  }
}

TEST(Libdxcore, HasWhatTheDriversCall) {
  std::vector<std::string> names = exported_names(), missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DRYDOCK_DRIVERS)) {
    if (entry.path().extension() != ".so" || entry.path().filename() == "device.so") continue;
    auto file = base::ElfFile::open(entry.path().string());
    ASSERT_TRUE(file.ok()) << entry.path();
    if (!file.value().offers("DriverEntry")) continue;  // of user mode: its runtime is the program's
    if (file.value().wants("KsInitializeDriver"))
      continue;  // streams: clients of the graphics kernel have no use for it
    for (const auto& symbol : file.value().undefined_symbols()) {
      bool nt = !symbol.name.empty() && (isupper(symbol.name[0]) || symbol.name.starts_with("__sanitizer"));
      if (nt && std::ranges::find(names, symbol.name) == names.end()) missing.push_back(symbol.name);
    }
  }
  EXPECT_THAT(missing, IsEmpty());
}

#endif

}  // namespace
}  // namespace tests
