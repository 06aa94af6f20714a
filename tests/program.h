#pragma once

#include <string>
#include <vector>

namespace tests {

struct Outcome {
  int exit_code = -1;  // 128 + signal when it was killed
  std::string out;     // standard output and error together
};

// Runs a command, its program found as a shell finds it, and waits for it. Paths are relative to the source folder.
// Exit code 127: there is no such program.
Outcome run(const std::vector<std::string>& command);

// Runs the `drydock` program of this build tree.
Outcome drydock(const std::vector<std::string>& arguments);

// The same, and sends it a signal when it has said that.
Outcome drydock_interrupted(const std::vector<std::string>& arguments, const std::string& text, int signal);

// A driver of this build tree: "mill", "bad/nt/leak".
std::string driver(const std::string& name);

// The rules named by an outcome's findings, sorted, each once.
std::vector<std::string> rules_found(const Outcome& outcome);

// A folder that is removed again.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace tests
