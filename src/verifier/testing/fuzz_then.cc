#include "nt/testing/fuzz_machine.h"
#include "verifier/rules/rules.h"

namespace nt::testing {

Then then_of(Violation what) { return verifier::rule_for(what).then; }

}  // namespace nt::testing
