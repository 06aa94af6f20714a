#include "host/scenarios/kmd/vidsch_failure_scenarios.h"

#include "host/workload/gpu_model.h"

namespace host {
namespace {

using Place = GpuClient::Place;

constexpr uint64_t kBytes = 16 * 1024;
constexpr uint64_t kNever = ~uint64_t{0} >> 1;  // no fence comes so far

// A client with one context and memory of its own, that works until its device is lost.
class Worker {
 public:
  Worker(ScenarioEnvironment& environment, const std::string& name)
      : environment_(environment), client_(environment.graphics(), name) {}

  bool begin(uint32_t node) { return client_.expect(client_.open()) && make(node); }
  // With a new device, after the first one has been lost.
  bool begin_again(uint32_t node) {
    client_.destroy_device();
    return client_.expect(client_.open_again()) && make(node);
  }
  // Queues something; false when the device is lost.
  bool scribble();
  // Whether everything has completed; then its results must be right.
  bool check() { return oracle_->check(*context_, *memory_); }
  // Everything of a lost device can still be destroyed.
  void clear();

  GpuClient& client() { return client_; }
  GpuContext& context() { return *context_; }
  ModelBuffer& memory() { return *memory_; }

 private:
  bool make(uint32_t node);

  ScenarioEnvironment& environment_;
  GpuClient client_;
  std::unique_ptr<Oracle> oracle_;
  std::unique_ptr<GpuContext> context_;
  std::optional<ModelBuffer> memory_;
};

bool Worker::make(uint32_t node) {
  GpuCommands first;
  oracle_ = Oracle::make(client_, kBytes);
  context_ = GpuContext::create(client_, node);
  memory_ = ModelBuffer::make(client_, first, kBytes, environment_.choose(0x7FFFFFFF));
  if (!client_.expect(oracle_ && context_ && memory_)) return false;
  return client_.succeeds(context_->submit(first)) && client_.succeeds(context_->finish());
}

bool Worker::scribble() {
  GpuCommands commands;
  memory_->scribble(commands, environment_);
  return context_->submit(commands) >= 0;
}

void Worker::clear() {
  if (environment_.perhaps()) client_.succeeds(client_.destroy_buffer(memory_->buffer));
  if (environment_.perhaps()) client_.succeeds(client_.destroy_object(context_->fence().object));
  if (environment_.perhaps()) client_.succeeds(context_->destroy());
  if (environment_.perhaps()) client_.destroy_device();
}

// Commands that never end, and that the engine cannot preempt. It reads the machine's memory again and again.
void hang(Worker& worker) {
  auto never = worker.client().make_buffer(4096, Place::Readback);
  if (!worker.client().expect(never.has_value())) return;
  if (worker.client().can_misbehave(DRYDOCK_HARDWARE_REFUSE_PREEMPTION)) {
    worker.client().succeeds(worker.client().misbehave(DRYDOCK_HARDWARE_REFUSE_PREEMPTION, 0, 1));
  }
  GpuCommands commands;
  commands.fill(*never, 0, 4096, 0).wait(*never, 0, 1);
  worker.client().succeeds(worker.context().submit(commands));
}

// --- Engines that do not answer ---

// Two clients use an engine, and one of them hangs it: that one is lost, the other goes on.
void hang_engine(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Worker guilty(environment, "guilty"), innocent(environment, "innocent");
  if (!guilty.begin(0) || !innocent.begin(0)) return;
  for (uint32_t i = environment.choose(3); i > 0; --i) guilty.scribble();
  for (uint32_t i = environment.choose(3); i > 0; --i) innocent.scribble();
  if (std::string why = guilty.client().missing({DRYDOCK_WORK_ENDLESS}); !why.empty()) return environment.skip(why);
  hang(guilty);
  for (uint32_t i = environment.choose(4); i > 0; --i) (environment.perhaps() ? guilty : innocent).scribble();
  guilty.client().expect(guilty.context().finish() == STATUS_DEVICE_REMOVED);
  guilty.client().expect(guilty.client().state() == D3DKMT_DEVICEEXECUTION_HUNG);
  guilty.client().expect(!guilty.scribble());
  if (environment.perhaps()) guilty.clear();
  innocent.client().expect(!innocent.client().lost());
  innocent.client().expect(innocent.scribble() && innocent.check());
}

// An engine that cannot be reset alone: the adapter is reset, and every device is lost. New ones work.
void reset_adapter(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Worker first(environment, "first"), second(environment, "second");
  if (!first.begin(0) || !second.begin(environment.choose(first.client().nodes()))) return;
  std::string why = first.client().missing({DRYDOCK_WORK_ENDLESS}, {DRYDOCK_HARDWARE_REFUSE_RESET});
  if (!why.empty()) return environment.skip(why);
  first.client().succeeds(first.client().misbehave(DRYDOCK_HARDWARE_REFUSE_RESET, 0, 1));
  hang(first);
  for (uint32_t i = environment.choose(6); i > 0; --i) (environment.perhaps() ? first : second).scribble();
  for (Worker* worker : {&first, &second}) {
    worker->context().finish();
    while (!worker->client().lost() && worker->client().reliable()) environment.rest(100 * kMillisecond);
    worker->client().expect(!worker->scribble());
    worker->clear();
  }
  first.client().succeeds(first.client().misbehave(DRYDOCK_HARDWARE_REFUSE_RESET, 0, 0));
  first.client().succeeds(first.client().misbehave(DRYDOCK_HARDWARE_REFUSE_PREEMPTION, 0, 0));
  for (Worker* worker : {&first, &second}) {
    if (!worker->client().expect(worker->begin_again(environment.choose(worker->client().nodes())))) return;
    worker->client().expect(worker->scribble() && worker->check());
  }
}

// --- Engines that fault ---

// Commands that access unmapped memory, or hardware that reports so.
void fault_page(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Worker guilty(environment, "guilty"), innocent(environment, "innocent");
  if (!guilty.begin(0) || !innocent.begin(environment.choose(guilty.client().nodes()))) return;
  GpuClient& client = guilty.client();
  bool by_command = client.knows(DRYDOCK_WORK_FAULT, 0) && client.has_addresses();
  bool by_hardware = client.can_misbehave(DRYDOCK_HARDWARE_FAULT);
  if (!by_command && !by_hardware) return environment.skip(client.missing({}, {DRYDOCK_HARDWARE_FAULT}));
  for (uint32_t i = environment.choose(3); i > 0; --i) innocent.scribble();
  GpuCommands commands;
  if (by_command && (environment.perhaps() || !by_hardware)) {
    commands.write_unmapped(environment.perhaps() ? 0 : guilty.memory().buffer.address ^ (uint64_t{1} << 40), 4096);
  } else {
    // No other commands run on the engine, so the next access is this client's.
    innocent.client().succeeds(innocent.context().finish());
    client.succeeds(client.misbehave(DRYDOCK_HARDWARE_FAULT, 0, 1));
    guilty.memory().scribble(commands, environment);
  }
  client.succeeds(guilty.context().submit(commands));
  client.expect(guilty.context().finish() == STATUS_DEVICE_REMOVED);
  client.expect(client.lost());
  if (environment.perhaps()) guilty.clear();
  innocent.client().expect(innocent.scribble() && innocent.check());
}

// Fences complete without an interrupt: the scheduler asks the driver, and no device is lost. One at a time, since the
// next interrupt may be the answer to a preemption, which a driver owes.
void lose_interrupts(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Worker first(environment, "first"), second(environment, "second");
  if (!first.begin(0) || !second.begin(environment.choose(first.client().nodes()))) return;
  std::string why = first.client().missing({}, {DRYDOCK_HARDWARE_DROP_INTERRUPTS});
  if (!why.empty()) return environment.skip(why);
  for (uint32_t round = 0; round < 3; ++round) {
    uint32_t engine = environment.choose(first.client().nodes());
    first.client().succeeds(first.client().misbehave(DRYDOCK_HARDWARE_DROP_INTERRUPTS, engine, 1));
    for (Worker* worker : {&first, &second}) {
      worker->client().expect(worker->scribble());
      worker->client().expect(worker->check());
    }
  }
}

// --- Clients that go ---

// Waits for a fence that is never signalled, with work behind it, and goes: context by context, with its device, or as
// a process.
void leave_busy(ScenarioEnvironment& environment, const std::string& name) {
  Worker worker(environment, name);
  if (!worker.begin(environment.choose(worker.client().nodes()))) return;
  GpuClient& client = worker.client();
  auto never = client.make_fence();
  if (!client.expect(never.has_value())) return;
  for (uint32_t i = environment.choose(4); i > 0; --i) worker.scribble();
  auto other = GpuContext::create(client, 0);
  if (!client.expect(other != nullptr)) return;
  if (environment.choose(4) != 0) client.succeeds(worker.context().wait(never->object, kNever));
  client.succeeds(other->wait(worker.context().fence().object, kNever));
  for (uint32_t i = environment.choose(4); i > 0; --i) {
    GpuCommands commands;
    worker.memory().scribble(commands, environment);
    client.succeeds((environment.perhaps() ? *other : worker.context()).submit(commands));
  }
  switch (environment.choose(4)) {
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
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Worker witness(environment, "witness");
  if (!witness.begin(0)) return;
  {
    ThreadGroup threads(environment.machine());
    for (const char* name : {"first", "second", "third"})
      threads.add(name, [&environment, name] { leave_busy(environment, name); });
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
