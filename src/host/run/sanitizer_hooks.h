#pragma once

#include "nt/machine/machine.h"

namespace host {

// What a sanitizer reports about a driver becomes a finding like any other. Nothing happens in a build without one.
//
// An error of ASan or UBSan ends the process: when the sanitizer has reported it, the machine's observer is told and
// `last_words` is called, which must not return. Races that TSan sees do not end anything: they are kept and told by
// tell_races().
void install_sanitizer_hooks(void (*last_words)());

// Tells `machine`'s observer of every race seen since the last call.
void tell_races(nt::Machine& machine);

}  // namespace host
