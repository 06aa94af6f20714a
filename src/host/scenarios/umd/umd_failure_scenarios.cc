#include "host/scenarios/umd/umd_failure_scenarios.h"

#include <initializer_list>

#include "drivers/softgpu/proto/softgpu_user.h"
#include "host/scenarios/umd/umd9_workload.h"

namespace host {
namespace {

using Ddi = UmdEnvironment::Ddi;
using umd::Callback;

// Works and lives for a while, whatever the driver answers.
void use(UmdProgram& program, uint32_t steps) {
  UmdEnvironment& environment = program.environment();
  umd::Device9& device = program.device();
  Umd9Workload workload(program, device);
  UmdResources resources;
  bool draws = workload.begin();
  for (; steps > 0; --steps) {
    if (draws && environment.perhaps()) {
      workload.work();
    } else {
      random_step(program, device, resources);
    }
  }
  if (draws) workload.end();
  while (!resources.empty() && environment.choose(4) != 0) take_any(environment, resources)->destroy();
}

// --- Callbacks ---

// The results that the page of each callback names; where it names only success, those that its older versions have in
// common.
struct Failing {
  Callback callback;
  std::initializer_list<HRESULT> results;
};

const Failing kFailing[] = {
    {Callback::Allocate, {E_OUTOFMEMORY, D3DERR_OUTOFVIDEOMEMORY, E_INVALIDARG, D3DDDIERR_DEVICEREMOVED}},
    {Callback::Deallocate, {E_INVALIDARG}},
    {Callback::Deallocate2, {E_INVALIDARG}},
    {Callback::Render, {E_OUTOFMEMORY, E_INVALIDARG, D3DDDIERR_DEVICEREMOVED}},
    {Callback::SubmitCommand, {E_OUTOFMEMORY, E_INVALIDARG, D3DDDIERR_DEVICEREMOVED}},
    {Callback::Lock, {E_OUTOFMEMORY, E_INVALIDARG, D3DDDIERR_CANTEVICTPINNEDALLOCATION, D3DDDIERR_DEVICEREMOVED}},
    {Callback::Unlock, {E_OUTOFMEMORY, E_INVALIDARG}},
    {Callback::Lock2, {E_OUTOFMEMORY, E_INVALIDARG, D3DDDIERR_DEVICEREMOVED}},
    {Callback::Unlock2, {E_INVALIDARG, D3DDDIERR_DEVICEREMOVED}},
    {Callback::MakeResident, {E_OUTOFMEMORY, D3DDDIERR_DEVICEREMOVED}},
    {Callback::Evict, {E_INVALIDARG, D3DDDIERR_DEVICEREMOVED}},
    {Callback::MapGpuVirtualAddress, {E_OUTOFMEMORY, E_INVALIDARG, D3DDDIERR_DEVICEREMOVED}},
    {Callback::FreeGpuVirtualAddress, {E_INVALIDARG}},
    {Callback::WaitForSynchronizationObjectFromCpu, {E_OUTOFMEMORY, D3DDDIERR_DEVICEREMOVED}},
    {Callback::WaitForSynchronizationObjectFromGpu, {E_OUTOFMEMORY, D3DDDIERR_DEVICEREMOVED}},
    {Callback::SignalSynchronizationObjectFromGpu, {E_OUTOFMEMORY, D3DDDIERR_DEVICEREMOVED}},
    {Callback::Present, {E_OUTOFMEMORY, E_INVALIDARG}},
};

umd::CallbackFault any_fault(UmdEnvironment& environment) {
  const Failing& failing = kFailing[environment.choose(std::size(kFailing))];
  HRESULT result = failing.results.begin()[environment.choose(static_cast<uint32_t>(failing.results.size()))];
  return {.callback = failing.callback, .nth = 1 + environment.choose(10), .result = result};
}

// A creation that has no memory, and one that has.
void create_without_memory(UmdProgram& program) {
  umd::Device9& device = program.device();
  auto desc = umd::ResourceDesc::texture(32, 32, D3DDDIFMT_A8R8G8B8);
  program.allow_failures();
  device.fail_callback({.callback = Callback::Allocate, .nth = 1, .result = E_OUTOFMEMORY});
  if (auto unlikely = UmdResource::make(program, device, desc)) unlikely->destroy();
  device.fail_callback({});
  program.allow_failures(false);
  if (auto made = UmdResource::make(program, device, desc)) made->destroy();
}

void fail_callbacks(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d9);
  if (!environment.ready()) return;
  UmdProgram program(environment, "program");
  if (!program.open()) return;
  create_without_memory(program);
  for (uint32_t round = 0; round < 3; ++round) {
    program.allow_failures();
    program.device().fail_callback(any_fault(environment));
    use(program, 20 + environment.choose(20));
    if (environment.perhaps()) program.device().fail_callback({});
    program.close_device();
    program.allow_failures(false);
    if (!program.open_device()) return;
  }
  use(program, 10);
}

// --- Memory ---

void fail_memory(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d9);
  if (!environment.ready()) return;
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 64));
  for (const char* name : {"first", "second"}) {
    UmdProgram program(environment, name);
    if (program.open()) use(program, 30);
  }
}

// --- The device ---

// Works until the driver says that the device is removed. The engine hangs and is reset after a timeout; the device is
// lost.
bool work_until_lost(UmdProgram& program, Umd9Workload& workload) {
  constexpr int kMost = 200;
  for (int i = 0; i < kMost; ++i) {
    workload.work();
    if (workload.fill_and_flush() == D3DDDIERR_DEVICEREMOVED) return true;
    program.environment().rest(100 * kMillisecond);
  }
  return false;
}

// Every call of a program on a lost device is answered, and everything it has can be destroyed.
void work_to_the_end(UmdProgram& program) {
  UmdEnvironment& environment = program.environment();
  Umd9Workload workload(program, program.device());
  UmdResources resources;
  auto work = [&](uint32_t steps) {
    for (; steps > 0; --steps) {
      random_step(program, program.device(), resources);
      workload.work();
    }
  };
  if (!workload.begin()) return;
  work(environment.choose(20));
  program.allow_failures();
  program.escape(SOFTGPU_ESCAPE_REFUSE_PREEMPTION, 1);
  program.escape(SOFTGPU_ESCAPE_HANG_ENGINE, 1 + environment.choose(40));
  bool lost = work_until_lost(program, workload);
  if (environment.known() && environment.undisturbed()) CHECK_MSG(lost, "an engine hangs, and no device is lost");
  workload.fill_and_flush();
  work(environment.choose(10));
  while (!resources.empty() && environment.choose(4) != 0) take_any(environment, resources)->destroy();
  workload.end();
}

void lose_device(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d9);
  if (!environment.ready()) return;
  if (!environment.speaks()) return environment.skip(kNoCommands);
  UmdProgram program(environment, "program");
  if (!program.open()) return;
  work_to_the_end(program);
  program.escape(SOFTGPU_ESCAPE_REFUSE_PREEMPTION, 0);
  program.close_device();
  program.allow_failures(false);
  if (program.open_device()) use(program, 10);
}

// --- The hardware ---

// Between two calls of the program, with resources that live and batches that are queued or run; it learns of it from
// the results.
void remove_hardware(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d9);
  if (!environment.ready()) return;
  UmdProgram program(environment, "program");
  if (!program.open()) return;
  Umd9Workload workload(program, program.device());
  UmdResources resources;
  if (!workload.begin()) return;
  auto work = [&](uint32_t steps) {
    for (; steps > 0; --steps) {
      random_step(program, program.device(), resources);
      workload.work();
    }
  };
  workload.check();  // something is drawn before the hardware goes
  work(environment.choose(30));
  program.allow_failures();
  environment.graphics().surprise_remove();
  work(environment.choose(10));
  while (!resources.empty() && environment.choose(4) != 0) take_any(environment, resources)->destroy();
  if (environment.perhaps()) workload.end();
}

}  // namespace

std::vector<Scenario> umd_failure_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"umd/failing-callbacks", "one callback of the runtime fails", &fail_callbacks, Needs::Umd},
      {"umd/failing-memory", "one allocation of the drivers fails", &fail_memory, Needs::Umd, true},
      {"umd/lost-device", "an engine hangs, the device is lost; a new one works", &lose_device, Needs::Umd},
      {"umd/removed", "the hardware is pulled out under a program", &remove_hardware, Needs::Umd},
  };
}

}  // namespace host
