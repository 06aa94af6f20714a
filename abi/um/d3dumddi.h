// The Direct3D 9 interface between the runtime and a user-mode display driver.
#pragma once
#pragma GCC system_header

#include "d3dumddi_table.h"
