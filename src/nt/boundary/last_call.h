#pragma once

#include <string>

#include "nt/machine/thread.h"

namespace nt {

// Keeps the call into a driver that returned last, on any thread, with a copy of its last argument as it was on return.
// The kernel judges an answer right after the return, and a report then shows this call. One per OS thread that runs a
// machine.
void keep_last_call(const Thread& thread);
// "after DxgkDdiX(…)"; empty when the thread has called nothing.
std::string describe_last_call(const Thread& thread);

}  // namespace nt
