#pragma once

#include <string>

#include "abi/ks/ks.h"
#include "nt/machine/machine.h"

namespace ks {

// A KSGATE does not say which of the two it is: the code that uses it knows.
enum class GateKind : uint8_t { And, Or };
const char* to_string(GateKind kind);

// The count of an AND gate is one minus the number of its inputs that are off: at most 1. The count of an OR gate is
// the number of its inputs that are on: at least 0.
inline bool in_range(const KSGATE& gate, GateKind kind) {
  return kind == GateKind::And ? gate.Count <= 1 : gate.Count >= 0;
}
// Violation::KsGateMisused (L-17) and false when the count is out of range for such a gate. `whose` names the gate in
// the sentence.
bool judge_gate(nt::Machine& machine, const KSGATE& gate, GateKind kind, const std::string& whose);

// One input of a gate, attached and detached by the class. Attached to no gate at first. Owned by the code that sets
// it and used by one thread at a time; any thread may use the gate.
class GateInput {
 public:
  GateInput() = default;
  GateInput(const GateInput&) = delete;
  GateInput& operator=(const GateInput&) = delete;

  void attach(KSGATE& gate, GateKind kind, bool on);
  void detach();
  // The gate's memory is freed: the input must not touch it any more.
  void forget() { gate_ = nullptr; }
  void set(bool on);
  bool on() const { return on_; }
  KSGATE* gate() const { return gate_; }
  GateKind kind() const { return kind_; }

 private:
  KSGATE* gate_ = nullptr;
  GateKind kind_ = GateKind::And;
  bool on_ = false;
};

}  // namespace ks
