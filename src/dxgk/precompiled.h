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

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/object/device.h"
#include "dxgk/work/gpu.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"
