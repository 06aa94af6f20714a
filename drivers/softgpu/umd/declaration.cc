// What the driver says of itself to a host that knows it: which version of the protocol its pictures are drawn with.
// Scenarios compare pictures byte by byte only where it is there; a file's name says nothing.
#include "softgpu_user.h"

extern "C" const uint32_t SoftgpuUserModeVersion;
const uint32_t SoftgpuUserModeVersion = SOFTGPU_USER_VERSION;
