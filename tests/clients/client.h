/* What the small clients of these tests have in common: D3DKMT as a Linux program meets it, found with dlopen or
 * linked. In C, because most things that D3DKMT clients are written in can call that. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "abi/shared/d3dkmthk.h"
#include "abi/shared/ntstatus.h"
#include "drivers/softgpu/proto/softgpu_user.h"

#define MUST(condition)                                                                 \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "%s:%d: client: %s is not so\n", __FILE__, __LINE__, #condition); \
      _Exit(99);                                                                        \
    }                                                                                   \
  } while (0)

/* The handle of the first adapter. */
static inline D3DKMT_HANDLE open_first_adapter(void) {
  D3DKMT_ADAPTERINFO adapters[64];
  D3DKMT_ENUMADAPTERS2 list = {64, adapters};
  MUST(D3DKMTEnumAdapters2(&list) == STATUS_SUCCESS);
  MUST(list.NumAdapters == 1);
  return adapters[0].hAdapter;
}

static inline D3DKMT_HANDLE make_device(D3DKMT_HANDLE adapter) {
  D3DKMT_CREATEDEVICE create = {0};
  create.hAdapter = adapter;
  MUST(D3DKMTCreateDevice(&create) == STATUS_SUCCESS);
  return create.hDevice;
}

/* One allocation of the kind that softgpu's own clients make. Segment 0: wherever the driver likes. */
static inline D3DKMT_HANDLE make_allocation_in(D3DKMT_HANDLE device, size_t bytes, uint32_t segment) {
  SOFTGPU_ALLOCATION data = softgpu_buffer(bytes, SOFTGPU_ALLOCATION_CPU_VISIBLE, segment);
  D3DDDI_ALLOCATIONINFO2 info = {0};
  info.pPrivateDriverData = &data;
  info.PrivateDriverDataSize = sizeof(data);
  D3DKMT_CREATEALLOCATION create = {0};
  create.hDevice = device;
  create.NumAllocations = 1;
  create.pAllocationInfo2 = &info;
  MUST(D3DKMTCreateAllocation2(&create) == STATUS_SUCCESS);
  return info.hAllocation;
}

static inline D3DKMT_HANDLE make_allocation(D3DKMT_HANDLE device, size_t bytes) {
  return make_allocation_in(device, bytes, 0);
}

static inline void destroy_allocation(D3DKMT_HANDLE device, D3DKMT_HANDLE allocation) {
  D3DKMT_DESTROYALLOCATION2 destroy = {0};
  destroy.hDevice = device;
  destroy.phAllocationList = &allocation;
  destroy.AllocationCount = 1;
  MUST(D3DKMTDestroyAllocation2(&destroy) == STATUS_SUCCESS);
}

static inline void destroy_device(D3DKMT_HANDLE device) {
  D3DKMT_DESTROYDEVICE destroy = {device};
  MUST(D3DKMTDestroyDevice(&destroy) == STATUS_SUCCESS);
}

static inline void close_adapter(D3DKMT_HANDLE adapter) {
  D3DKMT_CLOSEADAPTER close = {adapter};
  MUST(D3DKMTCloseAdapter(&close) == STATUS_SUCCESS);
}
