#pragma once

#include <sys/wait.h>

#include <cerrno>
#include <filesystem>

namespace host {

// For tests: what this process has that it must not keep.
inline size_t open_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}
// Of this process, alive or not yet waited for.
inline bool has_children() {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

}  // namespace host
