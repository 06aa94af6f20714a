// What most files of this layer include, compiled once (cmake/DrydockLayer.cmake). It is no substitute for an #include:
// every file still names what it uses, and builds without this one (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kmt/client/thunks.h"
#include "nt/boundary/kernel_code.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"
#include "umd/common/device.h"
