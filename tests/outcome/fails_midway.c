// Starts and makes devices, and has memory for no allocation.
#include "skeleton.h"

ALWAYS(STATUS_NO_MEMORY, CreateNoAllocation, IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args)

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateNoAllocation; }
