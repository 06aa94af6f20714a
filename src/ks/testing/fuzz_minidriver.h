#pragma once

#include "base/testing/fuzz_input.h"
#include "ks/testing/fake_driver.h"

namespace ks::testing {

// The set of the minidriver's own properties, methods and events, on its filter, its pins and its second node.
inline constexpr GUID kFuzzSet = {0x1f2e3d4c, 0x1111, 0x2222, {1, 1, 2, 3, 5, 8, 13, 21}};

// Makes the fake driver a correct one that answers most of what a program can ask; the input chooses which of the
// routines it has. One at a time.
void set_up_minidriver(FakeDriver& driver, base::testing::FuzzInput& input);

}  // namespace ks::testing
