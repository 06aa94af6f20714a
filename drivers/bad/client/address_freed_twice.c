/* Frees the GPU addresses of an allocation that it has destroyed, and that took them along.
 * FIXED frees them first. */
#include "paging.h"

static void free_addresses(const D3DDDI_MAPGPUVIRTUALADDRESS* mapped) {
  D3DKMT_FREEGPUVIRTUALADDRESS args = {.hAdapter = g_adapter, .BaseAddress = mapped->VirtualAddress, .Size = BYTES};
  D3DKMTFreeGpuVirtualAddress(&args);
}

static void play(D3DKMT_HANDLE device) {
  D3DKMT_CREATEPAGINGQUEUE queue = create_queue(device);
  GROUP group = create(device, ALONE, 1);
  D3DDDI_MAPGPUVIRTUALADDRESS args = {
      .hPagingQueue = queue.hPagingQueue, .hAllocation = group.allocations[0], .SizeInPages = BYTES / 4096};
  NTSTATUS status = D3DKMTMapGpuVirtualAddress(&args);
  wait_for(&queue, status, args.PagingFenceValue);
#ifdef FIXED
  free_addresses(&args);
#endif
  destroy_list(device, group.allocations, 1);
#ifndef FIXED
  free_addresses(&args);
#endif
  destroy_queue(&queue);
}
