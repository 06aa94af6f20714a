#include "host/scenarios/umd/umd11_scenarios.h"

#include "host/scenarios/umd/umd11_program.h"
#include "host/scenarios/umd/umd_model.h"

namespace host {
namespace {

using Ddi = UmdEnvironment::Ddi;
using Kind = Umd11Texture::Kind;
using umd::Callback;
using umd::ResourceDesc10;

constexpr UINT kWidth = 40, kHeight = 24;
constexpr Kind kKinds[] = {Kind::Target, Kind::SharedTarget, Kind::Sampled, Kind::Dynamic, Kind::Staging};

using Textures = std::vector<std::unique_ptr<Umd11Texture>>;

std::unique_ptr<Umd11Texture> make(Umd11Program& program, Kind kind) {
  return Umd11Texture::make(program, kind, kWidth, kHeight);
}

// --- Life ---

// A primary belongs to the immediate context, from its creation to its destruction. A driver without a display may
// refuse it.
void live_as_primary(Umd11Program& program, bool drawn) {
  umd::Device10& device = program.device();
  umd::Resource* primary = nullptr;
  if (FAILED(device.create_resource(ResourceDesc10::back_buffer(64, 64, DXGI_FORMAT_B8G8R8A8_UNORM, 0), &primary))) {
    return;
  }
  umd::RenderTargetView* view = nullptr;
  if (drawn && program.succeeds(device.create_render_target_view(primary, &view))) {
    const FLOAT color[4] = {1, 0, 0, 1};
    program.succeeds(device.clear_render_target(view, color));
    program.succeeds(device.flush());
  }
  program.succeeds(device.destroy_resource(primary));
}

// Right behind a copy, which may still be on its way.
void map_without_waiting(Umd11Program& program, Umd11Texture& target, Umd11Texture& staging) {
  umd::Device10& device = program.device();
  D3D10DDI_MAPPED_SUBRESOURCE mapped{};
  if (!staging.copy(target) || !program.succeeds(device.flush())) return;
  HRESULT result = device.map(staging.get(), 0, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped);
  if (SUCCEEDED(result)) program.succeeds(device.unmap(staging.get(), 0));
}

// The same in every run: what is created and destroyed between commands and their flush, and used by them.
void live_plainly(Umd11Program& program) {
  umd::Device10& device = program.device();
  program.expect(device.check_format_support(DXGI_FORMAT_B8G8R8A8_UNORM) != 0);
  auto target = make(program, Kind::Target), unrelated = make(program, Kind::Sampled),
       staging = make(program, Kind::Staging);
  if (target) target->clear(0xFF203040);
  auto sampled = Umd11Texture::make_filled(program, Kind::Sampled, kWidth, kHeight, 0x11223344);
  if (unrelated) unrelated->destroy();
  program.succeeds(device.flush());
  if (target && sampled) target->copy(*sampled);
  if (sampled) sampled->destroy();
  program.succeeds(device.flush());
  live_as_primary(program, false);
  umd::Resource* buffer = nullptr;
  if (program.succeeds(device.create_resource(ResourceDesc10::buffer(256, D3D10_DDI_BIND_VERTEX_BUFFER), &buffer))) {
    program.succeeds(device.destroy_resource(buffer));
  }
  if (target) target->clear(0xFF405060);
  for (int i = 0; i < 2; ++i) program.succeeds(device.flush());
  if (target && staging) map_without_waiting(program, *target, *staging);
  if (target && staging) target->check(*staging);
  for (auto* each : {&staging, &target}) {
    if (*each) (*each)->destroy();
  }
  program.succeeds(device.flush());
}

std::unique_ptr<Umd11Texture> take_any(ScenarioEnvironment& environment, Textures& textures) {
  uint32_t chosen = environment.choose(static_cast<uint32_t>(textures.size()));
  std::swap(textures[chosen], textures.back());
  std::unique_ptr<Umd11Texture> taken = std::move(textures.back());
  textures.pop_back();
  return taken;
}

// One thing by chance with textures of one size; `staging` is what they are read with.
void work(Umd11Program& program, Textures& textures, Umd11Texture& staging) {
  UmdEnvironment& environment = program.environment();
  auto any = [&]() -> Umd11Texture& { return *textures[environment.choose(static_cast<uint32_t>(textures.size()))]; };
  Umd11Texture &one = any(), &other = any();
  bool is_target = one.kind() == Kind::Target || one.kind() == Kind::SharedTarget;
  bool is_mapped = one.kind() == Kind::Dynamic || one.kind() == Kind::Staging;
  RECT part = any_part(environment, one.whole());
  switch (environment.choose(7)) {
    case 0:
      program.succeeds(program.device().flush());
      break;
    case 1:
      if (is_target) one.clear(any_color(environment));
      break;
    case 2:
      if (is_mapped) one.write(any_color(environment));
      break;
    case 3:
      if (!is_mapped) one.update(part, any_color(environment));
      break;
    case 4:
      if (&one != &other && one.kind() != Kind::Dynamic) one.copy(other);
      break;
    case 5:
      if (&one != &other && one.kind() != Kind::Dynamic) one.copy(part.left, part.top, other, part);
      break;
    default:
      one.check(staging);
  }
}

std::unique_ptr<Umd11Texture> make_any(Umd11Program& program) {
  UmdEnvironment& environment = program.environment();
  Kind kind = kKinds[environment.choose(std::size(kKinds))];
  if (environment.perhaps()) return make(program, kind);
  return Umd11Texture::make_filled(program, kind, kWidth, kHeight, any_color(environment));
}

// Works and lives for a while, whatever the driver answers.
void use(Umd11Program& program, uint32_t steps) {
  constexpr size_t kMost = 10;
  UmdEnvironment& environment = program.environment();
  auto staging = make(program, Kind::Staging);
  if (!staging) return;
  Textures textures;
  for (; steps > 0; --steps) {
    if (!textures.empty() && environment.choose(3) != 0) {
      work(program, textures, *staging);
    } else if (!textures.empty() && (textures.size() == kMost || environment.choose(3) == 0)) {
      take_any(environment, textures)->destroy();
    } else if (auto made = make_any(program)) {
      textures.push_back(std::move(made));
    }
  }
  while (!textures.empty() && environment.choose(5) != 0) take_any(environment, textures)->destroy();
  if (environment.perhaps()) staging->destroy();
}

void live(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d10);
  if (!environment.ready()) return;
  Umd11Program program(environment, "program");
  if (!program.open()) return;
  live_plainly(program);
  use(program, 20 + environment.choose(20));
  program.close_device();
  if (program.open_device()) use(program, 20);
}

// --- Drawing ---

void draw(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d10);
  if (!environment.ready()) return;
  Umd11Program program(environment, "program");
  if (!program.open()) return;
  auto staging = make(program, Kind::Staging);
  Textures textures;
  for (Kind kind : {Kind::Target, Kind::Target, Kind::Sampled, Kind::Dynamic}) {
    auto made = make(program, kind);
    if (!made || !staging) return;
    textures.push_back(std::move(made));
  }
  Umd11Texture &first = *textures[0], &second = *textures[1];
  for (auto* target : {&first, &second}) target->clear(any_color(environment));
  for (uint32_t rounds = 3; rounds > 0; --rounds) {
    for (uint32_t steps = 8 + environment.choose(10); steps > 0; --steps) work(program, textures, *staging);
    program.succeeds(program.device().flush());
    // From a texture that is gone before the flush.
    auto momentary = Umd11Texture::make_filled(program, Kind::Sampled, kWidth, kHeight, any_color(environment));
    if (!momentary) return;
    first.copy(0, 0, *momentary, any_part(environment, momentary->whole()));
    momentary->destroy();
    second.present(first);
  }
  for (auto& texture : textures) texture->check(*staging);
}

// --- Sharing ---

// Whatever is drawn to a shared texture is there for others once a check has waited for it.
void share_one(UmdEnvironment& environment, Umd11Program& maker, Umd11Program& opener) {
  auto made = make(maker, Kind::SharedTarget), maker_staging = make(maker, Kind::Staging);
  auto opener_staging = make(opener, Kind::Staging);
  if (!made || !maker_staging || !opener_staging) return;
  made->clear(any_color(environment));
  maker.succeeds(maker.device().flush());
  made->check(*maker_staging);
  auto opened = Umd11Texture::open(opener, *made);
  if (!opened) return;
  opened->check(*opener_staging);
  for (uint32_t turns = environment.choose(4); turns > 0; --turns) {
    bool by_maker = environment.perhaps();
    Umd11Texture &writer = by_maker ? *made : *opened, &reader = by_maker ? *opened : *made;
    Umd11Texture &writers = by_maker ? *maker_staging : *opener_staging,
                 &readers = by_maker ? *opener_staging : *maker_staging;
    writer.update(any_part(environment, writer.whole()), any_color(environment));
    writer.check(writers);
    reader.take_over(writer);
    reader.check(readers);
  }
  bool maker_first = environment.perhaps();
  (maker_first ? made : opened)->destroy();
  (maker_first ? maker : opener).succeeds((maker_first ? maker : opener).device().flush());
  (maker_first ? opened : made)->check(maker_first ? *opener_staging : *maker_staging);
  if (environment.perhaps()) (maker_first ? opened : made)->destroy();
}

void share(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d10);
  if (!environment.ready()) return;
  Umd11Program maker(environment, "maker"), opener(environment, "opener");
  if (!maker.open() || !opener.open()) return;
  for (int i = 0; i < 3; ++i) share_one(environment, maker, opener);
  if (auto alone = make(maker, Kind::SharedTarget)) {
    alone->destroy();
    maker.succeeds(maker.device().flush());
  }
  (environment.perhaps() ? maker : opener).end();
}

// --- Threads ---

// Creates and destroys, and never touches the immediate context.
void create_and_destroy(Umd11Program& program) {
  UmdEnvironment& environment = program.environment();
  Textures textures;
  for (uint32_t rounds = 20; rounds > 0; --rounds) {
    if (textures.size() < 4) {
      Kind kind = environment.perhaps() ? Kind::Sampled : Kind::Target;
      auto made = environment.perhaps()
                      ? make(program, kind)
                      : Umd11Texture::make_filled(program, kind, kWidth, kHeight, any_color(environment));
      if (made) textures.push_back(std::move(made));
    }
    if (!textures.empty() && environment.perhaps()) take_any(environment, textures)->destroy();
  }
  while (!textures.empty()) take_any(environment, textures)->destroy();
}

void use_threads(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d10);
  if (!environment.ready()) return;
  Umd11Program program(environment, "program");
  if (!program.open()) return;
  if (!program.device().free_threaded()) return environment.skip("the driver reports no free threading");
  auto staging = make(program, Kind::Staging), target = make(program, Kind::Target);
  if (!staging || !target) return;
  {
    ThreadGroup threads(environment.machine());
    for (const char* name : {"first", "second"}) threads.add(name, [&program] { create_and_destroy(program); });
    for (uint32_t rounds = 20; rounds > 0; --rounds) {
      target->clear(any_color(environment));
      target->update(any_part(environment, target->whole()), any_color(environment));
      program.succeeds(program.device().flush());
    }
  }
  target->check(*staging);
}

// --- Failures ---

constexpr Callback kFailing[] = {
    Callback::Allocate, Callback::MakeResident,  Callback::MapGpuVirtualAddress,
    Callback::Lock,     Callback::Lock2,         Callback::Render,
    Callback::Present,  Callback::SubmitCommand, Callback::WaitForSynchronizationObjectFromCpu,
};

void fail(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d10);
  if (!environment.ready()) return;
  Umd11Program program(environment, "program");
  if (!program.open()) return;
  for (uint32_t round = 0; round < 3; ++round) {
    program.allow_failures();
    program.device().fail_callback({.callback = kFailing[environment.choose(std::size(kFailing))],
                                    .nth = 1 + environment.choose(8),
                                    .result = environment.perhaps() ? E_OUTOFMEMORY : D3DDDIERR_DEVICEREMOVED});
    use(program, 20 + environment.choose(10));
    program.close_device();
    program.allow_failures(false);
    if (!program.open_device()) return;
  }
  use(program, 10);
}

// --- Primaries ---

void use_primaries(ScenarioContext& context) {
  UmdEnvironment environment(context, Ddi::D3d10);
  if (!environment.ready()) return;
  Umd11Program program(environment, "program");
  if (!program.open()) return;
  for (uint32_t rounds = 1 + environment.choose(4); rounds > 0; --rounds) {
    live_as_primary(program, environment.perhaps());
    if (environment.perhaps()) use(program, 5);
  }
}

}  // namespace

std::vector<Scenario> umd11_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"umd11/life", "created and destroyed between commands and flushes", &live, Needs::Umd},
      {"umd11/draw", "clears, updates, copies, presents, and what they leave", &draw, Needs::Umd},
      {"umd11/shared", "two programs share, draw, and let go in any order", &share, Needs::Umd},
      {"umd11/threads", "created and destroyed on threads that do not draw", &use_threads, Needs::Umd},
      {"umd11/failing", "one callback of the runtime fails", &fail, Needs::Umd},
      {"umd11/primary", "what could be displayed, created and destroyed", &use_primaries, Needs::Umd},
  };
}

}  // namespace host
