#pragma once

#include <signal.h>

namespace tools {

// While it lives, SIGINT and SIGTERM do not end the program: they are remembered, so that a check can end in order and
// report what it has found. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool came();  // one of them, since the last was made

 private:
  struct sigaction interrupt_before_, terminate_before_;
};

}  // namespace tools
