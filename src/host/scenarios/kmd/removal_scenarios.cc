#include "host/scenarios/kmd/removal_scenarios.h"

#include <sys/mman.h>

#include "host/workload/gpu_model.h"
#include "kmt/client/thunks.h"

namespace host {
namespace {

constexpr uint64_t kBytes = 16 * 1024;

// --- The hardware ---

// A client that gives the GPU work until the kernel refuses it.
class Busy {
 public:
  Busy(ScenarioEnvironment& environment, const std::string& name)
      : environment_(environment), client_(environment.graphics(), name) {}

  // Its first work comes to its end before the hardware goes: later nothing could be expected of it.
  bool begin() {
    if (!client_.expect(client_.open())) return false;
    GpuCommands first;
    context_ = GpuContext::create(client_, environment_.choose(client_.nodes()));
    memory_ = ModelBuffer::make(client_, first, kBytes, environment_.choose(0x7FFFFFFF));
    return client_.expect(context_ && memory_) && client_.succeeds(context_->submit(first)) &&
           client_.succeeds(context_->finish());
  }
  void work() {
    for (;;) {
      GpuCommands commands;
      memory_->scribble(commands, environment_);
      if (context_->submit(commands) < 0) break;
      environment_.rest(kMicrosecond * (1 + environment_.choose(50)));
    }
  }
  // Everything of a device that is gone can still be destroyed.
  void clear() {
    if (environment_.perhaps()) static_cast<void>(client_.destroy_buffer(memory_->buffer));
    if (environment_.perhaps()) static_cast<void>(context_->destroy());
    if (environment_.perhaps()) client_.destroy_device();
  }

 private:
  ScenarioEnvironment& environment_;
  GpuClient client_;
  std::unique_ptr<GpuContext> context_;
  std::optional<ModelBuffer> memory_;
};

// With work in the hardware and calls in the driver. The clients destroy what they have while the adapter goes.
void pull_out(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Busy first(environment, "first"), second(environment, "second");
  if (!first.begin() || !second.begin()) return;
  {
    ThreadGroup threads(environment.machine());
    for (Busy* client : {&first, &second}) {
      threads.add(client == &first ? "first" : "second", [client] {
        client->work();
        client->clear();
      });
    }
    environment.rest(kMicrosecond << environment.choose(10));
    environment.graphics().surprise_remove();
  }
}

// --- A client's memory ---

// Pages of the client's that cannot be read while an object of this class lives.
class Unreadable {
 public:
  Unreadable(void* at, size_t bytes) : at_(at), bytes_(bytes) { CHECK(mprotect(at_, bytes_, PROT_NONE) == 0); }
  ~Unreadable() { CHECK(mprotect(at_, bytes_, PROT_READ | PROT_WRITE) == 0); }
  Unreadable(const Unreadable&) = delete;
  Unreadable& operator=(const Unreadable&) = delete;

 private:
  void* at_;
  size_t bytes_;
};

// Commands that make a driver fail if it trusts a client's pointers. Clients whose commands are not patched give no
// pointer to them.
void hide_commands(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  GpuClient client(environment.graphics(), "client");
  if (!client.expect(client.open())) return;
  if (client.has_addresses()) {
    return environment.skip("the driver has GPU virtual addresses: its clients give no pointer to commands");
  }
  D3DKMT_CREATECONTEXT made{};
  made.hDevice = client.device();
  made.EngineAffinity = 1;
  if (!client.succeeds(kmt::CreateContext(client.client(), &made))) return;
  if (!made.pCommandBuffer) return environment.leave_incomplete("the context has no command buffer");
  D3DKMT_RENDER args{};
  args.hContext = made.hContext;
  args.CommandLength = 64;
  {
    Unreadable hidden(made.pCommandBuffer, made.CommandBufferSize);
    bool refused = kmt::Render(client.client(), &args) < 0;
    if (client.has_workload()) client.expect(refused);  // another driver may not look at its commands here
  }
  client.expect(!client.lost());
}

}  // namespace

std::vector<Scenario> removal_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"vidsch/surprise-removal", "the hardware is pulled out while it works", &pull_out, Needs::Graphics},
      {"vidsch/hidden-commands", "commands lie where nobody can read them", &hide_commands, Needs::Graphics},
  };
}

}  // namespace host
