#include "host/scenarios/kmd/start_scenarios.h"

#include "dxgk/adapter/adapter_hardware.h"
#include "host/scenarios/kmd/alloc_client.h"
#include "host/scenarios/kmd/scenario_environment.h"

namespace host {
namespace {

using Hardware = dxgk::Adapter::Hardware;
using Kind = AllocClient::Kind;

// Starts the driver on a changed computer. The scenario says whether the driver may refuse it.
enum class Refusal : uint8_t { IsAFinding, IsFine };

bool start(ScenarioContext& context, Graphics& graphics, Refusal refusal = Refusal::IsAFinding) {
  if (graphics.start().ok()) return true;
  bool told = refusal == Refusal::IsAFinding && !context.failing;
  if (told) context.machine.report_violation(nt::Violation::AdapterRefused, graphics.refusal());
  return false;
}

void stop(ScenarioContext& context, Graphics& graphics) {
  graphics.stop();
  for (uint64_t calls : graphics.ddi_calls()) context.activity.ddi_calls += calls;
}

uint32_t choose(ScenarioContext& context, uint32_t below) {
  return static_cast<uint32_t>(context.machine.executor().choose(below));
}

void rest(ScenarioContext& context, base::TimeNs duration) { context.machine.executor().sleep_for(duration); }

// A client opens the adapter, uses some memory and ends.
void visit(Graphics& graphics) {
  AllocClient client(graphics, "visitor");
  if (!client.open_device()) return;
  auto made = client.create(Kind::Resource, 2);
  if (made) client.destroy_resource(*made);
  client.destroy_device();
}

// --- Starting ---

// Shows at the end what a driver keeps from one start to the next, and what it has forgotten in between.
void again_and_again(ScenarioContext& context) {
  Graphics graphics(context.machine, context.image, {});
  if (!start(context, graphics)) return;
  for (uint32_t round = 0; round < 3; ++round) {
    visit(graphics);
    graphics.adapter().stop();
    rest(context, kMillisecond << choose(context, 8));
    if (!graphics.adapter().start().ok()) {
      if (!context.failing)
        context.machine.report_violation(nt::Violation::AdapterRefused, graphics.adapter().refusal());
      break;
    }
  }
  stop(context, graphics);
}

// A device that lacks something. The driver may refuse it.
void lack_something(Hardware& hardware, uint32_t what) {
  size_t bars = hardware.memory.size();
  switch (what) {
    case 0:
      hardware.memory.clear();
      break;
    case 1:
      if (bars > 1) hardware.memory.pop_back();
      break;
    case 2:
      if (bars > 0) hardware.memory.front().bytes = 0;
      break;
    default:
      if (bars > 0) hardware.memory.back().bytes = 0;
  }
}

void on_lacking_hardware(ScenarioContext& context) {
  Graphics graphics(context.machine, context.image, {});
  graphics.change_hardware(
      [&](Hardware& hardware) { lack_something(hardware, static_cast<uint32_t>(context.seed % 4)); });
  if (start(context, graphics, Refusal::IsFine)) stop(context, graphics);
}

// Each step of the start fails once, because its allocation fails.
void in_little_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 32));
  again_and_again(context);
}

// What the system makes without a user-mode driver, from the driver's own description.
void standard_allocation(ScenarioContext& context) {
  Graphics graphics(context.machine, context.image, {});
  if (!start(context, graphics)) return;
  {
    AllocClient client(graphics, "system");
    if (client.open_device()) {
      if (auto made = client.create(Kind::Alone, 1)) client.destroy_list(made->allocations);
    }
  }
  stop(context, graphics);
}

// --- Power ---

void sleep_once(ScenarioContext& context, dxgk::Adapter& adapter) {
  adapter.set_power(PowerDeviceD3, choose(context, 2) ? PowerActionSleep : PowerActionHibernate);
  rest(context, kSecond);  // pending timers and DPCs run now
  adapter.set_power(PowerDeviceD0, PowerActionNone);
}

void sleep_and_wake(ScenarioContext& context) {
  Graphics graphics(context.machine, context.image, {});
  if (!start(context, graphics)) return;
  for (uint32_t round = 0; round < 2; ++round) {
    visit(graphics);
    sleep_once(context, graphics.adapter());
  }
  visit(graphics);
  stop(context, graphics);
}

void sleep_in_little_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 32));
  sleep_and_wake(context);
}

// The last call of a driver when the computer is switched off is D3. It is stopped all the same, so that what it has
// left is found.
void switched_off(ScenarioContext& context) {
  Graphics graphics(context.machine, context.image, {});
  if (!start(context, graphics)) return;
  visit(graphics);
  graphics.adapter().set_power(PowerDeviceD3, PowerActionShutdown);
  rest(context, kMillisecond << choose(context, 8));
  stop(context, graphics);
}

}  // namespace

std::vector<Scenario> start_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"start/again", "stopped and started, three times", &again_and_again, Needs::Graphics},
      {"start/hardware-lacks", "memory of the device is missing or empty", &on_lacking_hardware, Needs::Graphics},
      {"start/low-memory", "again, and one allocation fails", &in_little_memory, Needs::Graphics, true},
      {"start/standard", "memory by the driver's own description", &standard_allocation, Needs::Graphics},
      {"power/sleep", "to D3, a second of sleep, and back to D0", &sleep_and_wake, Needs::Graphics},
      {"power/low-memory", "sleep, and one allocation fails", &sleep_in_little_memory, Needs::Graphics, true},
      {"power/off", "the computer is switched off", &switched_off, Needs::Graphics},
  };
}

}  // namespace host
