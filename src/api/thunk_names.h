#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "kmt/client/thunks.h"

namespace drydock::internal {

struct NamedThunk {
  kmt::Thunk thunk;
  size_t argument_bytes;  // 0: not implemented, and any argument is as good
};

// "D3DKMTDestroyAllocation2". Nothing for a name that the kernel does not know.
std::optional<NamedThunk> find_thunk(std::string_view name);

}  // namespace drydock::internal
