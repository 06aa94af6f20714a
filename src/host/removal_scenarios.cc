#include "host/removal_scenarios.h"

#include <sys/mman.h>

#include "host/gpu_model.h"
#include "kmt/thunks.h"

namespace host {
namespace {

constexpr uint64_t kBytes = 16 * 1024;

// --- The hardware ---

// A client that gives the GPU work until nobody takes it any more.
class Busy {
 public:
  Busy(Stage& stage, const std::string& name) : stage_(stage), client_(stage.graphics(), name) {}

  bool begin() {
    if (!client_.expect(client_.open())) return false;
    GpuCommands first;
    context_ = GpuContext::create(client_, stage_.choose(client_.nodes()));
    memory_ = ModelBuffer::make(client_, first, kBytes, stage_.choose(0x7FFFFFFF));
    return client_.expect(context_ && memory_) && client_.succeeds(context_->submit(first));
  }
  void work() {
    for (;;) {
      GpuCommands commands;
      memory_->scribble(commands, stage_);
      if (context_->submit(commands) < 0) break;
      stage_.rest(kMicrosecond * (1 + stage_.choose(50)));
    }
  }
  // Everything of a device that is gone can still be destroyed.
  void clear() {
    if (stage_.perhaps()) static_cast<void>(client_.destroy_buffer(memory_->buffer));
    if (stage_.perhaps()) static_cast<void>(context_->destroy());
    if (stage_.perhaps()) client_.destroy_device();
  }

 private:
  Stage& stage_;
  GpuClient client_;
  std::unique_ptr<GpuContext> context_;
  std::optional<ModelBuffer> memory_;
};

// With work in the hardware and calls in the driver. The clients destroy what they have while the adapter goes.
void pull_out(ScenarioContext& context) {
  Stage stage(context);
  if (!stage.started()) return;
  Busy first(stage, "first"), second(stage, "second");
  if (!first.begin() || !second.begin()) return;
  {
    Crew crew(stage.machine());
    for (Busy* client : {&first, &second}) {
      crew.add(client == &first ? "first" : "second", [client] {
        client->work();
        client->clear();
      });
    }
    stage.rest(kMicrosecond << stage.choose(10));
    stage.graphics().surprise_remove();
  }
}

// --- A client's memory ---

// Pages of the client's that nobody can read while one of these lives.
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

// Commands where a driver that believes a client's pointers falls over. Clients whose commands are not patched give no
// pointer to them.
void hide_commands(ScenarioContext& context) {
  Stage stage(context);
  if (!stage.started()) return;
  GpuClient client(stage.graphics(), "client");
  if (!client.expect(client.open()) || client.has_addresses()) return;
  D3DKMT_CREATECONTEXT made{};
  made.hDevice = client.device();
  made.EngineAffinity = 1;
  if (kmt::CreateContext(client.client(), &made) < 0 || !made.pCommandBuffer) return;
  D3DKMT_RENDER args{};
  args.hContext = made.hContext;
  args.CommandLength = 64;
  {
    Unreadable hidden(made.pCommandBuffer, made.CommandBufferSize);
    client.expect(kmt::Render(client.client(), &args) < 0);
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
