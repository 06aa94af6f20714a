#include "host/umd_studio.h"

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

std::unique_ptr<UmdResource> take_any(Stage& stage, UmdResources& resources) {
  uint32_t chosen = stage.choose(static_cast<uint32_t>(resources.size()));
  std::swap(resources[chosen], resources.back());
  std::unique_ptr<UmdResource> taken = std::move(resources.back());
  resources.pop_back();
  return taken;
}

void live_on(UmdProcess& process, umd::Device9& device, UmdResources& resources) {
  constexpr size_t kMost = 12;
  UmdStage& stage = process.stage();
  if (resources.empty() || (resources.size() < kMost && stage.choose(3) == 0)) {
    return add(resources, UmdResource::make(process, device, any_resource(stage)));
  }
  UmdResource& one = *resources[stage.choose(static_cast<uint32_t>(resources.size()))];
  UINT surface = stage.choose(one.surfaces());
  switch (stage.choose(5)) {
    case 0:
      take_any(stage, resources)->destroy();
      break;
    case 1:
      process.succeeds(device.flush());
      break;
    case 2:
      if (one.can_be_locked()) one.check(surface);
      break;
    default: {
      D3DDDI_LOCKFLAGS flags{};
      flags.Discard = one.desc().flags.Dynamic && stage.perhaps();
      if (one.can_be_locked()) one.write(surface, any_color(stage), flags);
    }
  }
}

// --- Pictures ---

bool Studio::begin() {
  if (!painter_.begin()) return false;
  for (int i = 0; i < 3; ++i) {
    add(targets_,
        UmdResource::make(process_, device_, ResourceDesc::render_target(kWidth, kHeight, D3DDDIFMT_A8R8G8B8)));
  }
  if (targets_.size() < 3) return false;
  for (auto& target : targets_) {
    if (!target->clear(0, any_color(stage()))) return false;
    if (!process_.succeeds(device_.flush())) return false;
  }
  return true;
}

UmdResource& Studio::another(const UmdResource& target) {
  return *(targets_[0].get() == &target ? targets_[1] : targets_[0]);
}

// From a surface that is gone before anybody says flush.
void Studio::copy_momentary(UmdResource& target) {
  ResourceDesc desc = stage().perhaps()
                          ? ResourceDesc::texture(kSourceSize, kSourceSize, D3DDDIFMT_A8R8G8B8)
                          : ResourceDesc::system_surface(kSourceSize, kSourceSize, D3DDDIFMT_A8R8G8B8, nullptr, 0);
  auto source = UmdResource::make(process_, device_, std::move(desc));
  if (!source) return;
  RECT part = any_part(stage(), source->whole(0));
  if (source->write(0, any_color(stage()))) {
    target.copy(0, static_cast<LONG>(stage().choose(kWidth - kSourceSize)),
                static_cast<LONG>(stage().choose(kHeight - kSourceSize)), *source, 0, part);
  }
  source->destroy();
}

void Studio::copy_between(UmdResource& target) {
  RECT part = any_part(stage(), target.whole(0));
  target.copy(0, part.left, part.top, another(target), 0, part);
}

void Studio::work() {
  UmdResource& target = any_target();
  switch (stage().choose(10)) {
    case 0:
      target.clear(0, any_color(stage()));
      break;
    case 1:
      target.fill(0, any_part(stage(), target.whole(0)), any_color(stage()));
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
      target.write(0, any_color(stage()));
      break;
    default:
      painter_.paint(target, 0, any_part(stage(), target.whole(0)), any_color(stage()));
  }
}

void Studio::end() {
  for (auto& target : targets_) target->check(0);
  if (stage().perhaps()) return;  // the device takes everything with it
  painter_.end();
  for (auto& target : targets_) target->destroy();
  targets_.clear();
}

HRESULT Studio::fill_and_flush() {
  UmdResource& target = any_target();
  uint32_t color = any_color(stage());
  HRESULT filled = device_.color_fill({target.get(), 0, target.whole(0)}, color);
  target.painted(0, target.whole(0), color, filled);
  HRESULT flushed = device_.flush();
  process_.succeeds(flushed);
  return FAILED(filled) ? filled : flushed;
}

}  // namespace host
