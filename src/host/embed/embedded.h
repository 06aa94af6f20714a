#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/debug/module_map.h"
#include "dxgk/adapter/policy.h"
#include "host/run/driver_image.h"
#include "host/scenarios/kmd/graphics.h"
#include "host/scenarios/ks/streams.h"
#include "host/scenarios/umd/umd_image.h"
#include "trace/sink.h"
#include "trace/writer.h"
#include "verifier/watch/verifier.h"

namespace host {

struct EmbeddedOptions {
  std::string driver;                     // path of the kernel driver
  bool minidrivers = false;               // it may be a minidriver of AVStream instead of a display driver
  std::vector<std::string> more_drivers;  // paths of further minidrivers, beside a minidriver
  std::string device;                     // path of its hardware; empty: device.so beside the driver, if there
  std::string umd;                        // path of a user-mode driver; empty: there is none, and no Direct3D runtime
  uint64_t seed = 0;
  nt::Pace pace = nt::Pace::Simulated;
  dxgk::Policy policy;
  bool trace = false;
  std::string trace_file;  // where the trace goes; implies `trace`
  // Of a live machine: see nt::MachineOptions. The second is called on any thread, start() may not have returned yet.
  uint32_t stuck_limit_s = nt::MachineOptions{}.stuck_limit_s;
  std::function<void(class Embedded&)> on_live_stop = {};
};

// A machine with a display driver, or with minidrivers, inside of another program's process. It has a thread of its
// own, and carries out one request at a time. Between two requests a simulated machine's time stands still, and a live
// one's goes on. Used by one thread at a time, except visit().
class Embedded {
 public:
  // Never null: refusal() is empty when the driver runs. If it cannot be loaded or is refused, what was found on the
  // way can still be asked for.
  static std::unique_ptr<Embedded> start(const EmbeddedOptions& options);
  ~Embedded();
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;

  // Calls `what` on the machine's first thread and waits, without a limit. To have a stuck command of a live machine
  // found, put a nt::Work into it. False when the machine has stopped, then or before: a finding says why.
  bool perform(const std::function<void()>& what);
  // The same with the graphics kernel; also false when the machine has none.
  bool run(const std::function<void(Graphics&)>& what);
  // Ends the clients, stops the adapter, unloads the driver and judges what is left. Once; after it only what was found
  // can be asked for.
  void stop();

  // Why the driver did not start, in one sentence; empty when it did.
  const std::string& refusal() const { return refusal_; }
  // What was found so far.
  std::vector<verifier::Finding> findings();
  // The same without asking the machine's own thread: on that thread, or, of a live machine, on any.
  std::vector<verifier::Finding> findings_now();
  // How often each function of the driver was called so far.
  DdiTotals ddi_calls();
  StreamTotals stream_calls();
  // The allocators that there are, and the last ones that there were.
  std::vector<ks::AllocatorNode::Ledger> allocators();

  nt::Machine& machine() { return *machine_; }  // live: for visits
  Graphics& graphics() { return *graphics_; }   // live: on a visit
  // Its driver is a minidriver: there are streams() and no graphics().
  bool is_streaming() const { return options_.minidrivers && image_ && image_->is_streaming(); }
  Streams& streams() { return *streams_; }
  base::ModuleMap& modules() { return modules_; }
  trace::Writer& writer() { return writer_; }

 private:
  class OneAtATime;

  explicit Embedded(const EmbeddedOptions& options);
  bool refuse(std::string why);  // false
  bool load();
  bool load_more();
  bool open_trace();
  void close_trace();
  void launch();
  void thread_main();
  void serve();
  bool start_drivers();
  void stop_drivers();

  const EmbeddedOptions options_;
  std::optional<DriverImage> image_;
  std::vector<DriverImage> more_images_;
  std::optional<UmdImage> umd_;
  base::ModuleMap modules_;
  std::unique_ptr<verifier::Verifier> verifier_;
  std::unique_ptr<OneAtATime> one_at_a_time_;  // in front of it, on a live machine
  trace::Writer writer_;
  std::unique_ptr<trace::FileSink> sink_;
  std::unique_ptr<nt::Machine> machine_;
  std::unique_ptr<Graphics> graphics_;
  std::unique_ptr<umd::Runtime> runtime_;
  DdiTotals ddi_calls_{};  // when graphics_ went
  std::unique_ptr<Streams> streams_;
  StreamTotals stream_calls_{};  // when streams_ went
  std::vector<ks::AllocatorNode::Ledger> allocators_;
  std::string refusal_;

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* command_ = nullptr;
  bool command_done_ = false;
  bool started_ = false;  // or refused
  bool ending_ = false;
  bool ended_ = false;  // the machine's thread has nothing more to do
};

}  // namespace host
