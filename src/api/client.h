#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/machine.h"
#include "drydock/client.h"
#include "kmt/client/thunks.h"

namespace drydock::internal {

class Direct3D;

// The implementation of a Process and everything that it names. Shared by those values and, until it stops, the
// machine; ends with it. Any thread.
class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(std::shared_ptr<Machine> machine, std::string name);

  // The process itself, on the machine.
  void begin();

  const std::string& name() const { return name_; }
  // Does it on the machine's thread. Not when the process has ended or the machine has stopped, which is a failure.
  // Each failure leaves its reason in why().
  Status run(const std::function<void(host::Graphics&, kmt::Client&)>& what);
  Status call(kmt::Thunk thunk, void* arguments);
  Status call(const char* function, void* arguments, size_t bytes);
  std::string why();
  Status refuse(Status status, std::string why);
  Ledger ledger();
  void end();

  // What the driver itself takes to describe an allocation; nothing when it was refused.
  std::vector<uint8_t> standard_data(uint64_t bytes);
  // D3DKMTOpenAdapterFromLuid on the host's adapter.
  Handle open_adapter();
  // What the process has to close before it ends. On the machine's thread.
  void add(std::shared_ptr<Direct3D> direct3d) { direct3d_.push_back(std::move(direct3d)); }

  // On the machine's thread.
  void end_here();
  // After the machine's end.
  void abandon();

 private:
  void explain_last_refusal();

  const std::shared_ptr<Machine> machine_;
  const std::string name_;
  std::unique_ptr<host::EmbeddedClient> process_;  // on the machine; null before begin() and after the end
  std::vector<std::shared_ptr<Direct3D>> direct3d_;
  Ledger last_ledger_;                   // from then on
  std::vector<uint64_t> refusals_seen_;  // how often each line of the kernel's ledger had been counted
  std::mutex why_mutex_;
  std::string why_;
};

}  // namespace drydock::internal
