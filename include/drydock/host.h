#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "drydock/client.h"
#include "drydock/export.h"
#include "drydock/finding.h"

namespace drydock {

namespace internal {
class Machine;
}

class StreamDevice;
class StreamProgram;
struct AllocatorLedger;

// The options of a host.
struct HostOptions {
  HostOptions() = default;
  HostOptions(std::string driver_path) : driver(std::move(driver_path)) {}  // NOLINT: Host host("mykmd.so")
  HostOptions(const char* driver_path) : driver(driver_path) {}             // NOLINT

  // Path of the kernel driver: a display driver as drydock_add_kmd() builds it, or a minidriver of AVStream as
  // drydock_add_ks() does.
  std::string driver;
  std::string device;  // path of the model of its hardware; empty: device.so beside the driver, if there is one
  std::string umd;     // path of the user-mode driver above it, as drydock_add_umd() builds it; empty: there is none
  std::vector<std::string> more_drivers;  // paths of further minidrivers, for connections between them
  std::uint64_t seed = 0;                 // the same seed gives the same run
  // Real time and real threads instead of simulated ones: for speed. A rule whose violation would stop the machine then
  // ends the process.
  bool live = false;
  bool like_wsl = false;            // answer as Microsoft's Linux driver does where Windows answers differently
  bool keep_client_stacks = false;  // where each allocation of a client was made, for the findings about leaks
  std::string trace_file;           // write the trace there, for `drydock trace`
};

// A machine with one display driver, and the graphics kernel between it and its clients; or with minidrivers, and the
// AVStream class between them and their programs. It runs on a thread of its own and executes the calls of this class;
// between two calls a simulated machine's time stands still. One at a time in a process.
class DRYDOCK_API Host {
 public:
  // Loads the driver and starts its adapter. Does not fail: started() says whether it did.
  explicit Host(const HostOptions& options);
  // Calls stop(), if that was not called.
  ~Host();
  Host(Host&& other) noexcept;
  Host& operator=(Host&& other) noexcept;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  bool started() const;
  // Why it did not start, in one sentence; empty when it did.
  const std::string& refusal() const;

  // A new process.
  Process process(const std::string& name = "client");
  // The same on a machine with minidrivers: <drydock/stream.h>.
  StreamProgram stream_program(const std::string& name = "program");
  // The device of the driver, or of one of HostOptions::more_drivers, counted from 1.
  StreamDevice stream_device(std::size_t driver = 0);
  // What the allocators of connections did, in the order they were made. Also after stop().
  std::vector<AllocatorLedger> allocators() const;

  // Lets time pass on the machine: deferred work of the kernel and of the driver runs. Virtual time costs nothing.
  void pass_time(std::chrono::nanoseconds duration);
  // Runs each on a thread of the machine's own and waits for all. Calls of the API inside of them interleave as the
  // seed decides. They must not throw, and must wait for each other only through the graphics kernel. False when the
  // machine stopped.
  bool together(const std::vector<std::function<void()>>& bodies);

  // How often the kernel has called a function of the driver: "DxgkDdiDestroyAllocation", "AVStrMiniDeleteAllocator".
  // Also after stop(). A name that no driver has is 0.
  std::uint64_t calls(const std::string& ddi) const;

  // What was found so far, worst first. After stop(): all of it, with what the driver left behind.
  std::vector<Finding> findings() const;
  // The same as text for people, with a last line that counts.
  std::string report() const;

  // Ends the processes, stops the adapter, unloads the driver and reports what it left behind. Calls fail from then on.
  void stop();
  // True once calls fail: after stop(), or because the machine stopped by itself.
  bool stopped() const;
  // Why it stopped; empty while it runs.
  std::string stop_reason() const;

 private:
  std::shared_ptr<internal::Machine> machine_;
};

}  // namespace drydock
