#pragma once

#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "nt/machine/machine_observer.h"

namespace ks {

// A mistake in a table of the driver, found before anything runs.
struct Complaint {
  nt::Violation what;
  std::string sentence;
};

// The descriptors of a driver, as static data: flags that exclude each other, sizes, counts, framing, allocator tables.
// Reads only. `descriptor` may be null.
std::vector<Complaint> judge_device(const KSDEVICE_DESCRIPTOR* descriptor);
std::vector<Complaint> judge_filter(const KSFILTER_DESCRIPTOR& descriptor);
std::vector<Complaint> judge_pin(const KSPIN_DESCRIPTOR_EX& descriptor, const KSFILTER_DESCRIPTOR& filter);

}  // namespace ks
