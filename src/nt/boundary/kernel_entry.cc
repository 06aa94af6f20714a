#include "nt/boundary/kernel_entry.h"

#include <fmt/format.h>

#include "nt/ke/irql.h"

namespace nt {

void report_wrong_irql(Thread& thread, Violation what, const char* function, KIRQL lowest, KIRQL highest) {
  bool high = thread.irql > highest;
  thread.machine.report_violation(
      what, fmt::format("{} was called at {}; it must be called at {} {}", function, irql_name(thread.irql),
                        irql_name(high ? highest : lowest), high ? "or below" : "or above"));
}

}  // namespace nt
