// The driver headers as C11, built with the driver's flags. With DRYDOCK_ALONE naming a header it only proves
// that the header stands alone; without it, headers_test.cc runs the scenarios.
#ifdef DRYDOCK_ALONE
#include DRYDOCK_ALONE
#else

#include <basetsd.h>
#include <bugcodes.h>
#include <guiddef.h>
#include <initguid.h>
#include <limits.h>
#include <ntddk.h>
#include <ntdef.h>
#include <ntintsafe.h>
#include <ntstatus.h>
#include <ntstrsafe.h>
#include <sal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wdm.h>

#include <acpiioct.h>
#include <d3dkmddi.h>
#include <d3dkmthk.h>
#include <d3dkmthk_power.h>
#include <dispmprt.h>
#include <ntddvdeo.h>
#include <windef.h>

#include <d3d10umddi.h>
#include <d3dumddi.h>
#include <dxgiddi.h>

#include <ks.h>
#include <ksmedia.h>

DEFINE_GUID(GUID_OF_C_TEST, 0x01020304, 0x0506, 0x0708, 9, 10, 11, 12, 13, 14, 15, 16);

#include "headers_scenarios.inc"

// The driver's compiler must lay out what crosses to the host as the host's does.
#define TYPE(line, type, size) C_ASSERT(sizeof(type) == size);
#define FIELD(line, type, field, offset, size) \
  C_ASSERT(offsetof(type, field) == offset && sizeof(((type*)0)->field) == size);
#include <layouts.inc>
#undef TYPE
#undef FIELD

// Documented limit of the C form: break leaves the try, not the loop.
static int CheckBreak(void) {
  int rounds = 0;
  while (rounds < 2) {
    ++rounds;
    __try {
      break;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
      return 51;
    }
  }
  return rounds == 2 ? 0 : 52;
}

int DrydockHeadersC(void);
int DrydockHeadersC(void) {
  int step = RunScenarios();
  if (step == 0) step = CheckBreak();
  if (step == 0 && GUID_OF_C_TEST.Data4[7] != 16) step = 81;
  return step;
}

#endif
