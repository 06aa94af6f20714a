#include "host/scenarios/kmd/vidsch_scenarios.h"

#include <array>

#include "host/scenarios/kmd/hostile_scenarios.h"
#include "host/scenarios/kmd/interrupt_scenarios.h"
#include "host/scenarios/kmd/present_scenarios.h"
#include "host/scenarios/kmd/removal_scenarios.h"
#include "host/scenarios/kmd/vidsch_failure_scenarios.h"
#include "host/workload/gpu_event.h"
#include "host/workload/gpu_model.h"
#include "kmt/client/thunks.h"

namespace host {
namespace {

using Place = GpuClient::Place;

constexpr uint64_t kBytes = 16 * 1024;

// --- Submission ---

// One of a client's contexts, with memory of its own.
struct Worker {
  std::unique_ptr<GpuContext> context;
  ModelBuffer memory;
};

std::optional<Worker> hire(GpuClient& client, ScenarioEnvironment& environment, uint32_t node) {
  auto context = GpuContext::create(client, node);
  if (!client.expect(context != nullptr)) return std::nullopt;
  GpuCommands first;
  auto memory = ModelBuffer::make(client, first, kBytes, environment.choose(0x7FFFFFFF));
  if (!client.expect(memory.has_value()) || !client.succeeds(context->submit(first))) return std::nullopt;
  return Worker{std::move(context), std::move(*memory)};
}

void scribble(Worker& worker, ScenarioEnvironment& environment, GpuClient& client) {
  GpuCommands commands;
  worker.memory.scribble(commands, environment);
  client.succeeds(worker.context->submit(commands));
}

// `to` copies what `from` has; each waits until the other has come so far.
void exchange(Worker& from, Worker& to, GpuClient& client) {
  GpuCommands commands;
  client.succeeds(to.context->wait(from.context->fence().object, from.context->last()));
  to.memory.copy(commands, 0, from.memory, 0, kBytes / 2);
  client.succeeds(to.context->submit(commands));
  client.succeeds(from.context->wait(to.context->fence().object, to.context->last()));
}

// Memory that is destroyed while the commands that use it are queued.
void discard(Worker& worker, ScenarioEnvironment& environment, GpuClient& client) {
  auto scratch = client.make_buffer(kBytes, Place::Video);
  if (!client.expect(scratch.has_value())) return;
  GpuCommands commands;
  commands.fill(*scratch, 0, kBytes, environment.choose(1000));
  worker.memory.fill(commands, 0, 4, environment.choose(1000));
  client.succeeds(worker.context->submit(commands));
  D3DDDICB_DESTROYALLOCATION2FLAGS flags{};
  flags.SynchronousDestroy = environment.choose(4) == 0;
  client.succeeds(client.destroy_buffer(*scratch, flags));
}

void submit_from_one(ScenarioEnvironment& environment, const std::string& name) {
  GpuClient client(environment.graphics(), name);
  if (!client.expect(client.open())) return;
  auto oracle = Oracle::make(client, kBytes);
  std::vector<Worker> workers;
  for (uint32_t i = 0; i < 2 + environment.choose(2); ++i) {
    if (auto worker = hire(client, environment, i % client.nodes())) workers.push_back(std::move(*worker));
  }
  if (!client.expect(oracle && !workers.empty())) return;
  auto any = [&]() -> Worker& { return workers[environment.choose(static_cast<uint32_t>(workers.size()))]; };
  for (uint32_t round = 0; round < 12; ++round) {
    Worker &one = any(), &other = any();
    switch (environment.choose(6)) {
      case 0:
        if (&one != &other) exchange(one, other, client);
        break;
      case 1:
        discard(one, environment, client);
        break;
      case 2:
        client.expect(oracle->check(*one.context, one.memory));
        break;
      case 3:
        client.succeeds(one.context->submit(GpuCommands()));  // nothing but a fence, behind whatever is queued
        break;
      default:
        scribble(one, environment, client);
    }
  }
  for (Worker& worker : workers) client.expect(oracle->check(*worker.context, worker.memory));
  if (environment.perhaps()) client.succeeds(workers.front().context->destroy());
  if (environment.perhaps()) client.destroy_device();
}

void submit(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  ThreadGroup threads(environment.machine());
  for (const char* name : {"first", "second"}) {
    threads.add(name, [&environment, name] { submit_from_one(environment, name); });
  }
}

// --- Preemption ---

// A queue of long kernels, and a context of higher priority whose work comes later and is done before them.
void preempt(ScenarioContext& context) {
  constexpr uint32_t kLong = 6, kSlowdown = 1000, kWords = 256, kRounds = 256;
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  GpuClient patient(environment.graphics(), "patient"), urgent(environment.graphics(), "urgent");
  if (!patient.expect(patient.open()) || !urgent.expect(urgent.open())) return;
  auto low = hire(patient, environment, 0), high = hire(urgent, environment, 0);
  auto oracle = Oracle::make(patient, kBytes), urgent_oracle = Oracle::make(urgent, kBytes);
  if (!low || !high || !patient.expect(oracle && urgent_oracle)) return;
  if (std::string why = patient.missing({DRYDOCK_WORK_LONG}); !why.empty()) return environment.skip(why);
  patient.misbehave(DRYDOCK_HARDWARE_SLOW, 0, kSlowdown);
  patient.succeeds(low->context->set_priority(-1 - static_cast<int32_t>(environment.choose(7))));
  urgent.succeeds(high->context->set_priority(1 + static_cast<int32_t>(environment.choose(7))));
  for (uint32_t i = 0; i < kLong; ++i) {
    GpuCommands commands;
    low->memory.take_long(commands, kWords, kRounds);
    patient.succeeds(low->context->submit(commands));
  }
  if (environment.perhaps()) environment.rest(kMicrosecond * (1 + environment.choose(20'000)));
  for (uint32_t i = 1 + environment.choose(3); i > 0; --i) {
    scribble(*high, environment, urgent);
    urgent.succeeds(high->context->finish());
    urgent.expect(!low->context->idle());
  }
  patient.expect(oracle->check(*low->context, low->memory));
  urgent.expect(urgent_oracle->check(*high->context, high->memory));
}

// --- Synchronisation objects ---

// What is not a monitored fence is signalled and waited for by the older functions. The value is a fence's.
NTSTATUS signal_older(GpuClient& client, GpuContext& context, D3DKMT_HANDLE object, uint64_t value) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 args{};
  args.hContext = context.handle();
  args.ObjectCount = 1;
  args.ObjectHandleArray[0] = object;
  args.Fence.FenceValue = value;
  return kmt::SignalSynchronizationObject2(client.client(), &args);
}

NTSTATUS wait_older(GpuClient& client, GpuContext& context, D3DKMT_HANDLE object, uint64_t value) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 args{};
  args.hContext = context.handle();
  args.ObjectCount = 1;
  args.ObjectHandleArray[0] = object;
  args.Fence.FenceValue = value;
  return kmt::WaitForSynchronizationObject2(client.client(), &args);
}

// Two contexts, on different nodes where there are two, and memory that both use.
class Pair {
 public:
  Pair(ScenarioEnvironment& environment, GpuClient& client) : environment_(environment), client_(client) {}

  bool begin();
  void share_by_mutex();
  void hand_over_by_semaphore();
  void hand_over_by_fence();
  void notify_cpu();
  void signal_by_command();

 private:
  static constexpr uint32_t kTurns = 4;
  static constexpr uint64_t kSlot = 4096;

  D3DKMT_HANDLE make(D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info) {
    auto object = client_.make_object(info);
    client_.expect(object.has_value());
    return object.value_or(0);
  }
  // The slots of `results_` hold these patterns.
  void expect_slots(std::span<const uint32_t> patterns);

  ScenarioEnvironment& environment_;
  GpuClient& client_;
  std::array<std::unique_ptr<GpuContext>, 2> contexts_;
  GpuBuffer common_, results_;
};

bool Pair::begin() {
  for (uint32_t i = 0; i < 2; ++i) contexts_[i] = GpuContext::create(client_, i % client_.nodes());
  auto common = client_.make_buffer(2 * kTurns * kSlot, Place::Video);
  auto results = client_.make_buffer(2 * kTurns * kSlot, Place::Readback);
  if (!client_.expect(contexts_[0] && contexts_[1] && common && results)) return false;
  common_ = *common;
  results_ = *results;
  return true;
}

void Pair::expect_slots(std::span<const uint32_t> patterns) {
  for (auto& context : contexts_) client_.succeeds(context->finish());
  std::vector<uint8_t> seen = client_.read(results_);
  if (!client_.reliable() || seen.empty()) return;
  bool right = true;
  for (size_t i = 0; i < patterns.size() * kSlot; ++i) {
    right &= seen[i] == static_cast<uint8_t>(patterns[i / kSlot] >> (8 * (i % 4)));
  }
  client_.expect_content(right, "a context saw memory before it was its turn, or after");
}

// Each writes to the common memory and reads it back with another submission; the mutex keeps the other out.
void Pair::share_by_mutex() {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info{};
  info.Type = D3DDDI_SYNCHRONIZATION_MUTEX;
  D3DKMT_HANDLE mutex = make(info);
  std::array<uint32_t, 2 * kTurns> patterns;
  for (uint32_t slot = 0; slot < patterns.size(); ++slot) {
    GpuContext& context = *contexts_[slot % 2];
    patterns[slot] = environment_.choose(0x7FFFFFFF);
    GpuCommands write, read;
    write.fill(common_, 0, kSlot, patterns[slot]);
    read.copy(common_, 0, results_, slot * kSlot, kSlot);
    client_.succeeds(wait_older(client_, context, mutex, 0));
    client_.succeeds(context.submit(write));
    client_.succeeds(context.submit(read));
    client_.succeeds(signal_older(client_, context, mutex, 0));
  }
  expect_slots(patterns);
  client_.succeeds(client_.destroy_object(mutex));
}

// One produces, the other consumes in the same order.
void Pair::hand_over_by_semaphore() {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info{};
  info.Type = D3DDDI_SEMAPHORE;
  info.Semaphore.MaxCount = kTurns;
  D3DKMT_HANDLE semaphore = make(info);
  std::array<uint32_t, kTurns> patterns;
  for (uint32_t slot = 0; slot < kTurns; ++slot) {
    GpuCommands read;
    read.copy(common_, slot * kSlot, results_, slot * kSlot, kSlot);
    client_.succeeds(wait_older(client_, *contexts_[1], semaphore, 0));
    client_.succeeds(contexts_[1]->submit(read));
  }
  for (uint32_t slot = 0; slot < kTurns; ++slot) {
    patterns[slot] = environment_.choose(0x7FFFFFFF);
    GpuCommands write;
    write.fill(common_, slot * kSlot, kSlot, patterns[slot]);
    client_.succeeds(contexts_[0]->submit(write));
    client_.succeeds(signal_older(client_, *contexts_[0], semaphore, 0));
  }
  expect_slots(patterns);
  client_.succeeds(client_.destroy_object(semaphore));
}

void Pair::hand_over_by_fence() {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info{};
  info.Type = D3DDDI_FENCE;
  D3DKMT_HANDLE fence = make(info);
  uint32_t pattern = environment_.choose(0x7FFFFFFF);
  uint64_t value = 1 + environment_.choose(1000);
  GpuCommands write, read;
  write.fill(common_, 0, kSlot, pattern);
  read.copy(common_, 0, results_, 0, kSlot);
  client_.succeeds(wait_older(client_, *contexts_[1], fence, value));
  client_.succeeds(contexts_[1]->submit(read));
  client_.succeeds(contexts_[0]->submit(write));
  client_.succeeds(signal_older(client_, *contexts_[0], fence, value));
  expect_slots({&pattern, 1});
  client_.succeeds(client_.destroy_object(fence));
}

void Pair::notify_cpu() {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info{};
  info.Type = D3DDDI_CPU_NOTIFICATION;
  auto event = GpuEvent::make(client_.client(), &info.CPUNotification.Event);
  D3DKMT_HANDLE notification = make(info);
  GpuCommands write;
  write.fill(common_, 0, kSlot, 0);
  client_.succeeds(contexts_[0]->submit(write));
  client_.succeeds(signal_older(client_, *contexts_[0], notification, 0));
  if (client_.has_workload()) {  // another driver may have lost the device meanwhile
    event->wait_for(1);
    client_.expect(contexts_[0]->idle());
  }
  client_.succeeds(client_.destroy_object(notification));
}

// The hardware itself writes the fence's value, where it can.
void Pair::signal_by_command() {
  auto fence = client_.make_fence();
  if (!client_.expect(fence.has_value()) || !contexts_[0]->knows(DRYDOCK_WORK_SIGNAL)) return;
  uint32_t pattern = environment_.choose(0x7FFFFFFF);
  GpuCommands write, read;
  write.fill(common_, 0, kSlot, pattern).signal(fence->address, 7);
  read.copy(common_, 0, results_, 0, kSlot);
  client_.succeeds(contexts_[1]->wait(fence->object, 7));
  client_.succeeds(contexts_[1]->submit(read));
  client_.succeeds(contexts_[0]->submit(write));
  client_.succeeds(client_.wait(fence->object, 7));
  expect_slots({&pattern, 1});
  client_.succeeds(client_.destroy_object(fence->object));
}

void synchronise(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  GpuClient client(environment.graphics(), "client");
  if (!client.expect(client.open())) return;
  Pair pair(environment, client);
  if (!pair.begin()) return;
  pair.share_by_mutex();
  pair.hand_over_by_semaphore();
  pair.hand_over_by_fence();
  pair.notify_cpu();
  pair.signal_by_command();
}

}  // namespace

std::vector<Scenario> vidsch_scenarios() {
  using Needs = Scenario::Needs;
  std::vector<Scenario> all = {
      {"vidsch/submit", "two processes, contexts on all nodes, fences between them", &submit, Needs::Graphics},
      {"vidsch/preempt", "a more important context overtakes long kernels", &preempt, Needs::Graphics},
      {"vidsch/sync-objects", "every type between contexts, and to the CPU", &synchronise, Needs::Graphics},
  };
  for (const auto& more : {vidsch_failure_scenarios(), hostile_scenarios(), interrupt_scenarios(), present_scenarios(),
                           removal_scenarios()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace host
