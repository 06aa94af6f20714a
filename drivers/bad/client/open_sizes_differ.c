/* Opens one of two allocations of a shared resource.
 * FIXED opens as many as there are. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, SHARED_GLOBAL, 2);
  D3DDDI_OPENALLOCATIONINFO2 infos[2];
  SOFTGPU_ALLOCATION data[2];
  D3DKMT_OPENRESOURCE args = {.hDevice = device, .hGlobalShare = group.global_share};
  args.NumAllocations = 1;
#ifdef FIXED
  args.NumAllocations = 2;
#endif
  args.pOpenAllocationInfo2 = infos;
  args.pTotalPrivateDriverDataBuffer = data;
  args.TotalPrivateDriverDataBufferSize = sizeof(data);
  if (D3DKMTOpenResource2(&args) == STATUS_SUCCESS) destroy_resource(device, args.hResource);
  destroy_resource(device, group.resource);
}
