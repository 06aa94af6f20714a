#include "ks/stream/gate.h"

#include <fmt/format.h>

namespace ks {

const char* to_string(GateKind kind) { return kind == GateKind::And ? "AND" : "OR"; }

bool judge_gate(nt::Machine& machine, const KSGATE& gate, GateKind kind, const std::string& whose) {
  if (in_range(gate, kind)) return true;
  machine.report_violation(
      nt::Violation::KsGateMisused,
      kind == GateKind::And
          ? fmt::format("the AND gate of {} counts {}: an input was turned on that was not off", whose, gate.Count)
          : fmt::format("the OR gate of {} counts {}: an input was turned off that was not on", whose, gate.Count));
  return false;
}

void GateInput::attach(KSGATE& gate, GateKind kind, bool on) {
  CHECK(!gate_);
  gate_ = &gate;
  kind_ = kind;
  on_ = on;
  if (kind == GateKind::And) {
    on ? KsGateAddOnInputToAnd(gate_) : KsGateAddOffInputToAnd(gate_);
  } else {
    on ? KsGateAddOnInputToOr(gate_) : KsGateAddOffInputToOr(gate_);
  }
}

void GateInput::detach() {
  if (!gate_) return;
  if (kind_ == GateKind::And) {
    on_ ? KsGateRemoveOnInputFromAnd(gate_) : KsGateRemoveOffInputFromAnd(gate_);
  } else {
    on_ ? KsGateRemoveOnInputFromOr(gate_) : KsGateRemoveOffInputFromOr(gate_);
  }
  gate_ = nullptr;
}

void GateInput::set(bool on) {
  if (on == on_ || !gate_) return;
  on_ = on;
  on ? KsGateTurnInputOn(gate_) : KsGateTurnInputOff(gate_);
}

}  // namespace ks
