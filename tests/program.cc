#include "program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace tests {

namespace {

// A program that was started, and what it has said so far.
class Started {
 public:
  explicit Started(const std::vector<std::string>& command) {
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      if (chdir(DRYDOCK_SOURCE_DIR) == 0) execvp(argv[0], argv.data());
      _exit(127);
    }
    close(ends[1]);
    out_ = ends[0];
  }

  // Until it has said that, or has ended.
  void read_until(const std::string& text) {
    while (outcome_.out.find(text) == std::string::npos && read_more()) {
    }
  }
  pid_t pid() const { return pid_; }
  Outcome wait() {
    while (read_more()) {
    }
    close(out_);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    outcome_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome_;
  }

 private:
  bool read_more() {
    char buffer[65536];
    ssize_t got = read(out_, buffer, sizeof(buffer));
    if (got > 0) outcome_.out.append(buffer, static_cast<size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  }

  pid_t pid_ = -1;
  int out_ = -1;
  Outcome outcome_;
};

std::vector<std::string> drydock_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {DRYDOCK_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace

Outcome run(const std::vector<std::string>& command) { return Started(command).wait(); }

Outcome drydock(const std::vector<std::string>& arguments) { return run(drydock_command(arguments)); }

Outcome drydock_interrupted(const std::vector<std::string>& arguments, const std::string& text, int signal) {
  Started program(drydock_command(arguments));
  program.read_until(text);
  kill(program.pid(), signal);
  return program.wait();
}

std::string driver(const std::string& name) { return DRYDOCK_DRIVERS "/" + name + ".so"; }

std::vector<std::string> rules_found(const Outcome& outcome) {
  std::vector<std::string> rules;
  static const std::regex kHeadline("(?:^|\n) *(?:error|warning) ([A-Z]+(?:-[A-Z]+)*-[0-9]+):");
  for (std::sregex_iterator at(outcome.out.begin(), outcome.out.end(), kHeadline), end; at != end; ++at) {
    rules.push_back((*at)[1]);
  }
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "drydock-XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace tests
