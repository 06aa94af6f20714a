#include "tools/interruption.h"

namespace tools {
namespace {

volatile sig_atomic_t g_came = 0;

void remember(int) { g_came = 1; }

}  // namespace

// A call that is under way returns with EINTR, so that the program looks soon.
Interruption::Interruption() {
  g_came = 0;
  struct sigaction action {};
  action.sa_handler = &remember;
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool Interruption::came() { return g_came != 0; }

}  // namespace tools
