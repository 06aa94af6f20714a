// The life of a device: started, stopped, asleep, removed, with and without open handles.
#include <atomic>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/nt/nt_request_maker.h"
#include "host/scenarios/nt/nt_scenarios.h"

namespace host {
namespace {

bool succeeds(NtStack& stack, UCHAR minor) { return NT_SUCCESS(stack.note_pnp(stack.pnp()->pnp(minor))); }

// Resources are taken away and given again. False: the device is not started any more.
bool rebalance(NtStack& stack) {
  if (!succeeds(stack, IRP_MN_QUERY_STOP_DEVICE) || stack.choose(2)) {
    stack.note_pnp(stack.pnp()->pnp(IRP_MN_CANCEL_STOP_DEVICE));
    return true;
  }
  stack.note_pnp(stack.pnp()->pnp(IRP_MN_STOP_DEVICE));
  return NT_SUCCESS(stack.note_pnp(stack.pnp()->start()));
}

// As documented, a query that fails is taken back too.
void ask_and_stay(NtStack& stack) {
  succeeds(stack, IRP_MN_QUERY_REMOVE_DEVICE);
  stack.note_pnp(stack.pnp()->pnp(IRP_MN_CANCEL_REMOVE_DEVICE));
}

// Sends a few requests through a handle of its own.
void use(NtStack& stack, const std::string& name, uint32_t requests) {
  for (DEVICE_OBJECT* device : stack.openable()) {
    NtProgram program(stack, name);
    if (!program.open(*device)) continue;
    NtRequestMaker maker(stack, *device);
    for (uint32_t i = 0; i < requests; ++i) program.send(maker.plain());
  }
}

void play_pnp(ScenarioContext& context) {
  NtStack stack(context);
  if (!stack.load_pnp() || !stack.start()) return;
  for (uint32_t i = 0; i < 4; ++i) {
    if (stack.choose(2)) use(stack, "program", 2);
    if (stack.choose(2)) {
      ask_and_stay(stack);
    } else if (!rebalance(stack)) {
      context.leave_incomplete("the device did not start again after it was stopped");
      return;
    }
  }
  succeeds(stack, IRP_MN_QUERY_REMOVE_DEVICE);
}

// AddDevice, and the device goes before it was started.
void play_never_started(ScenarioContext& context) {
  NtStack stack(context);
  if (!stack.load_pnp()) return;
  if (stack.choose(2)) stack.note_pnp(stack.pnp()->filter_resource_requirements());
}

// The system sleeps and wakes. A driver that owns its device's power policy sends requests of its own meanwhile, which
// may outlive the system's.
void sleep_and_wake(NtStack& stack, SYSTEM_POWER_STATE state) {
  nt::PnpStack& bus = *stack.pnp();
  if (NT_SUCCESS(stack.note(IRP_MJ_POWER, bus.system_power(IRP_MN_QUERY_POWER, state)))) {
    stack.note(IRP_MJ_POWER, bus.system_power(IRP_MN_SET_POWER, state));
    stack.rest(kSecond);
  }
  stack.note(IRP_MJ_POWER, bus.system_power(IRP_MN_SET_POWER, PowerSystemWorking));
  stack.rest(kSecond);
}

void play_power(ScenarioContext& context) {
  constexpr SYSTEM_POWER_STATE kSleeps[] = {PowerSystemSleeping1, PowerSystemSleeping2, PowerSystemSleeping3,
                                            PowerSystemHibernate};
  constexpr DEVICE_POWER_STATE kLow[] = {PowerDeviceD1, PowerDeviceD2, PowerDeviceD3};
  NtStack stack(context);
  if (!stack.load_pnp() || !stack.start()) return;
  for (uint32_t i = 0; i < 3; ++i) {
    use(stack, "program", 1);
    if (stack.choose(2)) {
      sleep_and_wake(stack, kSleeps[stack.choose(std::size(kSleeps))]);
    } else {
      stack.cycle_power(kLow[stack.choose(std::size(kLow))]);
    }
  }
}

// The device is asked to go while a program has it open, stays, and goes when the program has closed it: as documented,
// IRP_MN_REMOVE_DEVICE does not come before.
void play_removal(ScenarioContext& context) {
  NtStack stack(context);
  if (!stack.load_pnp() || !stack.start()) return;
  DEVICE_OBJECT& device = *stack.openable().front();
  {
    NtProgram program(stack, "program");
    stack.judge_opened(program.open(device));
    NtRequestMaker maker(stack, device);
    if (program.is_open()) program.start(maker.slow());
    ask_and_stay(stack);
    if (program.is_open()) program.send(maker.plain());
    if (stack.choose(2)) program.close();  // with a request under way
  }
  succeeds(stack, IRP_MN_QUERY_REMOVE_DEVICE);
  stack.remove();
}

// A program uses the device while it is pulled out, and closes it some time after. False: it could not open it.
bool use_while_it_lasts(NtStack& stack, DEVICE_OBJECT& device, uint32_t requests) {
  NtProgram program(stack, "program");
  if (!program.open(device)) return false;
  NtRequestMaker maker(stack, device);
  for (uint32_t i = 0; i < requests; ++i) {
    if (stack.choose(3)) {
      program.send(maker.plain());
    } else {
      program.start(maker.slow());
    }
    stack.rest(stack.choose(2 * kMillisecond));
  }
  return true;
}

void play_surprise_removal(ScenarioContext& context) {
  NtStack stack(context);
  if (!stack.load_pnp() || !stack.start()) return;
  DEVICE_OBJECT& device = *stack.openable().front();
  std::atomic<bool> opened = false;
  {
    ThreadGroup programs(stack.machine());
    for (int i = 0; i < 2; ++i) {
      programs.add("program", [&] {
        if (use_while_it_lasts(stack, device, 6)) opened = true;
      });
    }
    stack.rest(stack.choose(10 * kMillisecond));
    stack.note_pnp(stack.pnp()->pnp(IRP_MN_SURPRISE_REMOVAL));
  }
  stack.judge_opened(opened);
  stack.remove();
}

}  // namespace

std::vector<Scenario> nt_pnp_scenarios() {
  using enum Scenario::Needs;
  return {
      {"nt/pnp", "AddDevice, start, queries, stops and restarts with requests in between, removal", &play_pnp, Nt,
       true},
      {"nt/never-started", "AddDevice, and the device is removed before it was started", &play_never_started, Nt, true},
      {"nt/power", "the system sleeps and wakes, the device goes to low power and back", &play_power, Nt, true},
      {"nt/removal", "asked to go while a program has the device open; removed when it is closed", &play_removal},
      {"nt/surprise-removal", "the device is pulled out under the requests of two programs", &play_surprise_removal},
  };
}

}  // namespace host
