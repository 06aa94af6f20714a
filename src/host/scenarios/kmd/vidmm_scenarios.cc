#include "host/scenarios/kmd/vidmm_scenarios.h"

#include <fmt/format.h>

#include <deque>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "host/scenarios/kmd/vidmm_buffer_scenarios.h"
#include "host/workload/gpu_model.h"
#include "kmt/client/thunks.h"

namespace host {
namespace {

using Place = GpuClient::Place;

constexpr uint64_t kBytes = 64 * 1024;
constexpr uint32_t kMiB = 1024 * 1024;
// Little enough that few buffers fill it.
constexpr EnvironmentMemory kLittle = {.local_bytes = kMiB, .aperture_bytes = kMiB / 2};
// Of a driver that cannot be given little.
constexpr uint64_t kMostMemory = 16 * kMiB;

D3DKMT_ALLOCATIONRESIDENCYSTATUS residency(GpuClient& client, const GpuBuffer& buffer) {
  D3DKMT_ALLOCATIONRESIDENCYSTATUS status{};
  D3DKMT_QUERYALLOCATIONRESIDENCY args{client.device(), 0, &buffer.allocation, 1, &status};
  client.succeeds(kmt::QueryAllocationResidency(client.client(), &args));
  return status;
}

// --- Residency ---

// Made resident several times, it stays until it was evicted as often; its bytes survive.
void count_residency(ScenarioContext& context) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  GpuClient client(environment.graphics(), "client");
  if (!client.expect(client.open())) return;
  auto oracle = Oracle::make(client, kBytes);
  auto gpu = GpuContext::create(client, environment.choose(client.nodes()));
  GpuCommands first;
  auto model = ModelBuffer::make(client, first, kBytes, 0x12345678);
  if (!client.expect(oracle && gpu && model)) return;
  client.succeeds(gpu->submit(first));
  uint32_t count = 1;
  for (uint32_t step = 0; step < 16; ++step) {
    GpuCommands commands;
    switch (environment.choose(3)) {
      case 0:
        if (client.succeeds(client.make_resident(model->buffer))) ++count;
        if (environment.perhaps()) client.succeeds(client.wait_for_paging());
        break;
      case 1:
        if (count == 1) client.succeeds(gpu->finish());
        if (count > 0 && client.succeeds(client.evict(model->buffer))) --count;
        break;
      case 2:
        if (count == 0) break;
        if (client.has_residency() && client.paging_value()) client.succeeds(gpu->wait_for_paging());
        model->scribble(commands, environment);
        client.succeeds(gpu->submit(commands));
        break;
    }
    if (client.has_residency() && count > 0) {
      client.expect(residency(client, model->buffer) != D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT);
    }
  }
  if (count == 0) client.succeeds(client.make_resident(model->buffer));
  client.succeeds(client.wait_for_paging());
  client.expect(oracle->check(*gpu, *model));
}

// --- More than there is ---

// One of several processes that together want more than there is. It keeps what it needs next on its device's list and
// takes the oldest off when there is no room, as a Direct3D runtime does.
class Crowd {
 public:
  enum class Device : uint8_t { Stays, MayBeLost };

  Crowd(ScenarioEnvironment& environment, const std::string& name, Device device = Device::Stays)
      : environment_(environment), client_(environment.graphics(), name), device_(device) {}

  // False when the device was lost on the way.
  bool work(uint64_t total_bytes);
  // The same with a part of so many times the memory that there is. False also where this driver has too much of it.
  bool crowd(uint64_t times, uint32_t part);

 private:
  bool open(const char* step = __builtin_FUNCTION()) { return client_.device() || fine(client_.open(), step); }
  bool completes_work();
  bool begin(uint64_t total_bytes);
  bool admit(ModelBuffer& model);
  bool drop_oldest();
  bool use(ModelBuffer& model);
  ModelBuffer& any() { return models_[environment_.choose(static_cast<uint32_t>(models_.size()))]; }
  bool fine(bool fact, const char* step = __builtin_FUNCTION()) const {
    return device_ == Device::MayBeLost ? fact : client_.expect(fact, step);
  }
  bool fine(NTSTATUS status, const char* step = __builtin_FUNCTION()) const {
    return device_ == Device::MayBeLost ? status >= 0 : client_.succeeds(status, step);
  }

  ScenarioEnvironment& environment_;
  GpuClient client_;
  const Device device_;
  std::unique_ptr<Oracle> oracle_;
  std::vector<std::unique_ptr<GpuContext>> contexts_;
  std::deque<ModelBuffer> models_;
  std::deque<ModelBuffer*> resident_;  // the oldest first
};

// Queued work uses it: that has to complete first.
bool Crowd::drop_oldest() {
  for (auto& context : contexts_) {
    if (!fine(context->finish())) return false;
  }
  bool evicted = fine(client_.evict(resident_.front()->buffer));
  resident_.pop_front();
  return evicted;
}

bool Crowd::admit(ModelBuffer& model) {
  if (!client_.has_residency()) return true;
  for (ModelBuffer* known : resident_) {
    if (known == &model) return true;
  }
  NTSTATUS status;
  while ((status = client_.make_resident(model.buffer)) == STATUS_NO_MEMORY && !resident_.empty()) {
    if (!drop_oldest()) return false;
  }
  if (status == STATUS_NO_MEMORY) status = client_.make_resident(model.buffer, GpuClient::Trim::Cannot);
  if (!fine(status)) return false;
  resident_.push_back(&model);
  return fine(client_.wait_for_paging());
}

bool Crowd::use(ModelBuffer& model) {
  GpuContext& context = *contexts_[environment_.choose(static_cast<uint32_t>(contexts_.size()))];
  if (!admit(model)) return false;
  if (environment_.choose(3) == 0) return fine(oracle_->check(context, model));
  GpuCommands commands;
  model.scribble(commands, environment_);
  if (!fine(context.submit(commands))) return false;
  // The others of this client's contexts may be next.
  for (auto& other : contexts_) {
    if (&*other != &context && !fine(other->wait(context.fence().object, context.last()))) return false;
  }
  return true;
}

bool Crowd::begin(uint64_t total_bytes) {
  if (!open()) return false;
  oracle_ = Oracle::make(client_, kBytes);
  for (uint32_t node = 0; node < client_.nodes(); ++node) contexts_.push_back(GpuContext::create(client_, node));
  if (!fine(oracle_ && contexts_.front() && contexts_.back())) return false;
  for (uint64_t bytes = 0; bytes < total_bytes; bytes += kBytes) {
    auto place = environment_.choose(4) == 0 ? Place::Visible : Place::Video;
    auto buffer = client_.create_buffer(kBytes, place);
    if (!fine(buffer.has_value()) || !fine(client_.map(*buffer))) return false;
    GpuCommands commands;
    models_.emplace_back(client_, *buffer, commands, environment_.choose(0x7FFFFFFF));
    if (!admit(models_.back()) || !fine(contexts_.front()->submit(commands))) return false;
  }
  return fine(contexts_.front()->finish());
}

bool Crowd::work(uint64_t total_bytes) {
  if (!begin(total_bytes)) return false;
  for (uint32_t round = 0; round < 24; ++round) {
    if (!use(any())) return false;
  }
  for (ModelBuffer& model : models_) {
    if (!admit(model) || !fine(oracle_->check(*contexts_.front(), model))) return false;
  }
  return true;
}

// What buffers fill. With a workload they are made for the device's own memory; otherwise they go where the driver lets
// them.
uint64_t memory_of(const dxgk::AdapterCaps& caps, bool has_workload) {
  uint64_t bytes = 0;
  for (const dxgk::Segment& segment : caps.segments) {
    if (has_workload && segment.aperture) continue;
    bytes += segment.commit_limit ? segment.commit_limit : segment.size;
  }
  return bytes;
}

// The least that is asked of a driver whose memory cannot be filled: work comes to its end.
bool Crowd::completes_work() {
  auto context = GpuContext::create(client_, 0);
  return fine(context != nullptr) && fine(context->submit(GpuCommands())) && fine(context->finish());
}

// softgpu has been given little. Another driver has what it has, and the commands made for it name no memory: what has
// to be brought in is known from residency alone.
bool Crowd::crowd(uint64_t times, uint32_t part) {
  if (!open()) return false;
  const bool known = client_.has_workload();
  if (!known && !completes_work()) return false;
  uint64_t there_is = memory_of(environment_.graphics().adapter().caps(), known);
  if (!known && !client_.has_residency()) {
    environment_.skip(kNoCommands);
  } else if (there_is > kMostMemory) {
    environment_.skip(fmt::format("this driver has {} MiB of memory, and more than {} MiB are not filled here",
                                  there_is / kMiB, kMostMemory / kMiB));
  } else {
    return work(times * there_is / part);
  }
  return false;
}

// Blocks that had to leave their place, so that another could have it.
uint64_t count_evictions(dxgk::Adapter& adapter) {
  using Cause = vidmm::EvictionCause;
  uint64_t count = 0;
  base::Guard guard(adapter.memory().lock());
  for (const dxgk::Segment& segment : adapter.caps().segments) {
    const vidmm::SegmentStatistics& counted = adapter.memory().manager().statistics(segment.id);
    for (Cause cause : {Cause::Preparation, Cause::Purge, Cause::Evict}) count += counted.evictions_for(cause);
  }
  return count;
}

void oversubscribe(ScenarioContext& context, uint64_t times) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  constexpr uint32_t kProcesses = 3;
  {
    ThreadGroup threads(environment.machine());
    for (uint32_t i = 0; i < kProcesses; ++i) {
      std::string name = "crowd " + std::to_string(i);
      threads.add(name, [&environment, name, times] { Crowd(environment, name).crowd(times, kProcesses); });
    }
  }
  Graphics& graphics = environment.graphics();
  bool came_to_its_end = context.skipped.empty() && graphics.shortfall().empty() && graphics.undisturbed();
  if (came_to_its_end && count_evictions(graphics.adapter()) == 0) {
    environment.leave_incomplete("nothing had to leave video memory, although more was wanted than there is");
  }
}

void oversubscribe_2x(ScenarioContext& context) { oversubscribe(context, 2); }
void oversubscribe_8x(ScenarioContext& context) { oversubscribe(context, 8); }

// The deviations that Windows names for its own memory manager, as the seed chooses; small buffers for paging
// operations; transfers in many parts; and defragmentation. The contents of memory must not change.
vidmm::Knobs choose_knobs(ScenarioEnvironment& environment) {
  vidmm::Knobs knobs;
  knobs.no_demotion = environment.perhaps();
  knobs.never_defer_evictions = environment.perhaps();
  knobs.force_synchronous_evict = environment.perhaps();
  knobs.never_move_defrag = environment.choose(4) == 0;
  knobs.fail_defrag_pass = environment.choose(4) == 0;
  return knobs;
}

void deviate(ScenarioContext& context) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  dxgk::Adapter& adapter = environment.graphics().adapter();
  vidmm::Knobs knobs = choose_knobs(environment);
  adapter.memory().set_knobs(knobs);
  if (environment.perhaps()) adapter.memory().set_paging_limit(64u << environment.choose(8));
  if (environment.perhaps()) adapter.memory().set_transfer_limit(4096u << environment.choose(4));
  ThreadGroup threads(environment.machine());
  for (const char* name : {"first", "second"}) {
    threads.add(name, [&environment, name] { Crowd(environment, name).work(kLittle.local_bytes); });
  }
  for (uint32_t pass = 0; pass < 8; ++pass) {
    environment.rest(kMicrosecond << environment.choose(8));
    for (const dxgk::Segment& segment : adapter.caps().segments) {
      if (segment.aperture) continue;
      bool done = adapter.memory().defragment(segment.id).ok();
      if (done || knobs.fail_defrag_pass || !environment.graphics().undisturbed()) continue;
      environment.leave_incomplete(fmt::format("expected: segment {} is defragmented: it was not", segment.id));
    }
  }
}

// An engine hangs while everything is being paged, the one that pages or the other, and cannot be reset alone. Later
// clients find memory that works.
void reset_in_the_middle(ScenarioContext& context) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  GpuClient trouble(environment.graphics(), "trouble");
  if (!trouble.expect(trouble.open())) return;
  std::string why = trouble.missing({}, {DRYDOCK_HARDWARE_HANG, DRYDOCK_HARDWARE_REFUSE_RESET});
  if (!why.empty()) return environment.skip(why);
  uint32_t engine = environment.choose(trouble.nodes());
  {
    ThreadGroup threads(environment.machine());
    for (const char* name : {"first", "second"}) {
      threads.add(
          name, [&environment, name] { Crowd(environment, name, Crowd::Device::MayBeLost).work(kLittle.local_bytes); });
    }
    environment.rest(kMicrosecond << environment.choose(10));
    trouble.misbehave(DRYDOCK_HARDWARE_REFUSE_RESET, engine, 1);
    trouble.misbehave(DRYDOCK_HARDWARE_HANG, engine, 1 + environment.choose(50));
  }
  trouble.misbehave(DRYDOCK_HARDWARE_HANG, engine, 0);
  trouble.misbehave(DRYDOCK_HARDWARE_REFUSE_RESET, engine, 0);
  ThreadGroup threads(environment.machine());
  for (const char* name : {"third", "fourth"}) {
    threads.add(name, [&environment, name] { Crowd(environment, name).work(kLittle.local_bytes); });
  }
}

}  // namespace

std::vector<Scenario> vidmm_scenarios() {
  using Needs = Scenario::Needs;
  std::vector<Scenario> all = {
      {"vidmm/residency", "resident as often as asked, evicted as often", &count_residency, Needs::Graphics},
      {"vidmm/oversubscribe-2x", "three processes want twice the memory there is", &oversubscribe_2x, Needs::Graphics},
      {"vidmm/oversubscribe-8x", "three processes want eight times as much", &oversubscribe_8x, Needs::Graphics},
      {"vidmm/knobs", "deviations, little paging room, defragmentation", &deviate, Needs::Graphics},
      {"vidmm/tdr-in-the-middle", "the adapter is reset while everything pages", &reset_in_the_middle, Needs::Graphics},
  };
  for (const Scenario& scenario : vidmm_buffer_scenarios()) all.push_back(scenario);
  return all;
}

}  // namespace host
