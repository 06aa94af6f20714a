/* A correct minimal client of the graphics kernel, for the wrong ones to stand on. Each of them includes this file and
 * defines play, which main calls with a device of the first adapter that there is, before it destroys the device. A
 * client that gets one thing wrong gets it right when FIXED is defined. What a wrong call answers is not looked at
 * here; a call that must succeed is made through must(). */
#ifndef BAD_CLIENT_H
#define BAD_CLIENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/shared/d3dkmthk.h"
#include "abi/shared/ntstatus.h"
#include "drivers/softgpu/proto/softgpu_user.h"

#define BYTES (64 * 1024)
#define MOST 2                           /* allocations that are created at once */
#define STANDARD_RIGHTS_READ 0x00020000u /* of an access mask */
#define VISIBLE (SOFTGPU_ALLOCATION_CPU_VISIBLE | SOFTGPU_ALLOCATION_CACHED | SOFTGPU_ALLOCATION_SHARED)

static void play(D3DKMT_HANDLE device);

static inline void must(NTSTATUS status, const char* what) {
  if (status == STATUS_SUCCESS) return;
  fprintf(stderr, "%s answers 0x%08X\n", what, (unsigned)status);
  exit(2);
}
#define MUST(call) must(call, #call)

/* --- Devices --- */

static D3DKMT_HANDLE g_adapter;

static inline D3DKMT_HANDLE create_device(void) {
  D3DKMT_CREATEDEVICE args = {.hAdapter = g_adapter};
  MUST(D3DKMTCreateDevice(&args));
  return args.hDevice;
}

static inline void destroy_device(D3DKMT_HANDLE device) {
  D3DKMT_DESTROYDEVICE args = {device};
  MUST(D3DKMTDestroyDevice(&args));
}

/* --- Creating. A creation is described, changed at will, and then given to D3DKMTCreateAllocation2. --- */

typedef struct {
  D3DKMT_CREATEALLOCATION args;
  D3DDDI_ALLOCATIONINFO2 infos[MOST];
  SOFTGPU_ALLOCATION data[MOST];
  D3DKMT_CREATESTANDARDALLOCATION standard;
} CREATION;

/* Plain buffers that the CPU sees and that may be shared. */
static inline void describe(CREATION* creation, D3DKMT_HANDLE device, UINT count) {
  memset(creation, 0, sizeof(*creation));
  for (UINT i = 0; i < count; ++i) {
    creation->data[i] = softgpu_buffer(BYTES, VISIBLE, 0);
    creation->infos[i].pPrivateDriverData = &creation->data[i];
    creation->infos[i].PrivateDriverDataSize = sizeof(creation->data[i]);
  }
  creation->args.hDevice = device;
  creation->args.NumAllocations = count;
  creation->args.pAllocationInfo2 = creation->infos;
}

/* One allocation over memory of the client's, which every driver understands. */
static inline void describe_standard(CREATION* creation, D3DKMT_HANDLE device) {
  static _Alignas(4096) unsigned char memory[MOST][BYTES];
  memset(creation, 0, sizeof(*creation));
  creation->standard.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
  creation->standard.ExistingHeapData.Size = BYTES;
  for (UINT i = 0; i < MOST; ++i) creation->infos[i].pSystemMem = memory[i];
  creation->args.hDevice = device;
  creation->args.pStandardAllocation = &creation->standard;
  creation->args.NumAllocations = 1;
  creation->args.pAllocationInfo2 = creation->infos;
  creation->args.Flags.StandardAllocation = creation->args.Flags.ExistingSysMem = 1;
  creation->args.Flags.CreateResource = creation->args.Flags.CreateShared = creation->args.Flags.CrossAdapter = 1;
}

typedef struct {
  D3DKMT_HANDLE resource; /* 0: the allocations belong to none */
  D3DKMT_HANDLE global_share;
  D3DKMT_HANDLE allocations[MOST];
} GROUP;

typedef enum { ALONE, IN_RESOURCE, SHARED_GLOBAL, SHARED_NT } KIND;

static inline GROUP create(D3DKMT_HANDLE device, KIND kind, UINT count) {
  CREATION creation;
  GROUP group = {0};
  describe(&creation, device, count);
  creation.args.Flags.CreateResource = kind != ALONE;
  creation.args.Flags.CreateShared = kind == SHARED_GLOBAL || kind == SHARED_NT;
  creation.args.Flags.NtSecuritySharing = kind == SHARED_NT;
  MUST(D3DKMTCreateAllocation2(&creation.args));
  group.resource = creation.args.hResource;
  group.global_share = creation.args.hGlobalShare;
  for (UINT i = 0; i < count; ++i) group.allocations[i] = creation.infos[i].hAllocation;
  return group;
}

/* --- Destroying --- */

static inline void destroy_resource(D3DKMT_HANDLE device, D3DKMT_HANDLE resource) {
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .hResource = resource};
  MUST(D3DKMTDestroyAllocation2(&args));
}

static inline void destroy_list(D3DKMT_HANDLE device, const D3DKMT_HANDLE* list, UINT count) {
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .phAllocationList = list, .AllocationCount = count};
  MUST(D3DKMTDestroyAllocation2(&args));
}

/* Creates what may be refused, and destroys it again if it was not. */
static inline void create_and_destroy(CREATION* creation) {
  D3DKMT_HANDLE device = creation->args.hDevice;
  if (D3DKMTCreateAllocation2(&creation->args) != STATUS_SUCCESS) return;
  if (creation->args.Flags.CreateResource) {
    destroy_resource(device, creation->args.hResource);
  } else {
    destroy_list(device, &creation->infos[0].hAllocation, 1);
  }
}

/* --- Sharing by NT handle, which is a file descriptor here --- */

static inline void share(const D3DKMT_HANDLE* objects, UINT count, UINT access) {
  OBJECT_ATTRIBUTES attributes;
  HANDLE handle = NULL;
  InitializeObjectAttributes(&attributes, NULL, 0, NULL, NULL);
  if (D3DKMTShareObjects(count, objects, &attributes, access, &handle) == STATUS_SUCCESS) close((int)(INT_PTR)handle);
}

/* --- Locking --- */

static inline void lock(D3DKMT_HANDLE device, D3DKMT_HANDLE allocation) {
  D3DKMT_LOCK2 args = {.hDevice = device, .hAllocation = allocation};
  MUST(D3DKMTLock2(&args));
}

static inline void unlock(D3DKMT_HANDLE device, D3DKMT_HANDLE allocation) {
  D3DKMT_UNLOCK2 args = {device, allocation};
  MUST(D3DKMTUnlock2(&args));
}

int main(void) {
  D3DKMT_ADAPTERINFO adapters[MAX_ENUM_ADAPTERS];
  D3DKMT_ENUMADAPTERS2 list = {MAX_ENUM_ADAPTERS, adapters};
  D3DKMT_HANDLE device;
  MUST(D3DKMTEnumAdapters2(&list));
  if (list.NumAdapters == 0) must(STATUS_NO_SUCH_DEVICE, "there is no adapter: it");
  g_adapter = adapters[0].hAdapter;
  device = create_device();
  play(device);
  destroy_device(device);
  for (UINT i = 0; i < list.NumAdapters; ++i) {
    D3DKMT_CLOSEADAPTER args = {adapters[i].hAdapter};
    MUST(D3DKMTCloseAdapter(&args));
  }
  return 0;
}

#endif
