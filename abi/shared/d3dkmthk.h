// The D3DKMT client surface: what a user-mode client says to the graphics kernel.
#pragma once
#pragma GCC system_header

#include "d3dkmthk_adapter.h"
#include "d3dkmthk_allocation.h"
#include "d3dkmthk_context.h"
#include "d3dkmthk_device.h"
#include "d3dkmthk_display.h"
#include "d3dkmthk_escape.h"
#include "d3dkmthk_keyedmutex.h"
#include "d3dkmthk_miracast.h"
#include "d3dkmthk_multiplane.h"
#include "d3dkmthk_outputdupl.h"
#include "d3dkmthk_overlay.h"
#include "d3dkmthk_present.h"
#include "d3dkmthk_presenthistory.h"
#include "d3dkmthk_process.h"
#include "d3dkmthk_query.h"
#include "d3dkmthk_query_caps.h"
#include "d3dkmthk_residency.h"
#include "d3dkmthk_session.h"
#include "d3dkmthk_sharing.h"
#include "d3dkmthk_statistics.h"
#include "d3dkmthk_statistics_process.h"
#include "d3dkmthk_submit.h"
#include "d3dkmthk_sync.h"
#include "d3dkmthk_vidmmescape.h"

// Speaks of power states, which only kernel drivers have.
#ifdef _KERNEL_MODE
#include "d3dkmthk_power.h"
#endif
