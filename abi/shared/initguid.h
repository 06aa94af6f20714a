// From here on DEFINE_GUID defines. Works after guiddef.h too, and so is included repeatedly by design.
#pragma GCC system_header

#ifndef INITGUID
#define INITGUID
#endif
#include "guiddef.h"
#undef DEFINE_GUID
#define DEFINE_GUID DRYDOCK_DEFINE_GUID
