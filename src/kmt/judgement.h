#pragma once

#include <optional>

#include "abi/shared/ntstatus.h"
#include "base/here.h"
#include "nt/probe.h"

namespace kmt {

// What is wrong with a client's arguments: the answer it gets, and the rule that it broke if the rule is the client's.
struct Refusal {
  Refusal(nt::Broke broken, const char* reason, NTSTATUS answer = STATUS_INVALID_PARAMETER,
          base::Here place = base::Here::now())
      : rule(broken), why(reason), status(answer), where(place) {}
  explicit Refusal(const char* reason, NTSTATUS answer = STATUS_INVALID_PARAMETER, base::Here place = base::Here::now())
      : why(reason), status(answer), where(place) {}

  std::optional<nt::Broke> rule;
  const char* why;
  NTSTATUS status;
  base::Here where;
};

// Nothing: the arguments will do. Judges are pure; Client::accept makes the judgement count.
using Judgement = std::optional<Refusal>;

}  // namespace kmt
