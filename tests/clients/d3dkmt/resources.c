/* Resources that are shared by global handles (2.5, R). R11 takes a user-mode driver. */
#include "oracle.h"

typedef struct {
  D3DKMT_OPENRESOURCE args;
  D3DDDI_OPENALLOCATIONINFO info;
  D3DDDI_OPENALLOCATIONINFO2 info2;
  uint8_t runtime[16], total[0x1000], own[16], resource[16];
} OPENING;

static void describe_opening(OPENING* o, D3DKMT_HANDLE global) {
  memset(o, 0, sizeof(*o));
  memset(o->runtime, 0xCD, sizeof(o->runtime));
  memset(o->total, 0xCD, sizeof(o->total));
  memset(o->own, 0xCD, sizeof(o->own));
  memset(o->resource, 0xCD, sizeof(o->resource));
  o->info.pPrivateDriverData = o->own;
  o->info.PrivateDriverDataSize = sizeof(o->own);
  o->args.hDevice = g_device;
  o->args.hGlobalShare = global;
  o->args.NumAllocations = 1;
  o->args.pOpenAllocationInfo = &o->info;
  o->args.pPrivateRuntimeData = o->runtime;
  o->args.PrivateRuntimeDataSize = 4;
  o->args.pResourcePrivateDriverData = o->resource;
  o->args.pTotalPrivateDriverDataBuffer = o->total;
  o->args.TotalPrivateDriverDataBufferSize = sizeof(o->total);
}

static void check_opened(const OPENING* o, D3DKMT_HANDLE global) {
  static const uint8_t runtime[4] = {9, 8, 7, 6};
  CHECK(o->args.hGlobalShare == global && o->args.PrivateRuntimeDataSize == 4);
  CHECK(memcmp(o->runtime, runtime, 4) == 0);
  CHECK(o->args.TotalPrivateDriverDataBufferSize > 0 && o->args.TotalPrivateDriverDataBufferSize < 0x1000);
  CHECK(o->args.ResourcePrivateDriverDataSize == 0);
  CHECK(o->own[0] == 0xCD && o->resource[0] == 0xCD);
}

void test_resources(void) {
  static OPENING o;
  behaviour("R1");
  SHARED made = create_shared(BY_GLOBAL_HANDLE);
  g_last = made.resource - 0x40;
  CHECK_NEXT(made.resource);
  CHECK_NEXT(made.allocation);
  CHECK(is_global(made.global));
  behaviour("R2");
  uint8_t buffer[0x100];
  memset(buffer, 0xCD, sizeof(buffer));
  D3DKMT_QUERYRESOURCEINFO query = {.hDevice = g_device, .hGlobalShare = made.global};
  query.pPrivateRuntimeData = buffer;
  query.PrivateRuntimeDataSize = sizeof(buffer);
  CHECK_STATUS(D3DKMTQueryResourceInfo(&query), OK);
  CHECK(query.PrivateRuntimeDataSize == 4 && query.NumAllocations == 1);
  CHECK(query.TotalPrivateDriverDataSize > 0 && query.TotalPrivateDriverDataSize < 0x1000);
  CHECK(query.ResourcePrivateDriverDataSize == 0 && buffer[0] == 0xCD);
  behaviour("R3");
  describe_opening(&o, made.global);
  CHECK_STATUS(D3DKMTOpenResource(&o.args), OK);
  CHECK_NEXT(o.args.hResource);
  CHECK_NEXT(o.info.hAllocation);
  check_opened(&o, made.global);
  CHECK(o.info.PrivateDriverDataSize > 0 && o.total[0] != 0xCD);
  behaviour("R4");
  CHECK_STATUS(destroy_resource(o.args.hResource), OK);
  behaviour("R5");
  describe_opening(&o, made.global);
  o.args.NumAllocations = 0;
  CHECK_STATUS(D3DKMTOpenResource(&o.args), IP);
  behaviour("R6");
  describe_opening(&o, made.global);
  o.args.PrivateRuntimeDataSize = 5;
  CHECK_STATUS(D3DKMTOpenResource(&o.args), IP);
  behaviour("R7");
  describe_opening(&o, made.global);
  o.args.ResourcePrivateDriverDataSize = 1;
  CHECK_STATUS(D3DKMTOpenResource(&o.args), IP);
  behaviour("R8");
  describe_opening(&o, made.global);
  o.args.pOpenAllocationInfo2 = &o.info2;
  CHECK_STATUS(D3DKMTOpenResource2(&o.args), OK);
  CHECK_NEXT(o.args.hResource);
  CHECK_NEXT(o.info2.hAllocation);
  check_opened(&o, made.global);
  behaviour("R9");
  CHECK_STATUS(destroy_resource(o.args.hResource), OK);
  CHECK_STATUS(destroy_resource(made.resource), OK);
  behaviour("H7");
  describe_opening(&o, made.global);
  CHECK_STATUS(D3DKMTOpenResource(&o.args), IP);
  behaviour("R10");
  made = create_shared(BY_NT_HANDLE);
  CHECK(made.global == 0);
  CHECK_NEXT(made.resource);
  CHECK_NEXT(made.allocation);
  CHECK_STATUS(destroy_resource(made.resource), OK);
}
