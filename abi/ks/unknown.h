// IUnknown, which drivers include by this name.
#pragma once
#pragma GCC system_header

#include "ks_com.h"
