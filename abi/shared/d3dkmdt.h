// Types of the display miniport interfaces: video present networks, surfaces, capabilities.
#pragma once
#pragma GCC system_header

#include "d3dkmdt_brightness.h"
#include "d3dkmdt_caps.h"
#include "d3dkmdt_monitor.h"
#include "d3dkmdt_opm.h"
#include "d3dkmdt_signal.h"
#include "d3dkmdt_surface.h"
#include "d3dkmdt_vidpn.h"
#include "d3dukmdt.h"
