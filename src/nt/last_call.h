#pragma once

#include <string>

#include "nt/thread.h"

namespace nt {

// The call into a driver that returned last, on whichever thread, with what it was called with as it was on return:
// what the kernel finds wrong with an answer, it finds just after. Of the OS thread that runs the machine.
void keep_last_call(const Thread& thread);
// "after DxgkDdiX(…)"; empty when the thread has called nothing.
std::string describe_last_call(const Thread& thread);

}  // namespace nt
