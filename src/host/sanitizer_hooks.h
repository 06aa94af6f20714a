#pragma once

#include "nt/machine.h"

namespace host {

// What a sanitizer reports about a driver becomes a finding like any other. Nothing happens in a build without one.
//
// An error of ASan or UBSan ends the process as soon as the sanitizer has spoken: `last_words` is called with the
// machine's probe told, and must not return. Races that TSan sees do not end anything: they are kept and told by
// tell_races().
void install_sanitizer_hooks(void (*last_words)());

// Tells `machine`'s probe of every race seen since the last call.
void tell_races(nt::Machine& machine);

}  // namespace host
