#include "host/check/zygote.h"

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
#include "host/run/files_copy.h"
#include "verifier/finding/finding_json.h"

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

// On a line of its own, even if the worker died in the middle of one.
void say(int out, const Json& message) {
  std::string line = "\n" + verifier::dump_json(message, -1) + "\n";
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

Zygote::Zygote(ZygoteBody& body, const std::string& scratch) {
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
    child_main(body, scratch, commands.read.get(), results.write.get());
  }
  commands_ = std::move(commands.write);
  results_ = std::move(results.read);
}

Zygote::~Zygote() {
  int status;
  // A zygote that died has taken its worker with it, and the worker's number may belong to another process by now.
  if (waitpid(pid_, &status, WNOHANG) != pid_) {
    kill_worker();
    // It has nothing to lose. Closing its pipe would not tell it: its siblings hold copies.
    kill(pid_, SIGKILL);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  munmap(status_, sizeof(WorkerStatus));
}

void Zygote::begin(const BatchCommand& command) {
  *status_ = WorkerStatus{.pid = 0, .seed = command.first, .heartbeat = 0};
  // A zygote that is dead says so by the end of its results.
  [[maybe_unused]] ssize_t wrote = write(commands_.get(), &command, sizeof(command));
}

bool Zygote::kill_worker() {
  int32_t worker = __atomic_load_n(&status_->pid, __ATOMIC_ACQUIRE);
  return worker > 0 && kill(worker, SIGKILL) == 0;
}

void Zygote::child_main(ZygoteBody& body, const std::string& scratch, int commands, int results) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A terminal interrupts the whole group. The checking process decides, and it ends its children.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  std::string error;
  if (!body.load(&error)) {
    say(results, {{"type", "error"}, {"text", error}});
    _exit(2);
  }
  BatchCommand command;
  while (read_command(commands, command)) {
    pid_t worker = fork();
    CHECK(worker >= 0);
    if (worker == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      // Before anything can happen to it or to its zygote.
      __atomic_store_n(&status_->pid, getpid(), __ATOMIC_RELEASE);
      body.run(command, results, *status_);
    }
    __atomic_store_n(&status_->pid, worker, __ATOMIC_RELEASE);
    int status;
    while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
    }
    __atomic_store_n(&status_->pid, 0, __ATOMIC_RELEASE);
    FilesCopy::remove(scratch, worker);
    say(results, {{"type", "exit"},
                  {"code", WIFEXITED(status) ? WEXITSTATUS(status) : -1},
                  {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
                  {"seed", status_->seed}});
  }
  _exit(0);
}

}  // namespace host
