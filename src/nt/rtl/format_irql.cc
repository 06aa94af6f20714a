#include "nt/rtl/format_irql.h"

#include <fmt/format.h>

#include <string>

#include "nt/ke/irql.h"
#include "nt/machine/machine.h"
#include "nt/machine/thread.h"

namespace nt {

void judge_irql_of_format(Fn fn, const Formatted& formatted) {
  Thread* thread = Thread::current();
  if (!thread || thread->irql < DISPATCH_LEVEL) return;
  const std::string level = irql_name(thread->irql);
  if (formatted.converted) {
    thread->machine.report_violation(
        Violation::IrqlTooHigh,
        fmt::format("{} was called at {} with a format that converts between ANSI and Unicode; it must "
                    "be called at PASSIVE_LEVEL",
                    row(fn).name, level));
  } else {
    thread->machine.report_violation(Violation::FormattedRaised,
                                     fmt::format("{} was called at {}", row(fn).name, level));
  }
}

}  // namespace nt
