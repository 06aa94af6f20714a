// Types of the Direct3D 9 client interface that its driver interface carries.
#pragma once
#pragma GCC system_header

#include "d3d9types_color.h"
#include "d3d9types_device.h"
#include "d3d9types_protection.h"
#include "d3d9types_resource.h"
#include "d3d9types_shader.h"
#include "d3d9types_state.h"
#include "d3d9types_vertex.h"
