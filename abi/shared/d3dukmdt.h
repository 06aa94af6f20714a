// Types of the graphics interfaces that user mode and kernel mode share.
#pragma once
#pragma GCC system_header

#include "d3dukmdt_allocation.h"
#include "d3dukmdt_base.h"
#include "d3dukmdt_display.h"
#include "d3dukmdt_escape.h"
#include "d3dukmdt_feature.h"
#include "d3dukmdt_format.h"
#include "d3dukmdt_residency.h"
#include "d3dukmdt_sync.h"
#include "d3dukmdt_version.h"
