#include "host/scenarios/ks/ks_streaming.h"

#include <algorithm>

namespace host {

std::vector<KsPinPlace> stream_pins(KsPlayer& player) {
  std::vector<KsPinPlace> all;
  for (HANDLE filter : player.filters()) {
    for (KsPinQuery& query : player.pins(filter)) {
      if (KsPlayer::takes_requests(query)) all.emplace_back(filter, std::move(query));
    }
  }
  if (all.empty() && !player.filters().empty()) player.environment().skip("the driver has no pin that takes requests");
  return all;
}

KsPlayedPin* open_some_pin(KsPlayer& player, KsPlayer::Refusal refusal) {
  std::vector<KsPinPlace> all = stream_pins(player);
  if (all.empty()) return nullptr;
  auto& [filter, query] = all[player.environment().choose(static_cast<uint32_t>(all.size()))];
  return player.open(filter, query, refusal);
}

bool try_streaming(KsEnvironment& environment) {
  KsPlayer player(environment, "viewer");
  player.open_filters();
  std::vector<KsPinPlace> all = stream_pins(player);
  if (all.empty()) return false;
  std::rotate(all.begin(), all.begin() + environment.choose(static_cast<uint32_t>(all.size())), all.end());
  bool came = false, waits = true;
  for (auto& [filter, query] : all) {
    KsPlayedPin* pin = player.open(filter, query);
    if (!pin) continue;
    came = player.run(*pin) && player.stream(*pin, 2);
    waits = waits_for_trigger(pin->query);
    player.go(*pin, KSSTATE_STOP);
    player.close(*pin);
    if (!waits) break;
  }
  if (!came && waits)
    environment.leave_incomplete("no frame came: each pin waits for a trigger, or could not be opened");
  player.close_in_any_order();
  return true;
}

void stream_through_pause(KsPlayer& player, KsPlayedPin& pin, uint32_t frames) {
  if (!player.run(pin)) return;
  player.stream(pin, frames);
  player.go(pin, KSSTATE_PAUSE);
  if (player.run(pin)) player.stream(pin, frames);
}

}  // namespace host
