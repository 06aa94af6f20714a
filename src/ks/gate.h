#pragma once

#include <string>

#include "abi/ks/ks.h"
#include "nt/machine.h"

namespace ks {

// A KSGATE does not say which of the two it is: whoever uses it knows.
enum class GateKind : uint8_t { And, Or };
const char* to_string(GateKind kind);

// An AND gate counts one minus its inputs that are off, so at most one; an OR gate its inputs that are on, so at least
// none.
inline bool in_range(const KSGATE& gate, GateKind kind) {
  return kind == GateKind::And ? gate.Count <= 1 : gate.Count >= 0;
}
// Broke::KsGateMisused (L-17) and false when the count is none that such a gate can have. `whose` names the gate in the
// sentence.
bool judge_gate(nt::Machine& machine, const KSGATE& gate, GateKind kind, const std::string& whose);

// One input of a gate, put in and taken out by the class. Not in any gate to begin with. Owned by whoever drives it,
// and touched by one thread at a time; the gate itself is anybody's.
class GateInput {
 public:
  GateInput() = default;
  GateInput(const GateInput&) = delete;
  GateInput& operator=(const GateInput&) = delete;

  void attach(KSGATE& gate, GateKind kind, bool on);
  void detach();
  // The gate's memory is gone: nothing is to be taken out of it.
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
