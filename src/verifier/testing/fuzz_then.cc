#include "nt/testing/fuzz_machine.h"
#include "verifier/rules.h"

namespace nt::testing {

Then then_of(Broke what) { return verifier::rule_for(what).then; }

}  // namespace nt::testing
