#pragma once

// What lies behind a client's handles, for tests of the layers above that look at it.
#include "dxgk/adapter.h"
#include "dxgk/allocation.h"
#include "dxgk/device.h"
#include "dxgk/gpu.h"
#include "dxgk/resource.h"
#include "dxgk/views.h"
