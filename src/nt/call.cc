#include "nt/call.h"

#include <fmt/format.h>

#include "nt/irql.h"

namespace nt {

void Call::wrong_irql(Thread& thread, Fn fn) {
  const FunctionRow& limits = row(fn);
  bool high = thread.irql > limits.max_irql;
  thread.machine.broke(
      high ? Broke::IrqlTooHigh : Broke::IrqlTooLow,
      fmt::format("{} was called at {}; it must be called at {} {}", limits.name, irql_name(thread.irql),
                  irql_name(high ? limits.max_irql : limits.min_irql), high ? "or below" : "or above"));
}

}  // namespace nt
