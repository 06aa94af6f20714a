// The driver interface of Direct3D 10 and 11: what a user-mode display driver exports and calls.
#pragma once
#pragma GCC system_header

#include "d3d10umddi_adapter.h"
#include "d3d10umddi_callback.h"
#include "d3d10umddi_context.h"
#include "d3d10umddi_device.h"
#include "d3d10umddi_function.h"
#include "d3d10umddi_function11.h"
#include "d3d10umddi_handle.h"
#include "d3d10umddi_query.h"
#include "d3d10umddi_resource.h"
#include "d3d10umddi_shader.h"
#include "d3d10umddi_state.h"
#include "d3d10umddi_table.h"
#include "d3d10umddi_table11.h"
#include "d3d10umddi_tile.h"
#include "d3d10umddi_version.h"
#include "d3d10umddi_view.h"
