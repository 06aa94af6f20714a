// The part of a Direct3D 10 or later user-mode driver that DXGI talks to: presenting, resource priorities and
// residency.
#pragma once
#pragma GCC system_header

#include "dxgiddi_mode.h"
#include "dxgiddi_multiplane.h"
#include "dxgiddi_present.h"
#include "dxgiddi_table.h"
