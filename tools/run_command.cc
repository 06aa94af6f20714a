// drydock run -- PROGRAM: a D3DKMT client on a driver of ours, and what it did there.
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/debug/elf_file.h"
#include "client/ledger_report.h"
#include "client/settings.h"
#include "host/run/driver_image.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

// As shells have it.
constexpr int kNotExecutable = 126, kNotFound = 127, kSignalled = 128;

struct Arguments {
  std::vector<std::string> command;
  std::string driver, device, ledger;
  bool like_wsl = false;
  uint32_t stuck_limit_s = client::kStuckLimitS;
};

// The folder of libdxcore.so: in a staged or installed tree, or in a plain build tree.
std::string find_library_folder() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* candidate : {"../lib", "../src/client"}) {
    fs::path folder = (program / candidate).lexically_normal();
    if (fs::exists(folder / "libdxcore.so", error)) return folder.string();
  }
  return {};
}

// One sentence when libdxcore.so could not load this driver; it says the same itself, but in the middle of the program.
std::string refusal_of_driver(const std::string& path) {
  auto file = base::ElfFile::open(path);
  if (!file.ok()) return fmt::format("{}: {}", path, file.failure().why());
  if (host::sanitizer_of(file.value()) != base::Sanitizer::None) {
    return fmt::format(
        "{}: built with a sanitizer, and `drydock run` puts the driver into a program that is not: build it plain, or "
        "use `drydock check`",
        path);
  }
  if (!host::is_graphics_driver(file.value()))
    return fmt::format("{}: no display driver: it never calls DxgkInitialize", path);
  return {};
}

// A file of our own that the program's processes append to; removed with this.
class LedgerPath {
 public:
  LedgerPath() {
    std::string pattern = (fs::temp_directory_path() / "drydock-ledger-XXXXXX").string();
    int fd = mkstemp(pattern.data());
    if (fd < 0) return;
    close(fd);
    path_ = pattern;
  }
  ~LedgerPath() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  LedgerPath(const LedgerPath&) = delete;
  LedgerPath& operator=(const LedgerPath&) = delete;

  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

void set_variable(const char* name, const std::string& value) {
  if (value.empty()) {
    unsetenv(name);
  } else {
    setenv(name, value.c_str(), 1);
  }
}

void set_environment(const Arguments& arguments, const std::string& library_folder, const std::string& ledger) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  set_variable("LD_LIBRARY_PATH", before && *before ? library_folder + ":" + before : library_folder);
  set_variable(client::kDriverVariable, arguments.driver);
  set_variable(client::kDeviceVariable, arguments.device);
  set_variable(client::kWslVariable, arguments.like_wsl ? "1" : "");
  set_variable(client::kLedgerVariable, ledger);
  set_variable(client::kStuckVariable, std::to_string(arguments.stuck_limit_s));
}

// Runs the program and returns its wait status. Signals from the terminal end the program and not this process, which
// has to report it.
int run_program(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(nullptr);
  pid_t pid = fork();
  if (pid == 0) {
    execvp(argv[0], argv.data());
    fmt::print(stderr, "drydock: {}: {}\n", argv[0], strerror(errno));
    std::fflush(nullptr);
    _exit(errno == ENOENT ? kNotFound : kNotExecutable);
  }
  if (pid < 0) return W_EXITCODE(kNotExecutable, 0);
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

// What is to be read: reports, and a sentence for every process that wrote none.
std::string tale_of(const client::LedgerFile& file, const std::string& program, int status) {
  std::string text = file.reports;
  for (const auto& process : file.processes) {
    if (process.reported) continue;
    text += fmt::format(
        "drydock: no ledger of process {} ({}): it ended without running its exit handlers; the program {}\n",
        process.pid, process.name, how_it_ended(status));
  }
  if (file.processes.empty()) {
    text += fmt::format("drydock: no ledger: {} never called D3DKMT through libdxcore.so, and {}\n", program,
                        how_it_ended(status));
  }
  return text;
}

int exit_code_of(int status, uint64_t findings) {
  if (WIFSIGNALED(status)) return kSignalled + WTERMSIG(status);
  return WEXITSTATUS(status) == 0 && findings != 0 ? kFindings : WEXITSTATUS(status);
}

int run(Arguments arguments) {
  std::string library_folder = find_library_folder();
  if (library_folder.empty()) {
    return refuse("there is no libdxcore.so in lib beside this program (a sanitized build has none)");
  }
  if (arguments.driver.empty()) {
    arguments.driver = client::default_driver(library_folder);
    if (arguments.driver.empty()) return refuse("softgpu is not there; name a driver with --driver");
  }
  if (std::string refusal = refusal_of_driver(arguments.driver); !refusal.empty()) return refuse(refusal);
  std::error_code error;
  arguments.driver = fs::absolute(arguments.driver, error).string();
  if (!arguments.device.empty()) arguments.device = fs::absolute(arguments.device, error).string();
  LedgerPath ledger;
  if (ledger.path().empty()) return refuse("no temporary file can be made for the ledger");

  set_environment(arguments, library_folder, ledger.path());
  int status = run_program(arguments.command);
  client::LedgerFile file = client::LedgerFile::parse(ledger.text());
  std::string tale = tale_of(file, arguments.command.front(), status);
  bool started = file.processes.size() != 0 || !WIFEXITED(status) || WEXITSTATUS(status) < kNotExecutable;
  if (started) fmt::print(stderr, "{}", tale);
  if (!arguments.ledger.empty() && !(std::ofstream(arguments.ledger, std::ios::binary) << tale)) {
    return refuse(fmt::format("{}: cannot be written", arguments.ledger));
  }
  return exit_code_of(status, file.findings);
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("run", "run a D3DKMT client on a driver and say what it did there");
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  command->add_option("program", a.command, "the program and its arguments, after --")->required();
  command->add_option("--driver", a.driver, "the kernel driver (.so); softgpu when none is named");
  command->add_option("--device", a.device, "its hardware (.so); device.so beside the driver when none is named");
  command->add_option("--ledger", a.ledger, "also write the ledger to this file");
  command
      ->add_option(
          "--stuck-limit", a.stuck_limit_s,
          "seconds that a call may take before the program is stuck: then it is ended, and the ledger says who "
          "waits for what; 0: any number")
      ->capture_default_str()
      ->check(CLI::Range(0u, 86400u));
  command->add_flag("--wsl", a.like_wsl, "answer as Microsoft's Linux driver does where Windows differs");
  command->footer(
      "The ledger goes to standard error when the program has ended. Exit code: the program's; 128 and the signal's\n"
      "number when a signal ended it; 1 when it succeeded but broke a rule, or its driver did; 2 when Drydock\n"
      "refuses to run it; 126 or 127 when it cannot be started.");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tools
