#include "kmt/client/own_process.h"

namespace kmt {
namespace {

HANDLE current_process() { return reinterpret_cast<HANDLE>(~uintptr_t{0}); }

}  // namespace

base::Result<> check_own_process(Client& client, HANDLE process) {
  if (!process) return {};
  if (client.like_wsl()) return base::Failure(STATUS_INVALID_PARAMETER, "a process is named (WSL)");
  if (process == current_process()) return {};
  auto found = client.handles().resolve(process);
  if (!found.ok()) return base::Failure(STATUS_INVALID_HANDLE, ob::describe(found.error()));
  if (found.value()->kind() != ob::ObjectKind::Process) {
    return base::Failure(STATUS_INVALID_HANDLE, "the handle is not that of a process");
  }
  return base::Failure(STATUS_ACCESS_DENIED, "another process's memory is its own");
}

}  // namespace kmt
