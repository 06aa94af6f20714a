#pragma once

#include <optional>
#include <string>

#include "abi/km/dispmprt.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/caps_rules.h"

namespace dxgk {

// The facts that the rules of caps_rules.def are about.
struct CapsFacts {
  const AdapterCaps& caps;
  const DRIVER_INITIALIZATION_DATA& table;
  const Adapter::Hardware& hardware;
  DXGK_CONTEXTINFO paging_context;
};

struct CapsViolation {
  CapsRule rule;
  std::string detail;  // which one of several; often empty
};

// The first rule that is broken, of those that can be judged at a step of the start. Pure.
std::optional<CapsViolation> check_driver_caps(const CapsFacts& facts);  // DXGK_DRIVERCAPS
std::optional<CapsViolation> check_table(const CapsFacts& facts);        // what the kind needs, now that it is known
std::optional<CapsViolation> check_nodes(const CapsFacts& facts);        // how many there are is known
std::optional<CapsViolation> check_page_tables(const CapsFacts& facts);  // DXGK_GPUMMUCAPS and its levels
std::optional<CapsViolation> check_segments(
    const CapsFacts& facts);  // the segments, and what page tables require of them
std::optional<CapsViolation> check_paging_context(const CapsFacts& facts);

}  // namespace dxgk
