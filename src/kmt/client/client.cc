#include "kmt/client/client.h"

#include <fmt/format.h>

#include "nt/boundary/refuse.h"

namespace kmt {

base::Failure Client::refuse(nt::Violation rule, NTSTATUS status, const char* why, base::Here where) {
  remark(rule, why);
  return base::Failure(status, why, where);
}

base::Failure Client::refuse(const Refusal& refusal) {
  if (refusal.rule) remark(*refusal.rule, refusal.why);
  return base::Failure(refusal.status, refusal.why, refusal.where);
}

void Client::remark(nt::Violation rule, const char* what) {
  machine().report_violation(rule, fmt::format("the client {}: {}", process_->name(), what));
}

NTSTATUS Client::refused(const char* function, const base::Failure& failure) {
  process_->ledger().refused(function, failure);
  return nt::refuse(machine(), failure);
}

}  // namespace kmt
