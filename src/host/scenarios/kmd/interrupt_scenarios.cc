#include "host/scenarios/kmd/interrupt_scenarios.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_interrupts.h"
#include "host/workload/gpu_model.h"

namespace host {
namespace {

constexpr uint64_t kBytes = 16 * 1024;

// --- A line that is shared ---

// Another device whose interrupts come over the adapter's line, from the moment the adapter is connected to it. A
// driver is asked about each of them and says that it is not its own, whatever state it is in. Outlives the
// environment.
class Neighbour {
 public:
  explicit Neighbour(nt::Machine& machine) : machine_(machine), threads_(machine) {}
  ~Neighbour() { over_ = true; }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  void move_in(Graphics& graphics) {
    threads_.add("neighbour", [this, &graphics] {
      while (!over_) {
        interrupt(graphics);
        wait(kMicrosecond << machine_.executor().choose(kPauses));
      }
    });
  }

 private:
  static constexpr uint32_t kPauses = 9;  // from one to 256 microseconds: often, and no storm

  // The adapter is looked for each time: to begin with there is none.
  static void interrupt(Graphics& graphics) {
    for (dxgk::Adapter* adapter : graphics.kernel().adapters()) {
      if (adapter->context()) adapter->interrupts().raise_as_neighbour();
    }
  }
  void wait(base::TimeNs duration) { machine_.executor().sleep_for(duration); }

  nt::Machine& machine_;
  bool over_ = false;
  ThreadGroup threads_;
};

void share_line(ScenarioContext& context) {
  Neighbour neighbour(context.machine);
  ScenarioEnvironment environment(context, {}, [&neighbour](Graphics& graphics) { neighbour.move_in(graphics); });
  if (!environment.started()) return;
  GpuClient client(environment.graphics(), "client");
  if (!client.expect(client.open())) return;
  auto oracle = Oracle::make(client, kBytes);
  auto gpu = GpuContext::create(client, environment.choose(client.nodes()));
  GpuCommands commands;
  auto memory = ModelBuffer::make(client, commands, kBytes, environment.choose(0x7FFFFFFF));
  if (!client.expect(oracle && gpu && memory)) return;
  for (uint32_t round = 0; round < 3; ++round) {
    memory->scribble(commands, environment);
    client.succeeds(gpu->submit(commands));
    commands = {};
  }
  client.expect(oracle->check(*gpu, *memory));
}

// --- Types of interrupts ---

// Types that there are not, for drivers that can switch interrupts on and off at all.
void ask_for_types(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  dxgk::Adapter& adapter = environment.graphics().adapter();
  if (!adapter.miniport().has(&DRIVER_INITIALIZATION_DATA::DxgkDdiControlInterrupt)) {
    return environment.skip("the driver has no DxgkDdiControlInterrupt");
  }
  dxgk::AdapterInterrupts& interrupts = adapter.interrupts();
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t type = dxgk::AdapterInterrupts::kFirstUnknownType + environment.choose(4);
    interrupts.ask_for_unknown(static_cast<DXGK_INTERRUPT_TYPE>(type), environment.perhaps());
  }
}

}  // namespace

std::vector<Scenario> interrupt_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"vidsch/shared-line", "another device interrupts, from the start to the stop", &share_line, Needs::Graphics},
      {"vidsch/interrupt-types", "interrupts are asked for that do not exist", &ask_for_types, Needs::Graphics},
  };
}

}  // namespace host
