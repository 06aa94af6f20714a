// Where GUIDs of kernel streaming are only declared, this header makes C sources define them. Here they always are.
#pragma once
#pragma GCC system_header

#include "ks_guid.h"
