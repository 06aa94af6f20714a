// Memory of a client, which may be gone, or change while we look: it is copied first, and only the copy is read.
#pragma once

#include "config.h"

namespace softgpu {

// False if it cannot be read.
bool copy_from_user(void* destination, const void* source, SIZE_T bytes);

}  // namespace softgpu
