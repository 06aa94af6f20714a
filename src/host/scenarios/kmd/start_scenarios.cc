#include "host/scenarios/kmd/start_scenarios.h"

#include <fmt/format.h>

#include "dxgk/adapter/adapter_hardware.h"
#include "host/scenarios/kmd/alloc_client.h"
#include "host/scenarios/kmd/scenario_environment.h"

namespace host {
namespace {

using Hardware = dxgk::Adapter::Hardware;
using Kind = AllocClient::Kind;

uint32_t choose(ScenarioContext& context, uint32_t below) {
  return static_cast<uint32_t>(context.machine.executor().choose(below));
}

void rest(ScenarioContext& context, base::TimeNs duration) { context.machine.executor().sleep_for(duration); }

// A client opens the adapter, uses some memory and ends.
void visit(Graphics& graphics) {
  if (!graphics.has_devices()) return;
  AllocClient client(graphics, "visitor");
  if (!client.expect(client.open_device())) return;
  auto made = client.expect(client.create(Kind::Resource, 2));
  if (made) client.destroy_resource(*made);
  client.destroy_device();
}

// --- Starting ---

// Shows at the end what a driver keeps from one start to the next, and what it has forgotten in between.
void again_and_again(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.has_adapter()) return;
  Graphics& graphics = environment.graphics();
  for (uint32_t round = 0; round < 3; ++round) {
    visit(graphics);
    graphics.adapter().stop();
    rest(context, kMillisecond << choose(context, 8));
    if (!graphics.adapter().start().ok()) {
      explain_refusal(context, graphics, graphics.adapter().refused_by_rule(), graphics.adapter().refusal());
      break;
    }
  }
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

// A driver that refuses such a device has to start on one that lacks nothing: otherwise nothing was tried.
void on_lacking_hardware(ScenarioContext& context) {
  Graphics graphics(context.machine, context.image, {});
  graphics.change_hardware(
      [&](Hardware& hardware) { lack_something(hardware, static_cast<uint32_t>(context.seed % 4)); });
  if (!graphics.start(Graphics::OnRefusal::KeepDriver).ok()) {
    graphics.change_hardware({});
    start_driver(context, graphics);
  }
  graphics.stop();
  take_outcome(context, graphics);
}

// Each step of the start fails once, because its allocation fails.
void in_little_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 32));
  again_and_again(context);
}

// What the system makes without a user-mode driver, from the driver's own description.
void standard_allocation(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Graphics& graphics = environment.graphics();
  AllocClient client(graphics, "system");
  if (!client.expect(client.open_device())) return;
  if (auto made = client.expect(client.create(Kind::Alone, 1))) client.destroy_list(made->allocations);
}

// --- Power ---

void set_power(Graphics& graphics, DEVICE_POWER_STATE state, POWER_ACTION action) {
  if (graphics.adapter().set_power(state, action) || !graphics.undisturbed()) return;
  graphics.fall_short(fmt::format("expected: the adapter goes to {}: DxgkDdiSetPowerState refused",
                                  state == PowerDeviceD0 ? "D0" : "D3"));
}

void sleep_once(ScenarioContext& context, Graphics& graphics) {
  set_power(graphics, PowerDeviceD3, choose(context, 2) ? PowerActionSleep : PowerActionHibernate);
  rest(context, kSecond);  // pending timers and DPCs run now
  set_power(graphics, PowerDeviceD0, PowerActionNone);
}

void sleep_and_wake(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.has_adapter()) return;
  Graphics& graphics = environment.graphics();
  for (uint32_t round = 0; round < 2; ++round) {
    visit(graphics);
    sleep_once(context, graphics);
  }
  visit(graphics);
}

void sleep_in_little_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 32));
  sleep_and_wake(context);
}

// The last call of a driver when the computer is switched off is D3. It is stopped all the same, so that what it has
// left is found.
void switched_off(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.has_adapter()) return;
  Graphics& graphics = environment.graphics();
  visit(graphics);
  set_power(graphics, PowerDeviceD3, PowerActionShutdown);
  rest(context, kMillisecond << choose(context, 8));
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
