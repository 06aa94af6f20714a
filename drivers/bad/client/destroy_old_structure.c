/* Gives the newer call the older structure, which is as large and has no flags: what lies behind its members is taken
 * for them.
 * FIXED calls the older one. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, IN_RESOURCE, 1);
  _Alignas(8) D3DKMT_DESTROYALLOCATION args;
  memset(&args, 0x20, sizeof(args)); /* as the stack would be */
  args.hDevice = device;
  args.hResource = group.resource;
  args.phAllocationList = NULL;
  args.AllocationCount = 0;
#ifdef FIXED
  MUST(D3DKMTDestroyAllocation(&args));
#else
  D3DKMTDestroyAllocation2((const D3DKMT_DESTROYALLOCATION2*)&args);
  destroy_resource(device, group.resource);
#endif
}
