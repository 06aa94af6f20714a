#include "program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace tests {

Outcome run(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    if (chdir(DRYDOCK_SOURCE_DIR) == 0) execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  Outcome outcome;
  char buffer[65536];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) != 0;) {
    if (got > 0) outcome.out.append(buffer, static_cast<size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Outcome drydock(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {DRYDOCK_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command);
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
