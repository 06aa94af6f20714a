#pragma once

#include "abi/ks/ksmedia.h"

namespace ks::testing {

// The minidriver of a test: tables that the test changes before it runs, and one of it at a time. Pin 0 is an output,
// pin 1 an input; both carry bytes of any size. Every routine that is not set does not exist.
struct FakeDriver {
  FakeDriver();

  KSDEVICE_DISPATCH device{};
  KSFILTER_DISPATCH filter{};
  KSPIN_DISPATCH pin[2]{};
  KSPIN_DESCRIPTOR_EX pins[2]{};
  KSFILTER_DESCRIPTOR filter_descriptor{};
  const KSFILTER_DESCRIPTOR* filters[1]{};
  KSDEVICE_DESCRIPTOR descriptor{};
  KSALLOCATOR_FRAMING_EX framing{};
  KSDATARANGE range{};
  PKSDATARANGE ranges[1]{};
};

}  // namespace ks::testing
