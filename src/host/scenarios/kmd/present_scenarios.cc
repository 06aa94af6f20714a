#include "host/scenarios/kmd/present_scenarios.h"

#include <cstring>

#include "dxgk/adapter/adapter.h"
#include "host/workload/gpu_model.h"

namespace host {
namespace {

constexpr uint32_t kWidth = 64, kHeight = 64, kPixel = 4;
constexpr uint64_t kBytes = uint64_t{kWidth} * kHeight * kPixel;

// A surface of which every pixel is known.
using Picture = ModelBuffer;

RECT all() { return {0, 0, kWidth, kHeight}; }

// Somewhere inside, and never empty.
RECT choose_part(ScenarioEnvironment& environment) {
  auto left = static_cast<LONG>(environment.choose(kWidth)), top = static_cast<LONG>(environment.choose(kHeight));
  auto width = static_cast<LONG>(1 + environment.choose(kWidth - static_cast<uint32_t>(left)));
  auto height = static_cast<LONG>(1 + environment.choose(kHeight - static_cast<uint32_t>(top)));
  return {left, top, left + width, top + height};
}

uint8_t* row_of(Picture& picture, LONG x, LONG y) {
  return picture.bytes.data() + (static_cast<size_t>(y) * kWidth + static_cast<size_t>(x)) * kPixel;
}

size_t row_bytes(const RECT& part) { return static_cast<size_t>(part.right - part.left) * kPixel; }

// What a present is to do, on the models.
void draw(Picture& from, Picture& to, std::span<const RECT> parts) {
  for (const RECT& part : parts) {
    for (LONG y = part.top; y < part.bottom; ++y) {
      std::memcpy(row_of(to, part.left, y), row_of(from, part.left, y), row_bytes(part));
    }
  }
}

void draw(uint32_t color, Picture& to, std::span<const RECT> parts) {
  for (const RECT& part : parts) {
    for (LONG y = part.top; y < part.bottom; ++y) {
      for (LONG x = part.left; x < part.right; ++x) std::memcpy(row_of(to, x, y), &color, kPixel);
    }
  }
}

// Copies and fills of few parts and of many, so that they need several DMA buffers.
NTSTATUS present_something(ScenarioEnvironment& environment, GpuContext& gpu, Picture& from, Picture& to) {
  std::vector<RECT> parts(size_t{1} << environment.choose(8));
  for (RECT& part : parts) part = choose_part(environment);
  D3DKMT_PRESENT args{};
  args.hDestination = to.buffer.allocation;
  args.SubRectCnt = static_cast<UINT>(parts.size());
  args.pSrcSubRects = parts.data();
  args.DstRect = all();
  args.Flags.DstRectValid = 1;
  if (environment.choose(4) == 0) {
    args.Flags.ColorFill = 1;
    args.Color = environment.choose(0x7FFFFFFF);
    draw(args.Color, to, parts);
  } else {
    args.Flags.Blt = 1;
    args.Flags.SrcRectValid = 1;
    args.SrcRect = all();
    args.hSource = from.buffer.allocation;
    draw(from, to, parts);
  }
  return gpu.present(args);
}

std::optional<Picture> make_picture(GpuClient& client, GpuCommands& commands, ScenarioEnvironment& environment) {
  auto surface = client.make_surface(kWidth, kHeight);
  if (!client.expect(surface.has_value())) return std::nullopt;
  return Picture(client, *surface, commands, environment.choose(0x7FFFFFFF));
}

// The context that presents has submitted nothing before: a driver learns what it needs for that afterwards.
void present(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  GpuClient client(environment.graphics(), "client");
  if (!client.expect(client.open())) return;
  if (!environment.graphics().adapter().miniport().has(&DRIVER_INITIALIZATION_DATA::DxgkDdiPresent)) {
    return environment.skip("the driver has no DxgkDdiPresent");
  }
  if (!client.has_workload()) return environment.skip(kNoCommands);
  auto oracle = Oracle::make(client, kBytes);
  auto painter = GpuContext::create(client, 0), presenter = GpuContext::create(client, 0);
  GpuCommands first;
  auto from = make_picture(client, first, environment), to = make_picture(client, first, environment);
  if (!client.expect(oracle && painter && presenter && from && to)) return;
  from->scribble(first, environment);
  client.succeeds(painter->submit(first));
  client.succeeds(presenter->wait(painter->fence().object, painter->last()));
  for (uint32_t round = 1 + environment.choose(3); round > 0; --round) {
    client.succeeds(present_something(environment, *presenter, *from, *to));
  }
  client.expect(oracle->check(*presenter, *to));
}

}  // namespace

std::vector<Scenario> present_scenarios() {
  return {{"vidsch/present", "copies and fills of many parts between surfaces", &present, Scenario::Needs::Graphics}};
}

}  // namespace host
