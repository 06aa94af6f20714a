#include "host/check/zygote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "host/run/files_copy.h"
#include "host/testing/fake_zygote_body.h"
#include "host/testing/leftovers.h"

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Every wait in here is for something that must happen. It has no limit: a slow machine fails no test, and one that
// never comes is the test runner's to end.
class ZygoteTest : public ::testing::Test {
 protected:
  ZygoteTest() { signal(SIGPIPE, SIG_IGN); }
  ~ZygoteTest() override {
    zygote_.reset();
    EXPECT_FALSE(has_children());
    EXPECT_EQ(open_descriptors(), descriptors_);
  }

  Zygote& zygote() {
    if (!zygote_) zygote_.emplace(body_, scratch_);
    return *zygote_;
  }
  void begin(uint64_t first, uint64_t count) {
    BatchCommand command;
    command.first = first;
    command.count = count;
    zygote().begin(command);
  }
  // The next line that is not empty; empty: the zygote is dead.
  std::string line() {
    for (;;) {
      if (size_t end = unread_.find('\n'); end != std::string::npos) {
        std::string next = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        if (!next.empty()) return next;
        continue;
      }
      char buffer[4096];
      ssize_t got = read(zygote().results(), buffer, sizeof(buffer));
      if (got <= 0) return {};
      unread_.append(buffer, static_cast<size_t>(got));
    }
  }
  std::vector<std::string> lines_until_exit() {
    std::vector<std::string> lines;
    do {
      lines.push_back(line());
    } while (!lines.back().empty() && lines.back().find("\"exit\"") == std::string::npos);
    return lines;
  }
  static std::string exit_line(int code, int exit_signal, uint64_t seed) {
    return nlohmann::ordered_json{{"type", "exit"}, {"code", code}, {"signal", exit_signal}, {"seed", seed}}.dump();
  }

  const size_t descriptors_ = open_descriptors();
  std::string scratch_;
  FakeZygoteBody body_;
  std::optional<Zygote> zygote_;
  std::string unread_;
};

TEST_F(ZygoteTest, AWorkersLinesComeBeforeItsEnd) {
  begin(5, 2);
  EXPECT_THAT(lines_until_exit(), ElementsAre(seed_line(5), seed_line(6), end_line(), exit_line(0, 0, 6)));
  EXPECT_EQ(zygote().status().heartbeat, 2u);
  EXPECT_EQ(zygote().status().pid, 0);
}

TEST_F(ZygoteTest, EveryBatchHasAWorkerOfItsOwn) {
  Shared<std::atomic<pid_t>> worker;
  body_.seed = [&](uint64_t, int) {
    *worker = getpid();
    return false;
  };
  begin(0, 1);
  lines_until_exit();
  pid_t first = *worker;
  begin(1, 1);
  EXPECT_THAT(lines_until_exit(), ElementsAre(seed_line(1), end_line(), exit_line(0, 0, 1)));
  EXPECT_NE(first, *worker);
  EXPECT_NE(first, zygote().pid());
}

TEST_F(ZygoteTest, TheDriverIsLoadedOnceForAllBatches) {
  Shared<std::atomic<int>> loads;
  body_.loading = [&](std::string*) {
    ++*loads;
    return true;
  };
  for (uint64_t seed = 0; seed < 3; ++seed) {
    begin(seed, 1);
    lines_until_exit();
  }
  EXPECT_EQ(*loads, 1);
  EXPECT_EQ(body_.workers(), 3);
}

TEST_F(ZygoteTest, ASignalThatKillsAWorkerIsToldWithItsSeed) {
  body_.seed = [](uint64_t seed, int) {
    if (seed == 6) kill(getpid(), SIGHUP);
    return false;
  };
  begin(5, 4);
  EXPECT_THAT(lines_until_exit(), ElementsAre(seed_line(5), exit_line(-1, SIGHUP, 6)));
}

// A terminal sends SIGINT to the whole group, and `timeout` SIGTERM; only the checking process answers.
TEST_F(ZygoteTest, AnInterruptionOfTheGroupEndsNoWorker) {
  body_.seed = [](uint64_t, int) {
    kill(getpid(), SIGINT);
    kill(getppid(), SIGINT);
    kill(getpid(), SIGTERM);
    kill(getppid(), SIGTERM);
    return false;
  };
  begin(5, 1);
  EXPECT_THAT(lines_until_exit(), ElementsAre(seed_line(5), end_line(), exit_line(0, 0, 5)));
}

TEST_F(ZygoteTest, AnExitCodeIsTold) {
  body_.seed = [](uint64_t, int) -> bool { _exit(77); };
  begin(5, 4);
  EXPECT_THAT(lines_until_exit(), ElementsAre(exit_line(77, 0, 5)));
}

TEST_F(ZygoteTest, AZygoteOutlivesItsWorkers) {
  body_.seed = [](uint64_t seed, int) {
    if (seed == 0) kill(getpid(), SIGKILL);
    return false;
  };
  begin(0, 1);
  lines_until_exit();
  begin(1, 1);
  EXPECT_THAT(lines_until_exit(), ElementsAre(seed_line(1), end_line(), exit_line(0, 0, 1)));
}

TEST_F(ZygoteTest, AnEndIsToldOnALineOfItsOwnWhenTheWorkerDiedInTheMiddleOfOne) {
  body_.seed = [](uint64_t, int out) -> bool {
    constexpr std::string_view kHalf = R"({"type":"find)";
    if (write(out, kHalf.data(), kHalf.size()) < 0) _exit(1);
    kill(getpid(), SIGKILL);
    _exit(1);
  };
  begin(3, 1);
  EXPECT_THAT(lines_until_exit(), ElementsAre(R"({"type":"find)", exit_line(-1, SIGKILL, 3)));
}

TEST_F(ZygoteTest, AWorkerThatHangsCanBeKilled) {
  body_.seed = [](uint64_t seed, int out) -> bool {
    FakeZygoteBody::say(out, seed_line(seed));
    for (;;) pause();
  };
  begin(3, 2);
  EXPECT_EQ(line(), seed_line(3));  // it hangs now
  EXPECT_TRUE(zygote().kill_worker());
  EXPECT_THAT(lines_until_exit(), ElementsAre(exit_line(-1, SIGKILL, 3)));
}

TEST_F(ZygoteTest, WithoutAWorkerThereIsNothingToKill) {
  EXPECT_FALSE(zygote().kill_worker());
  begin(0, 1);
  lines_until_exit();
  EXPECT_FALSE(zygote().kill_worker());
}

TEST_F(ZygoteTest, ADriverThatCannotBeLoadedIsAnErrorAndEndsIt) {
  body_.loading = [](std::string* error) {
    *error = "fake.so: is no driver";
    return false;
  };
  EXPECT_EQ(line(), R"({"type":"error","text":"fake.so: is no driver"})");
  EXPECT_EQ(line(), "");
  begin(0, 1);  // no process reads it, and nothing else happens
  EXPECT_EQ(body_.workers(), 0);
}

TEST_F(ZygoteTest, AZygoteThatIsKilledTakesItsWorkerWithIt) {
  body_.seed = [](uint64_t seed, int out) -> bool {
    FakeZygoteBody::say(out, seed_line(seed));
    for (;;) pause();
  };
  begin(3, 1);
  EXPECT_EQ(line(), seed_line(3));
  kill(zygote().pid(), SIGKILL);
  EXPECT_EQ(line(), "") << "the worker holds the pipe for as long as it lives";
}

TEST_F(ZygoteTest, OneThatIsNoLongerWantedTakesItsWorkerWithIt) {
  // The worker keeps the write end for as long as it lives.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  body_.seed = [&](uint64_t seed, int out) -> bool {
    FakeZygoteBody::say(out, seed_line(seed));
    for (;;) pause();
  };
  begin(3, 1);
  EXPECT_EQ(line(), seed_line(3));
  zygote_.reset();
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST_F(ZygoteTest, WhatAWorkerLeftInTheScratchFolderIsRemoved) {
  ScratchFolder scratch;
  scratch_ = scratch.path();
  body_.seed = [&](uint64_t, int) -> bool {
    std::filesystem::create_directory(std::filesystem::path(scratch_) / std::to_string(getpid()));
    kill(getpid(), SIGKILL);
    return false;
  };
  begin(0, 1);
  lines_until_exit();
  EXPECT_TRUE(std::filesystem::is_empty(scratch_));
}

}  // namespace
}  // namespace host
