#include "host/vidsch_failure_scenarios.h"

#include "drivers/softgpu/proto/softgpu_regs.h"
#include "drivers/softgpu/proto/softgpu_user.h"
#include "host/gpu_model.h"

namespace host {
namespace {

using Place = GpuClient::Place;

constexpr uint64_t kBytes = 16 * 1024;
constexpr uint64_t kNever = ~uint64_t{0} >> 1;  // no fence comes so far

// A client with one context and memory of its own, that works until its device is lost.
class Worker {
 public:
  Worker(Stage& stage, const std::string& name) : stage_(stage), client_(stage.graphics(), name) {}

  bool begin(uint32_t node) { return client_.expect(client_.open()) && make(node); }
  // With a new device, after the first one has been lost.
  bool begin_again(uint32_t node) {
    client_.destroy_device();
    return client_.expect(client_.open_again()) && make(node);
  }
  // Queues something; false when the device is lost.
  bool scribble();
  // Whether everything came to an end, and then it must be right.
  bool check() { return oracle_->check(*context_, *memory_); }
  // Everything of a lost device can still be destroyed.
  void clear();

  GpuClient& client() { return client_; }
  GpuContext& context() { return *context_; }
  ModelBuffer& memory() { return *memory_; }

 private:
  bool make(uint32_t node);

  Stage& stage_;
  GpuClient client_;
  std::unique_ptr<Oracle> oracle_;
  std::unique_ptr<GpuContext> context_;
  std::optional<ModelBuffer> memory_;
};

bool Worker::make(uint32_t node) {
  GpuCommands first;
  oracle_ = Oracle::make(client_, kBytes);
  context_ = GpuContext::create(client_, node);
  memory_ = ModelBuffer::make(client_, first, kBytes, stage_.choose(0x7FFFFFFF));
  if (!client_.expect(oracle_ && context_ && memory_)) return false;
  return client_.succeeds(context_->submit(first)) && client_.succeeds(context_->finish());
}

bool Worker::scribble() {
  GpuCommands commands;
  memory_->scribble(commands, stage_);
  return context_->submit(commands) >= 0;
}

void Worker::clear() {
  if (stage_.perhaps()) client_.succeeds(client_.destroy_buffer(memory_->buffer));
  if (stage_.perhaps()) client_.succeeds(client_.destroy_object(context_->fence().object));
  if (stage_.perhaps()) client_.succeeds(context_->destroy());
  if (stage_.perhaps()) client_.destroy_device();
}

// The engine never comes to the end of this, and does not let go of it either. It looks at the machine's memory again
// and again.
void hang(Worker& worker) {
  auto never = worker.client().make_buffer(4096, Place::Readback);
  if (!worker.client().expect(never.has_value())) return;
  worker.client().succeeds(worker.client().escape(SOFTGPU_ESCAPE_REFUSE_PREEMPTION, SOFTGPU_ENGINE_RENDER, 1));
  GpuCommands commands;
  commands.fill(*never, 0, 4096, 0).wait(*never, 0, 1);
  worker.client().succeeds(worker.context().submit(commands));
}

// --- Engines that do not answer ---

// Two at work on an engine, one of whom hangs it: that one is lost, the other goes on.
void hang_engine(ScenarioContext& context) {
  Stage stage(context);
  if (!stage.started()) return;
  Worker guilty(stage, "guilty"), innocent(stage, "innocent");
  if (!guilty.begin(SOFTGPU_ENGINE_RENDER) || !innocent.begin(SOFTGPU_ENGINE_RENDER)) return;
  for (uint32_t i = stage.choose(3); i > 0; --i) guilty.scribble();
  for (uint32_t i = stage.choose(3); i > 0; --i) innocent.scribble();
  hang(guilty);
  for (uint32_t i = stage.choose(4); i > 0; --i) (stage.perhaps() ? guilty : innocent).scribble();
  if (!guilty.client().speaks()) return;
  guilty.client().expect(guilty.context().finish() == STATUS_DEVICE_REMOVED);
  guilty.client().expect(guilty.client().state() == D3DKMT_DEVICEEXECUTION_HUNG);
  guilty.client().expect(!guilty.scribble());
  if (stage.perhaps()) guilty.clear();
  innocent.client().expect(!innocent.client().lost());
  innocent.client().expect(innocent.scribble() && innocent.check());
}

// An engine that cannot be reset alone: the adapter is, and everybody's device is lost. New ones work.
void reset_adapter(ScenarioContext& context) {
  Stage stage(context);
  if (!stage.started()) return;
  Worker first(stage, "first"), second(stage, "second");
  if (!first.begin(SOFTGPU_ENGINE_RENDER) || !second.begin(stage.choose(first.client().nodes()))) return;
  first.client().succeeds(first.client().escape(SOFTGPU_ESCAPE_REFUSE_RESET, SOFTGPU_ENGINE_RENDER, 1));
  hang(first);
  for (uint32_t i = stage.choose(6); i > 0; --i) (stage.perhaps() ? first : second).scribble();
  if (!first.client().speaks()) return;
  for (Worker* worker : {&first, &second}) {
    worker->context().finish();
    while (!worker->client().lost() && worker->client().reliable()) stage.rest(100 * kMillisecond);
    worker->client().expect(!worker->scribble());
    worker->clear();
  }
  first.client().succeeds(first.client().escape(SOFTGPU_ESCAPE_REFUSE_RESET, SOFTGPU_ENGINE_RENDER, 0));
  first.client().succeeds(first.client().escape(SOFTGPU_ESCAPE_REFUSE_PREEMPTION, SOFTGPU_ENGINE_RENDER, 0));
  for (Worker* worker : {&first, &second}) {
    if (!worker->client().expect(worker->begin_again(stage.choose(worker->client().nodes())))) return;
    worker->client().expect(worker->scribble() && worker->check());
  }
}

// --- Engines that fault ---

// Commands that touch what is not there, or hardware that believes so.
void fault_page(ScenarioContext& context) {
  Stage stage(context);
  if (!stage.started()) return;
  Worker guilty(stage, "guilty"), innocent(stage, "innocent");
  if (!guilty.begin(SOFTGPU_ENGINE_RENDER) || !innocent.begin(stage.choose(guilty.client().nodes()))) return;
  GpuClient& client = guilty.client();
  if (!client.speaks()) return;
  for (uint32_t i = stage.choose(3); i > 0; --i) innocent.scribble();
  GpuCommands commands;
  if (client.has_addresses() && stage.perhaps()) {
    commands.fill_address(stage.perhaps() ? 0 : guilty.memory().buffer.address ^ (uint64_t{1} << 40), 4096, 1);
  } else {
    // No other commands run on the engine, so the next access is this client's.
    innocent.client().succeeds(innocent.context().finish());
    client.succeeds(client.escape(SOFTGPU_ESCAPE_FAULT_ENGINE, SOFTGPU_ENGINE_RENDER, 1));
    guilty.memory().scribble(commands, stage);
  }
  client.succeeds(guilty.context().submit(commands));
  client.expect(guilty.context().finish() == STATUS_DEVICE_REMOVED);
  client.expect(client.lost());
  if (stage.perhaps()) guilty.clear();
  innocent.client().expect(innocent.scribble() && innocent.check());
}

// Fences complete and nobody is told: the scheduler asks, and nobody is lost. One at a time, since the next interrupt
// may be the answer to a preemption, which a driver owes.
void lose_interrupts(ScenarioContext& context) {
  Stage stage(context);
  if (!stage.started()) return;
  Worker first(stage, "first"), second(stage, "second");
  if (!first.begin(SOFTGPU_ENGINE_RENDER) || !second.begin(stage.choose(first.client().nodes()))) return;
  for (uint32_t round = 0; round < 3; ++round) {
    uint32_t engine = stage.choose(first.client().nodes());
    first.client().succeeds(first.client().escape(SOFTGPU_ESCAPE_DROP_INTERRUPTS, engine, 1));
    for (Worker* worker : {&first, &second}) {
      worker->client().expect(worker->scribble());
      worker->client().expect(worker->check());
    }
  }
}

// --- Clients that go ---

// Waits for a fence that is never signalled, with work behind it, and goes: context by context, with its device, or as
// a process.
void leave_busy(Stage& stage, const std::string& name) {
  Worker worker(stage, name);
  if (!worker.begin(stage.choose(worker.client().nodes()))) return;
  GpuClient& client = worker.client();
  auto never = client.make_fence();
  if (!client.expect(never.has_value())) return;
  for (uint32_t i = stage.choose(4); i > 0; --i) worker.scribble();
  auto other = GpuContext::create(client, 0);
  if (!client.expect(other != nullptr)) return;
  if (stage.choose(4) != 0) client.succeeds(worker.context().wait(never->object, kNever));
  client.succeeds(other->wait(worker.context().fence().object, kNever));
  for (uint32_t i = stage.choose(4); i > 0; --i) {
    GpuCommands commands;
    worker.memory().scribble(commands, stage);
    client.succeeds((stage.perhaps() ? *other : worker.context()).submit(commands));
  }
  switch (stage.choose(4)) {
    case 0:
      client.succeeds(client.destroy_object(never->object));
      client.succeeds(worker.context().destroy());
      client.succeeds(other->destroy());
      break;
    case 1:
      client.destroy_device();
      break;
    case 2:
      client.succeeds(client.destroy_buffer(worker.memory().buffer));
      client.end();
      break;
    default:
      client.end();
  }
}

void destroy_busy(ScenarioContext& context) {
  Stage stage(context);
  if (!stage.started()) return;
  Worker witness(stage, "witness");
  if (!witness.begin(0)) return;
  {
    Crew crew(stage.machine());
    for (const char* name : {"first", "second", "third"}) crew.add(name, [&stage, name] { leave_busy(stage, name); });
    for (uint32_t i = 0; i < 4; ++i) witness.client().expect(witness.scribble());
  }
  witness.client().expect(witness.check());
}

}  // namespace

std::vector<Scenario> vidsch_failure_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"vidsch/hang", "an engine hangs and is reset; its other user goes on", &hang_engine, Needs::Graphics},
      {"vidsch/adapter-reset", "the adapter is reset; new devices work", &reset_adapter, Needs::Graphics},
      {"vidsch/page-fault", "commands touch what is not there; others go on", &fault_page, Needs::Graphics},
      {"vidsch/lost-interrupt", "fences complete and no interrupt tells of it", &lose_interrupts, Needs::Graphics},
      {"vidsch/destroy-busy", "contexts, devices, processes go with work queued", &destroy_busy, Needs::Graphics},
  };
}

}  // namespace host
