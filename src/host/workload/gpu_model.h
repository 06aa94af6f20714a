#pragma once

#include <optional>
#include <vector>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/workload/gpu_context.h"

namespace host {

// A buffer of which every byte is known: each command that writes to it is also carried out on the copy here, when it
// is recorded. That is right as long as its commands run in the order in which they are recorded. Used on one thread.
class ModelBuffer {
 public:
  // Its bytes are known from its first fill of everything on, which goes into `commands`.
  static std::optional<ModelBuffer> make(GpuClient& client, GpuCommands& commands, uint64_t bytes, uint32_t pattern,
                                         GpuClient::Place place = GpuClient::Place::Video);
  ModelBuffer(GpuClient& client, const GpuBuffer& buffer, GpuCommands& commands, uint32_t pattern);

  void fill(GpuCommands& commands, uint64_t offset, uint64_t bytes, uint32_t pattern);
  void copy(GpuCommands& commands, uint64_t offset, const ModelBuffer& from, uint64_t from_offset, uint64_t bytes);
  // Only where the workload knows DRYDOCK_WORK_LONG.
  void take_long(GpuCommands& commands, uint32_t words, uint32_t rounds);
  // One to three fills and copies, wherever chance will have it.
  void scribble(GpuCommands& commands, ScenarioEnvironment& environment);

  GpuBuffer buffer;
  std::vector<uint8_t> bytes;

 private:
  GpuClient* client_;
};

// Compares buffers with their models, by the GPU's checksum or by a copy that the CPU reads. Belongs to one client.
class Oracle {
 public:
  // Null when there is no memory for it.
  static std::unique_ptr<Oracle> make(GpuClient& client, uint64_t largest_buffer);

  // Behind what the context has queued. False when that never came to an end, as the device was lost: nothing was
  // compared then. What is compared and differs is a finding.
  bool check(GpuContext& context, const ModelBuffer& model);
  // By a lock of the buffer itself.
  void check_locked(const ModelBuffer& model);

 private:
  Oracle(GpuClient& client, const GpuBuffer& copy) : client_(client), copy_(copy) {}

  GpuClient& client_;
  GpuBuffer copy_;
};

// A process that uses `bytes` of memory again and again, so that blocks of others are evicted.
void crowd_out(ScenarioEnvironment& environment, const std::string& name, uint64_t bytes, uint32_t rounds);

}  // namespace host
