#pragma once

#include "drydock/export.h"

// The version of the headers. Semantic versioning: within one major version a program that compiled and linked goes on
// doing so; before 1.0 a minor version may break it.
#define DRYDOCK_VERSION_MAJOR 0
#define DRYDOCK_VERSION_MINOR 1
#define DRYDOCK_VERSION_PATCH 0

namespace drydock {

// The version of the library, "0.1.0".
DRYDOCK_API const char* version();

}  // namespace drydock
