#pragma once

#include <cstdint>

#include "vidsch/timeout.h"

namespace dxgk {

// Which system's answer is given where Windows and Microsoft's Linux driver (WSL) differ.
enum class Flavour : uint8_t { Windows, Wsl };

// Our choices where the documents are silent or disagree and a program could depend on the answer. Each field names its
// decision in docs/decisions/. Set before the first call; then only read, on any thread.
struct Policy {
  Flavour flavour = Flavour::Windows;

  // A resource whose allocations were destroyed one by one still gets its own DxgkDdiDestroyAllocation, with
  // NumAllocations 0 and DestroyResource set. Off: the driver is told with the last of its allocations.
  bool empty_resource_destroy = true;

  // DxgkCbGetHandleData answers NULL for an allocation while a WDDM 2.0 driver is opening it (observed).
  bool get_handle_data_null_in_open = true;

  // Where every allocation of a client was created, for the report of leaks. Costs a stack each.
  bool client_stacks = false;

  // When the GPU counts as hung, and what is done about it.
  vidsch::TimeoutConfig timeout;

  // How many allocations one call may create or destroy. Windows documents none; WSL refuses more than 1024.
  uint32_t max_allocations_per_call = 1u << 20;
};

}  // namespace dxgk
