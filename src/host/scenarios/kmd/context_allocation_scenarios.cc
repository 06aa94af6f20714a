#include "host/scenarios/kmd/context_allocation_scenarios.h"

#include <algorithm>
#include <cstring>

#include "host/workload/gpu_model.h"

namespace host {
namespace {

using Place = GpuClient::Place;

// Little enough that context allocations are evicted, too.
constexpr EnvironmentMemory kLittle = {.local_bytes = 512 * 1024, .aperture_bytes = 512 * 1024};

// A context and what its registers must be. Results lie in a buffer of the client's, at a place of its own.
class RegisterUser {
 public:
  // `place`: which of the users of these results it is.
  RegisterUser(GpuClient& client, uint32_t node, const GpuBuffer& results, uint32_t place)
      : client_(client),
        context_(GpuContext::create(client, node)),
        results_(results),
        registers_(client.has_workload() ? client.workload().registers() : 1),
        offset_(place * registers_.size() * sizeof(uint64_t)) {
    client.expect(context_ != nullptr);
  }

  bool works() const { return context_ != nullptr; }
  GpuContext& context() { return *context_; }

  // A few registers, in one submission.
  bool change(ScenarioEnvironment& environment);
  // Every register's value goes to memory.
  bool store();
  // Compares what the registers were with what they must be. Nothing is queued.
  void compare(std::span<const uint8_t> results) const;
  void set_all(uint64_t value) { std::ranges::fill(registers_, value); }

 private:
  GpuClient& client_;
  std::unique_ptr<GpuContext> context_;
  const GpuBuffer& results_;
  std::vector<uint64_t> registers_;
  const uint64_t offset_;
};

bool RegisterUser::change(ScenarioEnvironment& environment) {
  GpuCommands commands;
  for (uint32_t i = 1 + environment.choose(4); i > 0; --i) {
    uint32_t index = environment.choose(static_cast<uint32_t>(registers_.size()));
    uint64_t value = environment.choose(0x7FFFFFFF);
    if (environment.perhaps()) {
      commands.set_register(index, value);
      registers_[index] = value;
    } else {
      commands.add_register(index, value);
      registers_[index] += value;
    }
  }
  return client_.succeeds(context_->submit(commands));
}

bool RegisterUser::store() {
  GpuCommands commands;
  for (uint32_t i = 0; i < registers_.size(); ++i) {
    commands.store_register(i, results_, offset_ + i * sizeof(uint64_t));
  }
  return client_.succeeds(context_->submit(commands));
}

void RegisterUser::compare(std::span<const uint8_t> results) const {
  if (!client_.reliable() || results.empty()) return;
  client_.expect_content(
      std::memcmp(results.data() + offset_, registers_.data(), registers_.size() * sizeof(uint64_t)) == 0,
      "a context's registers are not what it left in them");
}

// Several contexts of one client on one node or on all, and the memory for their results.
class RegisterUsers {
 public:
  RegisterUsers(ScenarioEnvironment& environment, const std::string& name)
      : environment_(environment), client_(environment.graphics(), name) {}

  bool begin(uint32_t count);
  bool run(uint32_t rounds);
  bool check();
  // Another context in the place of one that goes.
  bool renew_one();
  RegisterUser& any() { return *users_[environment_.choose(static_cast<uint32_t>(users_.size()))]; }
  GpuClient& client() { return client_; }

 private:
  ScenarioEnvironment& environment_;
  GpuClient client_;
  GpuBuffer results_;
  std::vector<std::unique_ptr<RegisterUser>> users_;
};

bool RegisterUsers::begin(uint32_t count) {
  if (!client_.expect(client_.open())) return false;
  if (client_.has_workload() && client_.workload().registers() == 0) {
    environment_.skip("the driver's workload knows no registers of contexts");
    return false;
  }
  auto results = client_.make_buffer(4096, Place::Readback);
  if (!client_.expect(results.has_value())) return false;
  results_ = *results;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t node = environment_.choose(3) == 0 ? environment_.choose(client_.nodes()) : 0;
    users_.push_back(std::make_unique<RegisterUser>(client_, node, results_, i));
    if (!users_.back()->works()) return false;
  }
  return true;
}

bool RegisterUsers::run(uint32_t rounds) {
  for (uint32_t round = 0; round < rounds; ++round) {
    RegisterUser& user = any();
    if (environment_.choose(4) == 0) {
      client_.succeeds(user.context().set_priority(static_cast<int32_t>(environment_.choose(15)) - 7));
    }
    if (!user.change(environment_)) return false;
    if (environment_.choose(4) == 0 && !check()) return false;
  }
  return check();
}

bool RegisterUsers::renew_one() {
  uint32_t place = environment_.choose(static_cast<uint32_t>(users_.size()));
  uint32_t node = users_[place]->context().node();
  if (!client_.succeeds(users_[place]->context().destroy())) return false;
  users_[place] = std::make_unique<RegisterUser>(client_, node, results_, place);
  return users_[place]->works();
}

bool RegisterUsers::check() {
  for (auto& user : users_) {
    if (!user->store()) return false;
  }
  for (auto& user : users_) {
    if (!client_.succeeds(user->context().finish())) return false;
  }
  std::vector<uint8_t> results = client_.read(results_);
  for (auto& user : users_) user->compare(results);
  return true;
}

// Another client fills the memory meanwhile, so that the driver's memory of contexts that do not run is evicted.
void switch_contexts(ScenarioContext& context) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  ThreadGroup threads(environment.machine());
  for (const char* name : {"first", "second"}) {
    threads.add(name, [&environment, name] {
      RegisterUsers users(environment, name);
      if (users.begin(2 + environment.choose(3))) users.run(16);
    });
  }
  threads.add("crowd", [&environment] { crowd_out(environment, "crowd", kLittle.local_bytes / 4 * 3, 6); });
}

// Contexts that go with work queued, or with waits that never come; what the driver keeps of them goes after.
void destroy_early(ScenarioContext& context) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  ThreadGroup threads(environment.machine());
  for (const char* name : {"first", "second"}) {
    threads.add(name, [&environment, name] {
      RegisterUsers users(environment, name);
      if (!users.begin(2)) return;
      GpuClient& client = users.client();
      auto never = client.make_fence();
      if (!client.expect(never.has_value())) return;
      for (uint32_t round = 0; round < 6; ++round) {
        auto brief = GpuContext::create(client, environment.choose(client.nodes()));
        if (!client.expect(brief != nullptr)) return;
        GpuCommands commands;
        commands.set_register(0, round).add_register(0, round);
        if (environment.choose(3) == 0) client.succeeds(brief->wait(never->object, 1));
        for (uint32_t i = environment.choose(4); i > 0; --i) client.succeeds(brief->submit(commands));
        if (!users.any().change(environment)) return;
        if (environment.choose(4) != 0) client.succeeds(brief->destroy());
        if (environment.perhaps() && !users.renew_one()) return;
      }
      users.check();
      if (environment.perhaps()) client.destroy_device();
    });
  }
}

// The driver writes to a context allocation from the side (DxgkCbUpdateContextAllocation); the context sees it when it
// runs next.
void update_registers(ScenarioContext& context) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  RegisterUsers users(environment, "client");
  if (!users.begin(2 + environment.choose(2)) || !users.run(4)) return;
  GpuClient& client = users.client();
  if (std::string why = client.missing({}, {DRYDOCK_HARDWARE_SET_REGISTERS}); !why.empty()) {
    return environment.skip(why);
  }
  if (!client.has_addresses()) return environment.skip("the driver has no GPU virtual addresses");
  for (uint32_t round = 0; round < 6; ++round) {
    RegisterUser& user = users.any();
    uint64_t value = environment.choose(0x7FFFFFFF);
    client.succeeds(client.misbehave(DRYDOCK_HARDWARE_SET_REGISTERS, 0, value, user.context().handle()));
    user.set_all(value);
    if (!users.run(2)) return;
  }
}

}  // namespace

std::vector<Scenario> context_allocation_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"context-allocation/switch", "contexts' registers across switches, preemption, eviction", &switch_contexts,
       Needs::Graphics},
      {"context-allocation/destroy-early", "contexts go with work queued", &destroy_early, Needs::Graphics},
      {"context-allocation/update", "the driver writes to context allocations", &update_registers, Needs::Graphics},
  };
}

}  // namespace host
