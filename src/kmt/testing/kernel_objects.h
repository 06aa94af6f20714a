#pragma once

// What lies behind a client's handles, for tests of the layers above that look at it.
#include "dxgk/adapter/adapter.h"
#include "dxgk/object/allocation.h"
#include "dxgk/object/device.h"
#include "dxgk/object/resource.h"
#include "dxgk/object/views.h"
#include "dxgk/work/gpu.h"
