#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "base/scoped.h"
#include "host/worker.h"

namespace host {

// A child process that has loaded the driver and forks a worker for each batch it is told. Owned by the checking
// process, and ended with it.
class Zygote {
 public:
  explicit Zygote(const CheckOptions& options);
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  void begin(const BatchCommand& command);  // one batch at a time
  int results() const { return results_.get(); }
  const WorkerStatus& status() const { return *status_; }
  // Ends the worker that runs now; the zygote reports its death like any other.
  void kill_worker();

 private:
  [[noreturn]] void child_main(const CheckOptions& options, int commands, int results);

  base::ScopedFd commands_;
  base::ScopedFd results_;
  WorkerStatus* status_;  // shared mapping
  pid_t pid_ = -1;
};

}  // namespace host
