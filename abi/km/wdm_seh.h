// Structured exceptions for drivers: __try/__except over a saved context and a list of frames.
//
// The host keeps one list of frames per NT thread. To raise, it records the code in the innermost frame,
// drops the frames of functions it skips, and jumps back into the frame; the filter then decides.
// Functions with __try are built without optimisation, since locals must survive the jump in memory.
//
// A driver that defines __attribute__ away loses the C form, not the C++ one.
#pragma once
#pragma GCC system_header

#include "wdm_types.h"

#define EXCEPTION_EXECUTE_HANDLER 1
#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_CONTINUE_EXECUTION (-1)
#define EXCEPTION_NONCONTINUABLE 0x1
#define EXCEPTION_MAXIMUM_PARAMETERS 15

typedef struct _EXCEPTION_RECORD {
  NTSTATUS ExceptionCode;
  ULONG ExceptionFlags;
  struct _EXCEPTION_RECORD* ExceptionRecord;
  PVOID ExceptionAddress;
  ULONG NumberParameters;
  ULONG_PTR ExceptionInformation[EXCEPTION_MAXIMUM_PARAMETERS];
} EXCEPTION_RECORD, *PEXCEPTION_RECORD;

typedef struct _EXCEPTION_POINTERS {
  PEXCEPTION_RECORD ExceptionRecord;
  PCONTEXT ContextRecord;
} EXCEPTION_POINTERS, *PEXCEPTION_POINTERS;

// A frame starts new, is pushed for its body, and ends handled (an exception came) or left (__leave).
#define DRYDOCK_SEH_NEW 0
#define DRYDOCK_SEH_PUSHED 1
#define DRYDOCK_SEH_HANDLED 2
#define DRYDOCK_SEH_LEFT 3

typedef struct _DRYDOCK_SEH_FRAME {
  struct _DRYDOCK_SEH_FRAME* Previous;
  ULONG Code;
  LONG State;
  DRYDOCK_ALIGN(16) unsigned char Jump[256];  // a sigjmp_buf
} DRYDOCK_SEH_FRAME;

EXTERN_C_START

// Links a frame, already marked PUSHED, as the innermost one of the calling thread.
VOID DrydockSehPush(DRYDOCK_SEH_FRAME* Frame);
// Unlinks a frame that is still linked; does nothing to one that Filter or Leave has unlinked.
VOID DrydockSehPop(DRYDOCK_SEH_FRAME* Frame);
// Returns 1, with the frame unlinked and HANDLED, when the handler is to run. Never returns otherwise.
int DrydockSehFilter(DRYDOCK_SEH_FRAME* Frame, int FilterValue);
// Unlinks the frame, marks it LEFT and jumps to its end.
DRYDOCK_NORETURN VOID DrydockSehLeave(DRYDOCK_SEH_FRAME* Frame);
ULONG DrydockSehCode(VOID);
PEXCEPTION_POINTERS DrydockSehInformation(VOID);

EXTERN_C_END

#define GetExceptionCode() DrydockSehCode()
#define GetExceptionInformation() DrydockSehInformation()

// libstdc++ has its own meaning for __try, so only driver code gets these.
#ifdef DRYDOCK_DRIVER

EXTERN_C_START
// libc's sigsetjmp under a name of ours: <setjmp.h> is not for driver code. The signal mask is not saved.
int DrydockSehSave(void* Jump, int SaveMask) __asm__("__sigsetjmp") __attribute__((returns_twice));
EXTERN_C_END

#ifdef __cplusplus

extern "C++" {
// Lives on the stack of the guarded function and unlinks its frame on every way out of the statement.
struct DrydockSeh {
  DRYDOCK_SEH_FRAME frame;
  DrydockSeh() {
    frame.Code = 0;
    frame.State = DRYDOCK_SEH_PUSHED;
    DrydockSehPush(&frame);
  }
  ~DrydockSeh() { DrydockSehPop(&frame); }
  DrydockSeh(const DrydockSeh&) = delete;
  DrydockSeh& operator=(const DrydockSeh&) = delete;
};
}

#define __try if (DrydockSeh drydock_seh; DrydockSehSave(drydock_seh.frame.Jump, 0) == 0)
#define DRYDOCK_SEH_CURRENT (&drydock_seh.frame)

#else

static inline void DrydockSehCleanup(DRYDOCK_SEH_FRAME* frame) { DrydockSehPop(frame); }

// True the first time only, so that the loop around a C __try runs once.
static inline int DrydockSehEnter(DRYDOCK_SEH_FRAME* frame) {
  if (frame->State != DRYDOCK_SEH_NEW) return 0;
  frame->State = DRYDOCK_SEH_PUSHED;
  DrydockSehPush(frame);
  return 1;
}

// C has no statement that declares and tests without looping. So, unlike on Windows, break and continue
// directly inside a C __try or its handler end the try, not the loop around it; return and goto are as usual.
#define __try                                                                                         \
  for (DRYDOCK_SEH_FRAME drydock_seh __attribute__((cleanup(DrydockSehCleanup))) = {NULL, 0, 0, {0}}; \
       DrydockSehEnter(&drydock_seh);)                                                                \
    if (DrydockSehSave(drydock_seh.Jump, 0) == 0)
#define DRYDOCK_SEH_CURRENT (&drydock_seh)

#endif

// clang-format would part __except from its parenthesis.
// clang-format off
#define __except(filter) \
  else if (DRYDOCK_SEH_CURRENT->State != DRYDOCK_SEH_LEFT && DrydockSehFilter(DRYDOCK_SEH_CURRENT, (filter)))
// clang-format on
#define __leave DrydockSehLeave(DRYDOCK_SEH_CURRENT)
#define __finally \
  ;               \
  DRYDOCK_STATIC_ASSERT(0, "Drydock does not support __finally: write the cleanup after the __try");
#define _exception_code() DrydockSehCode()
#define _exception_info() DrydockSehInformation()

#endif
