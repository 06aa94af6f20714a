#pragma once

#include <cstdint>
#include <span>

#include "base/ref.h"
#include "base/result.h"
#include "dxgk/object/context.h"

namespace dxgk {

// Commands at a GPU virtual address, as a client submits them.
struct CommandCall {
  D3DGPU_VIRTUAL_ADDRESS commands = 0;
  uint32_t bytes = 0;
  std::span<const uint8_t> private_data;
  bool null_rendering = false;
};

// The same commands for each context, all of one device, or for none. With the device's mutex held.
base::Result<> submit_commands(std::span<const base::Ref<Context>> contexts, const CommandCall& call);

}  // namespace dxgk
