#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/workload/workload.h"

namespace host {

// Commands as a workload has put them together, and what a submission needs beside them.
struct BuiltCommands {
  struct Reference {
    DRYDOCK_WORK_REFERENCE place;
    size_t work;  // which piece of work it belongs to
  };

  std::vector<uint8_t> bytes;
  std::vector<Reference> references;
  std::vector<uint8_t> private_data;
};

// What one client process has of a workload. What a workload answers is checked: an error is one sentence that names
// the workload and what it did wrong. Used on its client's thread; the workload outlives it.
class WorkloadClient {
 public:
  // Null when the workload is not for this adapter.
  static std::unique_ptr<WorkloadClient> open(const Workload& workload, const DRYDOCK_WORKLOAD_ADAPTER& adapter);
  ~WorkloadClient();
  WorkloadClient(const WorkloadClient&) = delete;
  WorkloadClient& operator=(const WorkloadClient&) = delete;

  const char* name() const { return description_.name; }
  uint32_t alignment() const { return description_.alignment; }
  uint32_t registers() const { return description_.registers; }
  bool knows(uint32_t kind, uint32_t node) const { return description_.knows(client_, kind, node) != 0; }

  // The private data of an allocation.
  base::Expected<std::vector<uint8_t>, std::string> describe(const DRYDOCK_WORKLOAD_MEMORY& memory) const;
  // One buffer of commands for all of it, in this order.
  base::Expected<BuiltCommands, std::string> build(std::span<const DRYDOCK_WORK> work) const;
  // What the memory of CHECKSUM or LONG holds afterwards.
  void apply(const DRYDOCK_WORK& work, uint8_t* to, const uint8_t* from) const {
    description_.apply(client_, &work, to, from);
  }
  // Whether there is an escape for this way to misbehave.
  bool can_misbehave(uint32_t kind) const;
  base::Expected<std::vector<uint8_t>, std::string> misbehave(const DRYDOCK_WORKLOAD_HARDWARE& how) const;

 private:
  WorkloadClient(const DRYDOCK_WORKLOAD& description, DRYDOCK_WORKLOAD_CLIENT* client);
  template <typename Write>
  base::Expected<std::vector<uint8_t>, std::string> write(const char* function, Write write_bytes) const;

  const DRYDOCK_WORKLOAD& description_;
  DRYDOCK_WORKLOAD_CLIENT* const client_;
  // Where the workload writes; used again for each call.
  mutable std::vector<uint8_t> command_room_, private_room_;
};

}  // namespace host
