#include "host/umd_failure_scenarios.h"

#include <initializer_list>

#include "drivers/softgpu/proto/softgpu_user.h"
#include "host/umd_studio.h"

namespace host {
namespace {

using Ddi = UmdStage::Ddi;
using umd::Callback;

// Works and lives for a while, whatever the driver answers.
void use(UmdProgram& program, uint32_t steps) {
  UmdStage& stage = program.stage();
  umd::Device9& device = program.device();
  Studio studio(program, device);
  UmdResources resources;
  bool draws = studio.begin();
  for (; steps > 0; --steps) {
    if (draws && stage.perhaps()) {
      studio.work();
    } else {
      live_on(program, device, resources);
    }
  }
  if (draws) studio.end();
  while (!resources.empty() && stage.choose(4) != 0) take_any(stage, resources)->destroy();
}

// --- Callbacks ---

// What the page of each names; where it names nothing but success, what those of its older brothers have in common.
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

umd::CallbackFault any_fault(UmdStage& stage) {
  const Failing& failing = kFailing[stage.choose(std::size(kFailing))];
  HRESULT result = failing.results.begin()[stage.choose(static_cast<uint32_t>(failing.results.size()))];
  return {.callback = failing.callback, .nth = 1 + stage.choose(10), .result = result};
}

// A creation that has no memory, and one that has.
void create_without_memory(UmdProgram& program) {
  umd::Device9& device = program.device();
  auto desc = umd::ResourceDesc::texture(32, 32, D3DDDIFMT_A8R8G8B8);
  program.excuse();
  device.fail_callback({.callback = Callback::Allocate, .nth = 1, .result = E_OUTOFMEMORY});
  if (auto unlikely = UmdResource::make(program, device, desc)) unlikely->destroy();
  device.fail_callback({});
  program.excuse(false);
  if (auto made = UmdResource::make(program, device, desc)) made->destroy();
}

void fail_callbacks(ScenarioContext& context) {
  UmdStage stage(context, Ddi::D3d9);
  if (!stage.ready()) return;
  UmdProgram program(stage, "program");
  if (!program.open()) return;
  create_without_memory(program);
  for (uint32_t round = 0; round < 3; ++round) {
    program.excuse();
    program.device().fail_callback(any_fault(stage));
    use(program, 20 + stage.choose(20));
    if (stage.perhaps()) program.device().fail_callback({});
    program.close_device();
    program.excuse(false);
    if (!program.open_device()) return;
  }
  use(program, 10);
}

// --- Memory ---

void fail_memory(ScenarioContext& context) {
  UmdStage stage(context, Ddi::D3d9);
  if (!stage.ready()) return;
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 64));
  for (const char* name : {"first", "second"}) {
    UmdProgram program(stage, name);
    if (program.open()) use(program, 30);
  }
}

// --- The device ---

// Until the driver says that the device is removed. The engine hangs, is reset after its time, and the device with it.
bool work_until_lost(UmdProgram& program, Studio& studio) {
  constexpr int kMost = 200;
  for (int i = 0; i < kMost; ++i) {
    studio.work();
    if (studio.fill_and_flush() == D3DDDIERR_DEVICEREMOVED) return true;
    program.stage().rest(100 * kMillisecond);
  }
  return false;
}

// Everything that a program does on a device that is lost is answered, and everything it has can be destroyed.
void work_to_the_end(UmdProgram& program) {
  UmdStage& stage = program.stage();
  Studio studio(program, program.device());
  UmdResources resources;
  auto work = [&](uint32_t steps) {
    for (; steps > 0; --steps) {
      live_on(program, program.device(), resources);
      studio.work();
    }
  };
  if (!studio.begin()) return;
  work(stage.choose(20));
  program.excuse();
  program.escape(SOFTGPU_ESCAPE_REFUSE_PREEMPTION, 1);
  program.escape(SOFTGPU_ESCAPE_HANG_ENGINE, 1 + stage.choose(40));
  bool lost = work_until_lost(program, studio);
  if (stage.known() && stage.undisturbed()) CHECK_MSG(lost, "an engine hangs, and no device is lost");
  studio.fill_and_flush();
  work(stage.choose(10));
  while (!resources.empty() && stage.choose(4) != 0) take_any(stage, resources)->destroy();
  studio.end();
}

void lose_device(ScenarioContext& context) {
  UmdStage stage(context, Ddi::D3d9);
  if (!stage.ready() || !stage.speaks()) return;
  UmdProgram program(stage, "program");
  if (!program.open()) return;
  work_to_the_end(program);
  program.escape(SOFTGPU_ESCAPE_REFUSE_PREEMPTION, 0);
  program.close_device();
  program.excuse(false);
  if (program.open_device()) use(program, 10);
}

// --- The hardware ---

// Between two calls of the program, with resources that live and batches that are queued or run; it learns of it from
// the results.
void remove_hardware(ScenarioContext& context) {
  UmdStage stage(context, Ddi::D3d9);
  if (!stage.ready()) return;
  UmdProgram program(stage, "program");
  if (!program.open()) return;
  Studio studio(program, program.device());
  UmdResources resources;
  if (!studio.begin()) return;
  auto work = [&](uint32_t steps) {
    for (; steps > 0; --steps) {
      live_on(program, program.device(), resources);
      studio.work();
    }
  };
  work(stage.choose(30));
  program.excuse();
  stage.graphics().surprise_remove();
  work(stage.choose(10));
  while (!resources.empty() && stage.choose(4) != 0) take_any(stage, resources)->destroy();
  if (stage.perhaps()) studio.end();
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
