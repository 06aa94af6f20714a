#pragma once

#include <optional>
#include <string>

#include "abi/km/dispmprt.h"
#include "dxgk/adapter.h"
#include "dxgk/caps_rules.h"

namespace dxgk {

// What the rules of caps_rules.def look at.
struct CapsFacts {
  const AdapterCaps& caps;
  const DRIVER_INITIALIZATION_DATA& table;
  const Adapter::Hardware& hardware;
  DXGK_CONTEXTINFO paging_context;
};

struct CapsBreach {
  CapsRule rule;
  std::string detail;  // which one of several; often empty
};

// The first rule that is broken, of those that can be judged at a stage of the start. Pure.
std::optional<CapsBreach> check_driver_caps(const CapsFacts& facts);  // DXGK_DRIVERCAPS
std::optional<CapsBreach> check_table(const CapsFacts& facts);        // what the kind needs, now that it is known
std::optional<CapsBreach> check_nodes(const CapsFacts& facts);        // how many there are is known
std::optional<CapsBreach> check_page_tables(const CapsFacts& facts);  // DXGK_GPUMMUCAPS and its levels
std::optional<CapsBreach> check_segments(const CapsFacts& facts);     // … and what page tables have to do with them
std::optional<CapsBreach> check_paging_context(const CapsFacts& facts);

}  // namespace dxgk
