// drydock replay FILE [--gdb]: runs what a schedule recorded, once more.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/run/run_in_process.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "tools/reexec.h"
#include "tools/schedule_file.h"
#include "tools/verdict.h"

namespace tools {
namespace {

struct Arguments {
  std::string file, driver;
  bool gdb = false;
  std::vector<std::string> gdb_arguments;
  bool in_process = false;
};

// The script of gdb_commands.py in a file without a name that a program started from here has too; -1: there is none.
int script_file() {
  static constexpr char kScript[] = {
#include "tools/gdb_commands.inc"
  };
  int file = memfd_create("gdb_commands.py", 0);
  if (file >= 0 && write(file, kScript, sizeof(kScript)) != static_cast<ssize_t>(sizeof(kScript))) return -1;
  return file;
}

// Runs gdb on this program, with a breakpoint where a finding is reported.
int under_gdb(const Arguments& arguments) {
  std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string script = fmt::format("python exec(open('/proc/self/fd/{}').read())", script_file());
  std::vector<const char*> command = {"gdb", "-q",
                                      "-ex", "handle SIGSEGV SIGFPE SIGILL SIGBUS nostop noprint pass",
                                      "-ex", "set breakpoint pending on",
                                      "-ex", "break host::found",
                                      "-ex", script.c_str(),
                                      "-ex", "run"};
  for (const std::string& argument : arguments.gdb_arguments) command.push_back(argument.c_str());
  command.insert(command.end(), {"--args", self.c_str(), "replay", arguments.file.c_str(), "--in-process"});
  if (!arguments.driver.empty()) command.insert(command.end(), {"--driver", arguments.driver.c_str()});
  command.push_back(nullptr);
  execvp("gdb", const_cast<char* const*>(command.data()));
  return refuse(fmt::format("gdb: {}", std::strerror(errno)));
}

int replay(const Arguments& arguments) {
  auto read = read_schedule(arguments.file);
  if (!read.ok()) return refuse(read.error());
  nt::Schedule schedule = read.take();
  std::string driver = arguments.driver.empty() ? schedule.header.driver : arguments.driver;
  if (std::string other = mismatch(schedule, driver); !other.empty()) return refuse(other);
  if (std::string refusal = refusal_of(driver); !refusal.empty()) return refuse(refusal);
  auto scenarios = host::find_scenarios(schedule.header.scenario);
  if (scenarios.size() != 1) {
    return refuse(fmt::format("{}: there is no scenario '{}'", arguments.file, schedule.header.scenario));
  }
  if (arguments.gdb) return under_gdb(arguments);

  host::CheckOptions options;
  options.run.driver = driver;
  options.scenarios = scenarios;
  options.first_seed = schedule.header.seed;
  options.seeds = 1;
  options.jobs = 1;
  options.run.processors = schedule.header.processors;
  options.run.hang_edges = schedule.header.hang_edges;
  options.run.replay = std::move(schedule);
  Verdict verdict;
  verdict.add(options, arguments.in_process ? host::check_in_process(options) : host::check(options, {}), "driver");
  return verdict.tell({});
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("replay", "run a recorded schedule once more");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("file", arguments->file, "written by check --save")->required();
  command->add_option("--driver", arguments->driver, "the driver, if it is no longer where it was");
  auto* gdb = command->add_flag("--gdb", arguments->gdb, "under gdb, stopped where the finding is told");
  command->add_option("gdb_arguments", arguments->gdb_arguments, "after --: more arguments for gdb")->needs(gdb);
  command->add_flag("--in-process", arguments->in_process, "without a child process: for debuggers");
  command->callback([arguments, &exit_code] { exit_code = replay(*arguments); });
}

}  // namespace tools
