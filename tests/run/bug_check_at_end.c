// A display driver that calls for a bug check when it is unloaded: after its client has gone.
#include "skeleton.h"

static VOID BugCheckInUnload(VOID) { KeBugCheckEx(0xE2, 1, 2, 3, 4); }

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiUnload = BugCheckInUnload; }
