#include "host/check/check.h"

#include "host/check/check_processes.h"
#include "host/check/worker.h"
#include "host/run/files_copy.h"

namespace host {

CheckResult check(const CheckOptions& options, const Watch& watch) {
  std::optional<ScratchFolder> scratch;
  CheckOptions whole = options;
  if (!options.run.files.empty()) {
    scratch.emplace();
    whole.scratch = scratch->path();
  }
  DriverWorker worker(whole);
  return check_in_processes(whole, watch, worker, {});
}

}  // namespace host
