#include "host/scenarios/umd/umd9_workload.h"

#include <utility>

namespace host {
namespace {

using umd::ResourceDesc;

constexpr UINT kWidth = 48, kHeight = 32, kSourceSize = 16;

}  // namespace

// --- A life ---

void add(UmdResources& resources, std::unique_ptr<UmdResource> made) {
  if (made) resources.push_back(std::move(made));
}

std::unique_ptr<UmdResource> take_any(ScenarioEnvironment& environment, UmdResources& resources) {
  uint32_t chosen = environment.choose(static_cast<uint32_t>(resources.size()));
  std::swap(resources[chosen], resources.back());
  std::unique_ptr<UmdResource> taken = std::move(resources.back());
  resources.pop_back();
  return taken;
}

void random_step(UmdProcess& process, umd::Device9& device, UmdResources& resources) {
  constexpr size_t kMost = 12;
  UmdEnvironment& environment = process.environment();
  if (resources.empty() || (resources.size() < kMost && environment.choose(3) == 0)) {
    return add(resources, UmdResource::make(process, device, any_resource(environment)));
  }
  UmdResource& one = *resources[environment.choose(static_cast<uint32_t>(resources.size()))];
  UINT surface = environment.choose(one.surfaces());
  switch (environment.choose(5)) {
    case 0:
      take_any(environment, resources)->destroy();
      break;
    case 1:
      process.succeeds(device.flush());
      break;
    case 2:
      if (one.can_be_locked()) one.check(surface);
      break;
    default: {
      D3DDDI_LOCKFLAGS flags{};
      flags.Discard = one.desc().flags.Dynamic && environment.perhaps();
      if (one.can_be_locked()) one.write(surface, any_color(environment), flags);
    }
  }
}

// --- Pictures ---

bool Umd9Workload::begin() {
  if (!painter_.begin()) return false;
  for (int i = 0; i < 3; ++i) {
    add(targets_,
        UmdResource::make(process_, device_, ResourceDesc::render_target(kWidth, kHeight, D3DDDIFMT_A8R8G8B8)));
  }
  if (targets_.size() < 3) return false;
  for (auto& target : targets_) {
    if (!target->clear(0, any_color(environment()))) return false;
    if (!process_.succeeds(device_.flush())) return false;
  }
  return true;
}

UmdResource& Umd9Workload::another(const UmdResource& target) {
  return *(targets_[0].get() == &target ? targets_[1] : targets_[0]);
}

// The source surface is destroyed before the flush.
void Umd9Workload::copy_momentary(UmdResource& target) {
  ResourceDesc desc = environment().perhaps()
                          ? ResourceDesc::texture(kSourceSize, kSourceSize, D3DDDIFMT_A8R8G8B8)
                          : ResourceDesc::system_surface(kSourceSize, kSourceSize, D3DDDIFMT_A8R8G8B8, nullptr, 0);
  auto source = UmdResource::make(process_, device_, std::move(desc));
  if (!source) return;
  RECT part = any_part(environment(), source->whole(0));
  if (source->write(0, any_color(environment()))) {
    target.copy(0, static_cast<LONG>(environment().choose(kWidth - kSourceSize)),
                static_cast<LONG>(environment().choose(kHeight - kSourceSize)), *source, 0, part);
  }
  source->destroy();
}

void Umd9Workload::copy_between(UmdResource& target) {
  RECT part = any_part(environment(), target.whole(0));
  target.copy(0, part.left, part.top, another(target), 0, part);
}

void Umd9Workload::work() {
  UmdResource& target = any_target();
  switch (environment().choose(10)) {
    case 0:
      target.clear(0, any_color(environment()));
      break;
    case 1:
      target.fill(0, any_part(environment(), target.whole(0)), any_color(environment()));
      break;
    case 2:
      copy_momentary(target);
      break;
    case 3:
      copy_between(target);
      break;
    case 4:
      target.present(another(target));
      break;
    case 5:
      process_.succeeds(device_.flush());
      break;
    case 6:
      target.check(0);
      break;
    case 7:
      target.write(0, any_color(environment()));
      break;
    default:
      painter_.paint(target, 0, any_part(environment(), target.whole(0)), any_color(environment()));
  }
}

void Umd9Workload::check() {
  for (auto& target : targets_) target->check(0);
}

void Umd9Workload::end() {
  check();
  if (environment().perhaps()) return;  // the device takes everything with it
  painter_.end();
  for (auto& target : targets_) target->destroy();
  targets_.clear();
}

HRESULT Umd9Workload::fill_and_flush() {
  UmdResource& target = any_target();
  uint32_t color = any_color(environment());
  HRESULT filled = device_.color_fill({target.get(), 0, target.whole(0)}, color);
  target.painted(0, target.whole(0), color, filled);
  HRESULT flushed = device_.flush();
  process_.succeeds(flushed);
  return FAILED(filled) ? filled : flushed;
}

}  // namespace host
