#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/executor.h"
#include "drydock/finding.h"
#include "drydock/host.h"
#include "drydock/stream.h"
#include "host/embed/embedded.h"

namespace drydock::internal {

class Client;
class StreamClient;

// The implementation of a Host; after its stop, the results. Owned by the Host and by every value that names something
// in it. Any thread, and the machine's own: a user's function that runs there calls the API like any other.
class Machine {
 public:
  explicit Machine(const HostOptions& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  bool started() const { return refusal_.empty(); }
  const std::string& refusal() const { return refusal_; }

  // Does it on the machine's first thread, or right here when this is a thread of the machine. False when the machine
  // has stopped, then or before.
  bool run(const std::function<void(host::Graphics&)>& what);
  // The same with the AVStream class. Each is also false on a machine of the other kind.
  bool stream(const std::function<void(host::Streams&)>& what);
  bool has_graphics() const { return !streaming_; }
  host::Streams& streams() { return embedded_->streams(); }  // on the machine's thread
  // Looks at something of the machine's, on its thread or, when that is at its end, here.
  void look(const std::function<void()>& at);
  void pass_time(base::TimeNs duration);
  bool together(const std::vector<std::function<void()>>& bodies);

  // stop() ends these clients before the machine.
  void add(std::shared_ptr<Client> client);
  void add(std::shared_ptr<StreamClient> program);

  uint64_t calls(const std::string& ddi);
  std::vector<AllocatorLedger> allocators();
  std::vector<Finding> findings();
  std::string report();
  void stop();
  bool stopped();
  std::string stop_reason();

 private:
  bool on_own_thread() const;
  bool perform(const std::function<void()>& what);
  void end_clients();
  uint64_t stream_calls(const std::string& routine);

  const HostOptions options_;
  std::string refusal_;
  bool streaming_ = false;
  std::mutex calls_mutex_;                    // one call at a time; also around embedded_
  std::unique_ptr<host::Embedded> embedded_;  // null when there is no machine any more
  host::DdiTotals ddi_calls_{};               // the totals when the machine ended
  host::StreamTotals stream_calls_{};
  std::vector<ks::AllocatorNode::Ledger> allocators_;
  std::vector<verifier::Finding> findings_;
  std::mutex state_mutex_;  // around what follows
  std::vector<std::shared_ptr<Client>> clients_;
  std::vector<std::shared_ptr<StreamClient>> programs_;
  bool stopped_ = false;
};

}  // namespace drydock::internal
