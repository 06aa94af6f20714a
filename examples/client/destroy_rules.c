/* A client of the graphics kernel that walks through what D3DKMT_DESTROYALLOCATION2 says, one line per rule. It links
 * libdxcore.so, as programs for /dev/dxg do, and runs on any adapter: it prints "ok" where the kernel behaves as the
 * documentation says, and exits with the number of rules where it did not. */
#include <d3dkmthk.h>
#include <ntstatus.h>
#include <stdio.h>
#include <string.h>

#include "drydock/softgpu/softgpu_user.h"

typedef struct {
  D3DKMT_HANDLE resource; /* 0: allocations of the device alone */
  D3DKMT_HANDLE allocations[2];
} GROUP;

static D3DKMT_HANDLE g_adapter, g_device;
static int g_is_softgpu; /* it wants to be told what an allocation is; others are asked for a plain one */
static int g_wrong;

static void rule(int holds, const char* text) {
  printf("%-5s %s\n", holds ? "ok" : "WRONG", text);
  g_wrong += !holds;
}

static int open_adapter(void) {
  D3DKMT_ADAPTERINFO adapters[4];
  D3DKMT_ENUMADAPTERS2 list = {4, adapters};
  SOFTGPU_ADAPTER softgpu;
  D3DKMT_QUERYADAPTERINFO query = {0};
  if (D3DKMTEnumAdapters2(&list) != STATUS_SUCCESS || list.NumAdapters == 0) return 0;
  g_adapter = adapters[0].hAdapter;
  query.hAdapter = g_adapter;
  query.Type = KMTQAITYPE_UMDRIVERPRIVATE;
  query.pPrivateDriverData = &softgpu;
  query.PrivateDriverDataSize = sizeof(softgpu);
  g_is_softgpu = D3DKMTQueryAdapterInfo(&query) == STATUS_SUCCESS && softgpu.magic == SOFTGPU_USER_MAGIC;
  return 1;
}

static D3DKMT_HANDLE create_device(void) {
  D3DKMT_CREATEDEVICE args = {0};
  args.hAdapter = g_adapter;
  return D3DKMTCreateDevice(&args) == STATUS_SUCCESS ? args.hDevice : 0;
}

/* Two allocations, in a resource of their own or in none. */
static GROUP create(int in_resource) {
  SOFTGPU_ALLOCATION data[2];
  D3DDDI_ALLOCATIONINFO2 infos[2];
  D3DKMT_CREATEALLOCATION args = {0};
  GROUP group = {0};
  memset(infos, 0, sizeof(infos));
  for (int i = 0; i < 2 && g_is_softgpu; ++i) {
    data[i] = softgpu_buffer(64 * 1024, 0, 0);
    infos[i].pPrivateDriverData = &data[i];
    infos[i].PrivateDriverDataSize = sizeof(data[i]);
  }
  args.hDevice = g_device;
  args.Flags.CreateResource = in_resource != 0;
  args.NumAllocations = 2;
  args.pAllocationInfo2 = infos;
  if (D3DKMTCreateAllocation2(&args) != STATUS_SUCCESS) {
    rule(0, "two allocations can be created");
    return group;
  }
  group.resource = args.hResource;
  for (int i = 0; i < 2; ++i) group.allocations[i] = infos[i].hAllocation;
  return group;
}

static NTSTATUS destroy(D3DKMT_HANDLE device, D3DKMT_HANDLE resource, const D3DKMT_HANDLE* list, UINT count,
                        UINT flags) {
  D3DKMT_DESTROYALLOCATION2 args = {0};
  args.hDevice = device;
  args.hResource = resource;
  args.phAllocationList = list;
  args.AllocationCount = count;
  args.Flags.Value = flags;
  return D3DKMTDestroyAllocation2(&args);
}

static NTSTATUS destroy_group(const GROUP* group) {
  if (group->resource) return destroy(g_device, group->resource, NULL, 0, 0);
  return destroy(g_device, 0, group->allocations, 2, 0);
}

static void the_device(void) {
  GROUP group = create(1);
  D3DKMT_HANDLE other = create_device();
  D3DKMT_DESTROYDEVICE end = {other};
  rule(destroy(other, group.resource, NULL, 0, 0) == STATUS_INVALID_PARAMETER,
       "hDevice: another device's resource is refused");
  rule(destroy_group(&group) == STATUS_SUCCESS, "hDevice: the device that it is associated with releases it");
  D3DKMTDestroyDevice(&end);
}

static void the_resource(void) {
  GROUP group = create(1);
  rule(destroy(g_device, group.resource, NULL, 0, 0) == STATUS_SUCCESS &&
           destroy(g_device, 0, group.allocations, 1, 0) == STATUS_INVALID_PARAMETER &&
           destroy(g_device, 0, group.allocations + 1, 1, 0) == STATUS_INVALID_PARAMETER,
       "hResource, with phAllocationList NULL: all of its allocations are released with it");
}

static void the_list(void) {
  GROUP one = create(1), other = create(1), alone = create(0);
  D3DKMT_HANDLE two_resources[] = {one.allocations[0], other.allocations[0]};
  D3DKMT_HANDLE with_alone[] = {one.allocations[0], alone.allocations[0]};
  rule(destroy(g_device, 0, two_resources, 2, 0) == STATUS_INVALID_PARAMETER,
       "phAllocationList: allocations of two resources are refused");
  rule(destroy(g_device, 0, with_alone, 2, 0) == STATUS_INVALID_PARAMETER,
       "phAllocationList: so is one of a resource beside one of none");
  rule(destroy(g_device, 0, one.allocations, 2, 0) == STATUS_SUCCESS,
       "phAllocationList: allocations of one resource are released, and the refusals had released none of them");
  rule(destroy_group(&one) == STATUS_SUCCESS, "phAllocationList: the resource stays, and is released on its own");
  rule(destroy_group(&alone) == STATUS_SUCCESS, "phAllocationList: allocations of no resource are released together");
  destroy_group(&other);
}

static void resource_and_list(void) {
  GROUP group = create(1), bystander = create(1);
  rule(destroy(g_device, group.resource, NULL, 7, 0) == STATUS_SUCCESS,
       "AllocationCount: ignored when hResource is set, so 7 of nothing does no harm");
  rule(destroy_group(&bystander) == STATUS_SUCCESS, "hResource: nothing else was released with it");
}

static void the_flags(void) {
  GROUP idle = create(1), waited_for = create(1), both = create(1), reserved = create(1);
  D3DDDICB_DESTROYALLOCATION2FLAGS not_in_use = {0}, synchronous = {0}, unknown = {0};
  not_in_use.AssumeNotInUse = 1;
  synchronous.SynchronousDestroy = 1;
  unknown.Reserved = 1;
  rule(destroy(g_device, idle.resource, NULL, 0, not_in_use.Value) == STATUS_SUCCESS,
       "AssumeNotInUse: released at once, on the promise that nothing queued uses it");
  rule(destroy(g_device, waited_for.resource, NULL, 0, synchronous.Value) == STATUS_SUCCESS,
       "SynchronousDestroy: the call returns when the memory is reclaimed");
  rule(destroy(g_device, both.resource, NULL, 0, not_in_use.Value | synchronous.Value) == STATUS_SUCCESS,
       "both flags together");
  rule(destroy(g_device, reserved.resource, NULL, 0, unknown.Value) == STATUS_INVALID_PARAMETER &&
           destroy_group(&reserved) == STATUS_SUCCESS,
       "reserved flags are refused, and nothing is released");
}

int main(void) {
  D3DKMT_DESTROYDEVICE end = {0};
  D3DKMT_CLOSEADAPTER close = {0};
  if (!open_adapter() || !(g_device = create_device())) {
    fprintf(stderr, "there is no adapter, or it gives no device\n");
    return 1;
  }
  the_device();
  the_resource();
  the_list();
  resource_and_list();
  the_flags();
  end.hDevice = g_device;
  close.hAdapter = g_adapter;
  rule(D3DKMTDestroyDevice(&end) == STATUS_SUCCESS && D3DKMTCloseAdapter(&close) == STATUS_SUCCESS,
       "and nothing is left");
  printf("%d wrong\n", g_wrong);
  return g_wrong;
}
