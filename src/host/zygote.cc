#include "host/zygote.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "host/files_copy.h"
#include "verifier/finding_json.h"

namespace host {
namespace {

using Json = nlohmann::ordered_json;

struct Pipe {
  base::ScopedFd read, write;

  Pipe() {
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
};

void say(int out, const Json& message) {
  std::string line = verifier::dump_json(message, -1) + "\n";
  if (write(out, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
}

// The next command, or false when the pipe was closed.
bool read_command(int commands, BatchCommand& command) {
  ssize_t got;
  do {
    got = read(commands, &command, sizeof(command));
  } while (got < 0 && errno == EINTR);
  return got == sizeof(command);
}

}  // namespace

Zygote::Zygote(const CheckOptions& options) {
  void* shared = mmap(nullptr, sizeof(WorkerStatus), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  status_ = new (shared) WorkerStatus{};
  Pipe commands, results;
  std::fflush(nullptr);
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    commands.write.reset();
    results.read.reset();
    child_main(options, commands.read.get(), results.write.get());
  }
  commands_ = std::move(commands.write);
  results_ = std::move(results.read);
}

Zygote::~Zygote() {
  kill_worker();
  kill(pid_,
       SIGKILL);  // it has nothing to lose; its siblings hold copies of the pipe, so closing that would not tell it
  int status;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  munmap(status_, sizeof(WorkerStatus));
}

void Zygote::begin(const BatchCommand& command) {
  *status_ = WorkerStatus{.pid = 0, .seed = command.first, .heartbeat = 0};
  // A zygote that is dead says so by the end of its results.
  [[maybe_unused]] ssize_t wrote = write(commands_.get(), &command, sizeof(command));
}

void Zygote::kill_worker() {
  if (int32_t worker = __atomic_load_n(&status_->pid, __ATOMIC_ACQUIRE); worker > 0) kill(worker, SIGKILL);
}

void Zygote::child_main(const CheckOptions& options, int commands, int results) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string error;
  auto images = Images::load(options.driver, options.kmd, options.device, &error);
  if (!images) {
    say(results, {{"type", "error"}, {"text", error}});
    _exit(2);
  }
  BatchCommand command;
  while (read_command(commands, command)) {
    pid_t worker = fork();
    CHECK(worker >= 0);
    if (worker == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      run_worker(*images, options, command, results, status_);
    }
    __atomic_store_n(&status_->pid, worker, __ATOMIC_RELEASE);
    int status;
    while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
    }
    __atomic_store_n(&status_->pid, 0, __ATOMIC_RELEASE);
    FilesCopy::remove(options.scratch, worker);
    say(results, {{"type", "exit"},
                  {"code", WIFEXITED(status) ? WEXITSTATUS(status) : -1},
                  {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
                  {"seed", status_->seed}});
  }
  _exit(0);
}

}  // namespace host
