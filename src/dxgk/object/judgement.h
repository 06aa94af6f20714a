#pragma once

#include <optional>

#include "abi/shared/ntstatus.h"
#include "base/here.h"
#include "nt/machine/machine_observer.h"

namespace dxgk {

// What is wrong with a client's arguments: the answer it gets, and the rule that it broke if the rule is the client's.
struct Refusal {
  Refusal(nt::Violation broken, const char* reason, NTSTATUS answer = STATUS_INVALID_PARAMETER,
          base::Here place = base::Here::now())
      : rule(broken), why(reason), status(answer), where(place) {}
  explicit Refusal(const char* reason, NTSTATUS answer = STATUS_INVALID_PARAMETER, base::Here place = base::Here::now())
      : why(reason), status(answer), where(place) {}

  std::optional<nt::Violation> rule;
  const char* why;
  NTSTATUS status;
  base::Here where;
};

// Empty: the arguments are accepted. Judges are pure; kmt::Client::accept reports the refusal.
using Judgement = std::optional<Refusal>;

}  // namespace dxgk
