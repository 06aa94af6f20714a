#pragma once

#include "base/testing/fuzz_input.h"
#include "dxgk/testing/fake_miniport.h"

namespace dxgk::testing {

// Stands between the kernel and the fake driver: now and then it replaces what the driver answers, in structures, in
// what they point to and in statuses, by what the fuzzer says. Before the driver is registered; both outlive the run.
class AlteredAnswers {
 public:
  AlteredAnswers(FakeMiniport& driver, base::testing::FuzzInput& input);
  ~AlteredAnswers();
  AlteredAnswers(const AlteredAnswers&) = delete;
  AlteredAnswers& operator=(const AlteredAnswers&) = delete;
};

}  // namespace dxgk::testing
