#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "abi/shared/ntdef.h"

namespace client {

// What a process did with the graphics kernel, as text: addresses are resolved to names. A value, made when the process
// ends.
struct LedgerReport {
  struct Objects {
    std::string kind;
    uint64_t created, peak, at_exit;
  };
  // Objects of one kind that were made at one place and never destroyed.
  struct Leak {
    std::string kind;
    uint64_t handle;  // the first one's
    uint64_t count;
    uint64_t bytes;                  // of all together
    std::vector<std::string> stack;  // where, innermost first; empty when it was not recorded
  };
  struct Refusal {
    std::string function;
    NTSTATUS status;
    std::string reason;
    std::string where;  // the place in Drydock that said no
    uint64_t times;
  };

  std::string process;
  int pid = 0;
  std::string driver;
  std::vector<Objects> objects;
  uint64_t peak_bytes = 0;
  uint64_t bytes_at_exit = 0;
  std::vector<Leak> leaks;
  std::vector<Refusal> refusals;
  std::vector<std::string> findings;  // errors, each as the verifier's report has it
  std::vector<std::string> warnings;  // the same; they do not count in the exit code
  std::string remark;                 // why this is not all; empty when it is

  uint64_t leaked_objects() const;
};

// The report for a person. Its first line is also for programs: see LedgerFile.
std::string text_of(const LedgerReport& report);

// The line that a process writes when it opens the graphics kernel: a process that never writes a report is known by
// it.
std::string opening_line(const std::string& process, int pid);

// A file that processes have appended their lines and reports to, as `drydock run` reads it.
struct LedgerFile {
  struct Process {
    int pid;
    std::string name;
    bool reported;
  };

  std::vector<Process> processes;  // in the order they came
  uint64_t findings = 0;           // without warnings
  std::string reports;             // all reports, one after another

  static LedgerFile parse(std::string_view text);
};

}  // namespace client
