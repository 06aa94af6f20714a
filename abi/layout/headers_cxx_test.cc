// The driver headers as C++17, built with the driver's flags. With DRYDOCK_ALONE naming a header it only proves
// that the header stands alone; without it, headers_test.cc runs the scenarios.
#ifdef DRYDOCK_ALONE
#include DRYDOCK_ALONE
#else

extern "C" {
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
}

DEFINE_GUID(GUID_OF_CXX_TEST, 0x01020304, 0x0506, 0x0708, 9, 10, 11, 12, 13, 14, 15, 16);

#include "headers_scenarios.inc"

// The driver's compiler must lay out what crosses to the host as the host's does.
#define TYPE(line, type, size) C_ASSERT(sizeof(type) == size);
#define FIELD(line, type, field, offset, size) \
  C_ASSERT(offsetof(type, field) == offset && sizeof(((type*)0)->field) == size);
#include <layouts.inc>
#undef TYPE
#undef FIELD

namespace {

// In C++ break and continue inside a try mean the loop around it.
int check_break() {
  int rounds = 0;
  while (rounds < 2) {
    ++rounds;
    __try {
      break;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
      return 51;
    }
  }
  return rounds == 1 ? 0 : 52;
}

int check_either_size_type() {
  SIZE_T large = 0;
  size_t plain = 0;
  if (RtlSizeTAdd(1, 2, &large) != STATUS_SUCCESS || large != 3) return 61;
  if (RtlSizeTMult(3, 4, &plain) != STATUS_SUCCESS || plain != 12) return 62;
  return 0;
}

int check_unsigned_interlocked() {
  ULONG value = 1;
  return InterlockedIncrement(&value) == 2 && InterlockedExchange(&value, 5u) == 2 ? 0 : 71;
}

}  // namespace

extern "C" int DrydockHeadersCxx() {
  if (int step = RunScenarios()) return step;
  if (int step = check_break()) return step;
  if (int step = check_either_size_type()) return step;
  if (GUID_OF_CXX_TEST.Data4[7] != 16 || GUID_OF_CXX_TEST != GUID_OF_CXX_TEST) return 81;
  return check_unsigned_interlocked();
}

#endif
