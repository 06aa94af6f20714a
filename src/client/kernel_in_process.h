#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/client_thread.h"
#include "client/fd_handles.h"
#include "client/ledger_report.h"
#include "client/ledger_writer.h"
#include "client/settings.h"
#include "host/embed/embedded.h"
#include "kmt/client/client.h"
#include "kmt/memory/direct_memory.h"

namespace client {

// The graphics kernel inside of the process that uses it, on a live machine: the contents of libdxcore.so. Built by the
// first call (call.h), kept to the very end of the process, never destroyed. Any thread of the process.
class KernelInProcess {
 public:
  // Called once when the machine stops in the middle of something, on any thread; then the process ends. It may come
  // before start() has returned.
  using LastWords = void (*)(const LedgerReport&);

  // One sentence when the driver cannot be had.
  static base::Expected<KernelInProcess*, std::string> start(const Settings& settings, LastWords last_words);

  kmt::Client& client() { return *client_; }
  FdHandles& handles() { return *handles_; }
  ClientThreads& threads() { return threads_; }

  // Destroys what the process has left, in the order in which Windows does it for a process that died; then stops the
  // adapter and unloads the driver. Returns what is to be told. Once, when no further call can begin.
  LedgerReport end();
  // What can be told when the machine has stopped in the middle of something: nothing in it is touched any more.
  LedgerReport last_words();

 private:
  KernelInProcess(std::unique_ptr<host::Embedded> embedded, const Settings& settings);
  void count_what_is_left(LedgerReport& report, LedgerWriter& writer);

  const std::unique_ptr<host::Embedded> embedded_;
  const Settings settings_;
  kmt::DirectMemory memory_;
  std::unique_ptr<FdHandles> handles_;
  std::unique_ptr<kmt::Client> client_;
  std::timed_mutex ending_;              // whether the next is there or client_ still is
  std::optional<LedgerReport> counted_;  // what the process had left, once all of it is destroyed
  ClientThreads threads_;
};

}  // namespace client
