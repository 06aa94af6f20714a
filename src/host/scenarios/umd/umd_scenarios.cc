#include "host/scenarios/umd/umd_scenarios.h"

#include "host/scenarios/umd/umd11_flip_scenarios.h"
#include "host/scenarios/umd/umd11_scenarios.h"
#include "host/scenarios/umd/umd9_workload.h"
#include "host/scenarios/umd/umd_failure_scenarios.h"
#include "host/scenarios/umd/umd_shared_scenarios.h"
#include "host/workload/gpu_model.h"

namespace host {
namespace {

using Ddi = UmdEnvironment::Ddi;
using umd::ResourceDesc;

// --- Life ---

void ask_adapter(UmdProgram& program) {
  D3DCAPS9 caps{};
  program.succeeds(program.adapter().get_caps(D3DDDICAPS_GETD3D9CAPS, &caps, sizeof(caps)));
}

// "Handling Multiple Locks": what is locked can be locked again.
void lock_twice(UmdProgram& program, UmdResource& buffer) {
  umd::Device9& device = program.device();
  umd::Mapped mapped;
  uint32_t locks = 0;
  while (locks < 2 && program.succeeds(device.lock(buffer.get(), 0, {}, &mapped))) ++locks;
  for (; locks > 0; --locks) program.succeeds(device.unlock(buffer.get(), 0));
}

// The same in every run: two textures with the same description, both kinds of buffers, and a batch.
void live_plainly(UmdProgram& program) {
  umd::Device9& device = program.device();
  UmdResources resources;
  for (int i = 0; i < 2; ++i) {
    add(resources, UmdResource::make(program, device, ResourceDesc::texture(16, 16, D3DDDIFMT_A8R8G8B8)));
  }
  add(resources, UmdResource::make(program, device, ResourceDesc::vertex_buffer(1024)));
  if (!resources.empty()) lock_twice(program, *resources.back());
  add(resources, UmdResource::make(program, device, ResourceDesc::index_buffer(256)));
  if (auto target = UmdResource::make(program, device, ResourceDesc::render_target(32, 32, D3DDDIFMT_A8R8G8B8))) {
    target->fill(0, target->whole(0), 0xFF102030);
    resources.push_back(std::move(target));
  }
  program.succeeds(device.flush());
  if (!resources.empty()) resources.back()->check(0);  // waits for what was drawn
  for (auto& resource : resources) resource->destroy();
}

void live(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d9);
  if (!environment.ready()) return;
  UmdProgram program(environment, "program");
  if (!program.open()) return;
  ask_adapter(program);
  live_plainly(program);
  for (int life = 0; life < 2; ++life) {
    UmdResources resources;
    for (uint32_t steps = 20 + environment.choose(30); steps > 0; --steps)
      random_step(program, program.device(), resources);
    while (!resources.empty() && environment.choose(4) != 0) take_any(environment, resources)->destroy();
    program.close_device();
    if (life == 0 && !program.open_device()) return;
  }
}

// --- Drawing ---

void draw(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d9);
  if (!environment.ready()) return;
  UmdProgram program(environment, "program");
  if (!program.open()) return;
  Umd9Workload workload(program, program.device());
  if (!workload.begin()) return;
  for (uint32_t steps = 30 + environment.choose(30); steps > 0; --steps) workload.work();
  workload.end();
}

// --- Groups ---

// Surfaces that live and die together, each used for itself.
void use_singly(UmdEnvironment& environment, UmdResource& group, UmdPainter& painter, UmdResource& target) {
  UINT surface = environment.choose(group.surfaces());
  RECT whole = group.whole(surface), part = any_part(environment, whole);
  bool drawn_to = group.desc().flags.RenderTarget;
  switch (environment.choose(5)) {
    case 0:
      group.write(surface, any_color(environment));
      break;
    case 1:
      if (drawn_to) painter.paint(group, surface, part, any_color(environment));
      break;
    case 2:
      if (drawn_to) group.clear(surface, any_color(environment));
      break;
    case 3:
      target.copy(0, 0, 0, group, surface, part);
      break;
    default:
      group.check(surface);
  }
}

void group(ScenarioContext& context) {
  constexpr UINT kSize = 32;
  UmdEnvironment environment(context, Ddi::D3d9);
  if (!environment.ready()) return;
  UmdProgram program(environment, "program");
  if (!program.open()) return;
  umd::Device9& device = program.device();
  UmdPainter painter(program, device, environment);
  auto target = UmdResource::make(program, device, ResourceDesc::render_target(kSize, kSize, D3DDDIFMT_A8R8G8B8));
  if (!painter.begin() || !target || !target->clear(0, any_color(environment))) return;
  for (uint32_t round = 0; round < 6; ++round) {
    bool mips = round == 0 || environment.perhaps();
    auto many =
        UmdResource::make(program, device,
                          mips ? ResourceDesc::texture(kSize, kSize, D3DDDIFMT_A8R8G8B8, 3 + environment.choose(3))
                               : ResourceDesc::group(2 + environment.choose(4), kSize, kSize, D3DDDIFMT_A8R8G8B8));
    if (!many) return;
    for (UINT i = 0; i < many->surfaces(); ++i) many->write(i, any_color(environment));
    for (uint32_t uses = environment.choose(12); uses > 0; --uses) use_singly(environment, *many, painter, *target);
    many->destroy();
  }
  target->check(0);
}

// --- Deferral ---

// Between two flushes: a few hundred textures and buffers, each used by one draw and destroyed right after it, or
// together at the end.
void draw_with_many(UmdEnvironment& environment, UmdPainter& painter, UmdResource& target) {
  UmdResources kept;
  bool together = environment.perhaps();
  for (uint32_t draws = 40 + environment.choose(80); draws > 0; --draws) {
    painter.paint(target, 0, any_part(environment, target.whole(0)), any_color(environment),
                  together ? &kept : nullptr);
  }
  while (!kept.empty()) take_any(environment, kept)->destroy();
}

void defer(ScenarioContext& context) {
  constexpr EnvironmentMemory kLittle = {.local_bytes = 1 << 20, .aperture_bytes = 2 << 20};
  constexpr UINT kSize = 64;
  UmdEnvironment environment(context, Ddi::D3d9, kLittle);
  if (!environment.ready()) return;
  UmdProgram program(environment, "program");
  if (!program.open()) return;
  umd::Device9& device = program.device();
  ThreadGroup threads(environment.machine());
  threads.add("rival", [&environment] { crowd_out(environment, "rival", kLittle.local_bytes / 4 * 3, 4); });
  UmdPainter painter(program, device, environment);
  auto target = UmdResource::make(program, device, ResourceDesc::render_target(kSize, kSize, D3DDDIFMT_A8R8G8B8));
  auto other = UmdResource::make(program, device, ResourceDesc::render_target(kSize, kSize, D3DDDIFMT_A8R8G8B8));
  if (!painter.begin() || !target || !other || !target->clear(0, any_color(environment))) return;
  for (uint32_t round = 0; round < 3; ++round) {
    draw_with_many(environment, painter, *target);
    other->fill(0, other->whole(0), any_color(environment));
    program.succeeds(device.flush());
    if (environment.perhaps()) target->check(0);
  }
  target->check(0);
  other->check(0);
}

// --- Two devices ---

// Of one program, each on a thread of its own, with one driver and one adapter.
void work_beside(UmdProgram& program) {
  std::unique_ptr<umd::Device9> device = program.make_device();
  if (!device) return;
  UmdEnvironment& environment = program.environment();
  Umd9Workload workload(program, *device);
  if (workload.begin()) {
    for (uint32_t steps = 10 + environment.choose(15); steps > 0; --steps) workload.work();
    workload.end();
  }
  UmdResources resources;
  for (uint32_t steps = 10 + environment.choose(15); steps > 0; --steps) random_step(program, *device, resources);
  program.succeeds(device->destroy());
}

void two_devices(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d9);
  if (!environment.ready()) return;
  UmdProgram program(environment, "program");
  if (!program.open()) return;
  if (environment.perhaps()) program.close_device();
  ThreadGroup threads(environment.machine());
  for (const char* name : {"first", "second"}) threads.add(name, [&program] { work_beside(program); });
}

}  // namespace

std::vector<Scenario> umd_scenarios() {
  using Needs = Scenario::Needs;
  std::vector<Scenario> all = {
      {"umd/life", "resources of every kind, written, read, destroyed; twice", &live, Needs::Umd},
      {"umd/draw", "clears, draws, copies, presents, and what they leave", &draw, Needs::Umd},
      {"umd/group", "surfaces created as one, used singly, destroyed as one", &group, Needs::Umd},
      {"umd/deferral", "hundreds of short lives between flushes, little memory", &defer, Needs::Umd},
      {"umd/two-devices", "two devices of one program, on two threads", &two_devices, Needs::Umd},
  };
  for (const auto& more :
       {umd_shared_scenarios(), umd_failure_scenarios(), umd11_scenarios(), umd11_flip_scenarios()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace host
