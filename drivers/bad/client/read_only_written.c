/* Opens a resource that it may only read, and has the GPU write to it.
 * FIXED maps it for reading. */
#include "paging.h"

static void map(D3DKMT_HANDLE device, D3DKMT_HANDLE allocation) {
  D3DKMT_CREATEPAGINGQUEUE queue = create_queue(device);
  D3DDDI_MAPGPUVIRTUALADDRESS args = {
      .hPagingQueue = queue.hPagingQueue, .hAllocation = allocation, .SizeInPages = BYTES / 4096};
#ifndef FIXED
  args.Protection.Write = 1;
#endif
  NTSTATUS status = D3DKMTMapGpuVirtualAddress(&args);
  wait_for(&queue, status, args.PagingFenceValue);
  destroy_queue(&queue);
}

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, SHARED_NT, 1);
  D3DDDI_OPENALLOCATIONINFO2 info;
  SOFTGPU_ALLOCATION data;
  OBJECT_ATTRIBUTES attributes;
  D3DKMT_OPENRESOURCEFROMNTHANDLE args = {.hDevice = device, .NumAllocations = 1, .pOpenAllocationInfo2 = &info};
  args.pTotalPrivateDriverDataBuffer = &data;
  args.TotalPrivateDriverDataBufferSize = sizeof(data);
  InitializeObjectAttributes(&attributes, NULL, 0, NULL, NULL);
  MUST(D3DKMTShareObjects(1, &group.resource, &attributes, STANDARD_RIGHTS_READ, &args.hNtHandle));
  MUST(D3DKMTOpenResourceFromNtHandle(&args));
  close((int)(INT_PTR)args.hNtHandle);
  map(device, info.hAllocation);
  destroy_resource(device, args.hResource);
  destroy_resource(device, group.resource);
}
