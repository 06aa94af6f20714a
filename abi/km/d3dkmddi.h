// The kernel side of the display driver interface, by noun.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_allocation.h"
#include "d3dkmddi_caps.h"
#include "d3dkmddi_device.h"
#include "d3dkmddi_feature.h"
#include "d3dkmddi_gdi.h"
#include "d3dkmddi_handle.h"
#include "d3dkmddi_interrupt.h"
#include "d3dkmddi_memory.h"
#include "d3dkmddi_paging.h"
#include "d3dkmddi_power.h"
#include "d3dkmddi_present.h"
#include "d3dkmddi_schedule.h"
#include "d3dkmddi_segment.h"
#include "d3dkmddi_submit.h"
#include "d3dkmddi_timeout.h"
#include "d3dkmddi_vidpn.h"
