#pragma once

#include <string>

#include "base/sanitizer.h"

namespace tools {

void remember_arguments(int argc, char** argv);
// What was remembered, as a shell would take it; the program by its bare name.
std::string command_line();

// Runs this command again in the host that a driver built with `wanted` needs: libexec/drydock-{plain,asan,tsan} beside
// the program. Returns at once when this is that host; otherwise only if that host cannot be run.
// Returns why, or empty.
std::string ensure_host(base::Sanitizer wanted);

// Everything that can be wrong with a driver's file before it is loaded: one sentence, or empty when this is the host
// that it needs.
std::string refusal_of(const std::string& driver);

}  // namespace tools
