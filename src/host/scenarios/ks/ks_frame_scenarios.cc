// Frames that are allowed and that few programs send: smaller than a picture, several sizes at once, and with a
// KS_FRAME_INFO whose fields a program has filled in. A driver may fail any of them.
#include <algorithm>
#include <climits>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/ks/ks_scenarios.h"
#include "host/scenarios/ks/ks_streaming.h"

namespace host {
namespace {

constexpr base::TimeNs kGlance = 100 * kMillisecond;

size_t some_size(KsEnvironment& environment, size_t whole) {
  const size_t sizes[] = {1, 3, whole / 4 | 1, whole / 2, whole - 1, whole, whole + 13};
  return std::max<size_t>(1, sizes[environment.choose(std::size(sizes))]);
}

// Of a frame in system memory the fields about a surface mean nothing. PictureNumber and DropCount stay as they are: a
// driver need not write them.
void fill_oddly(KsEnvironment& environment, KS_FRAME_INFO& info) {
  const LONG pitches[] = {1, -1, 129, 333, 1021, 0x10001, -4096, INT_MIN};
  info.lSurfacePitch = pitches[environment.choose(std::size(pitches))];
  info.dwFrameFlags = environment.perhaps() ? 0xffffffff : 0;
  info.hDirectDraw = info.hSurfaceHandle = reinterpret_cast<HANDLE>(uintptr_t{environment.choose(3)} * 16);
  info.DirectDrawRect = {-1, INT_MAX, static_cast<LONG>(environment.choose(5000)), INT_MIN};
}

void send_oddly(KsPlayer& player, KsPlayedPin& pin, size_t count) {
  KsEnvironment& environment = player.environment();
  for (size_t i = 0; i < count; ++i) {
    ks::ProgramFrame& frame = player.make_frame(pin, some_size(environment, pin.bytes), player.header_bytes(pin));
    if (KS_FRAME_INFO* info = frame.info()) fill_oddly(environment, *info);
    if (!pin.output()) frame.header().DataUsed = environment.choose(static_cast<uint32_t>(frame.buffer().size())) + 1;
    pin.output() ? frame.read(pin.handle) : frame.write(pin.handle);
  }
  player.feed_needed(pin, count);
}

void odd_frames(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "miser");
  player.open_filters();
  for (auto& [filter, query] : stream_pins(player)) {
    KsPlayedPin* pin = player.open(filter, query);
    if (!pin) continue;  // told
    for (int round = 0; round < 3; ++round) {
      if (environment.perhaps() && !player.run(*pin)) break;  // they wait in the queue, or are sent into a running pin
      send_oddly(player, *pin, 5);
      if (!player.run(*pin)) break;
      for (int i = 0; i < 5; ++i) player.receive(*pin, kGlance, false);
      player.take_back(*pin);
    }
    if (player.run(*pin)) player.stream(*pin, 2);  // ordinary ones still go
    player.go(*pin, KSSTATE_STOP);
    player.close(*pin);
  }
  player.close_in_any_order();
}

}  // namespace

std::vector<Scenario> ks_frame_scenarios() {
  return {{"ks/odd-frames", "short frames of several sizes at once, with any KS_FRAME_INFO", &odd_frames,
           Scenario::Needs::Streaming}};
}

}  // namespace host
