#pragma once

#include <sys/types.h>

#include <string>

#include "base/scoped.h"
#include "host/check/batch.h"

namespace host {

// What the processes of a zygote do. Implemented over a driver, and by tests.
class ZygoteBody {
 public:
  // In the zygote, once. On failure `error` receives one sentence.
  virtual bool load(std::string* error) = 0;
  // In a worker: runs the batch, writes lines to `out`, and ends the process.
  [[noreturn]] virtual void run(const BatchCommand& command, int out, WorkerStatus& status) = 0;

 protected:
  ~ZygoteBody() = default;
};

// A child process that has loaded the driver and forks a worker for each batch it is told. Owned by the checking
// process, and ended with it.
//
// On the pipe of results come the lines of the workers, and from the zygote itself:
//   {"type":"error","text":…}                         the driver could not be loaded; the zygote ends
//   {"type":"exit","code":…,"signal":…,"seed":…}      the worker has ended; it was at that seed
class Zygote {
 public:
  // Both outlive it. `scratch` is the folder that holds the workers' copies of files; empty: there are none.
  Zygote(ZygoteBody& body, const std::string& scratch);
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  void begin(const BatchCommand& command);  // one batch at a time
  int results() const { return results_.get(); }
  const WorkerStatus& status() const { return *status_; }
  // Ends the worker that runs now; the zygote reports its death like any other. False: none runs.
  bool kill_worker();
  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] void child_main(ZygoteBody& body, const std::string& scratch, int commands, int results);

  base::ScopedFd commands_;
  base::ScopedFd results_;
  WorkerStatus* status_;  // shared mapping
  pid_t pid_ = -1;
};

}  // namespace host
