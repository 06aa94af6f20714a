#pragma once

#include <utility>
#include <vector>

#include "host/scenarios/ks/ks_player.h"

namespace host {

// What most scenarios for minidrivers begin with. Each says in the outcome why it could not.

// The pins that a program may stream with, of the player's open filters. Without any the scenario is skipped.
using KsPinPlace = std::pair<HANDLE, KsPinQuery>;
std::vector<KsPinPlace> stream_pins(KsPlayer& player);
// One of them, that the seed chooses. Null when it could not be opened.
KsPlayedPin* open_some_pin(KsPlayer& player, KsPlayer::Refusal refusal = KsPlayer::Refusal::Told);

// Runs a pin that the seed chooses until some frames came; one whose frames wait for a trigger stands for itself, and
// another is tried. A driver that does not stream leaves the scenario incomplete, and is put through the rest of it all
// the same. False when there is nothing to play with: no filter, no pin that takes requests.
bool try_streaming(KsEnvironment& environment);

// RUN, PAUSE and RUN again, with frames before and after: a stream goes on as it was.
void stream_through_pause(KsPlayer& player, KsPlayedPin& pin, uint32_t frames);

}  // namespace host
