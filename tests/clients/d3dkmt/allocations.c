/* Allocations (2.5, A). A0 with NULL crashes on Windows and is not tried. */
#include "oracle.h"

static void expect_refused(CREATION* creation, NTSTATUS wanted, int line) {
  D3DKMT_HANDLE resource = creation->args.hResource, global = creation->args.hGlobalShare;
  check_status(D3DKMTCreateAllocation(&creation->args), wanted, "D3DKMTCreateAllocation", line);
  check_that(creation->info.hAllocation == POISON, "H5: hAllocation is not written", line);
  check_that(creation->args.hResource == resource && creation->args.hGlobalShare == global, "H5", line);
}
#define REFUSED(change, wanted)           \
  do {                                    \
    CREATION c;                           \
    describe(&c);                         \
    change;                               \
    expect_refused(&c, wanted, __LINE__); \
  } while (0)

static void test_creating(void) {
  CREATION c;
  behaviour("A0");
  D3DKMT_CREATEALLOCATION zeroed = {0};
  CHECK_STATUS(D3DKMTCreateAllocation(&zeroed), IP);
  behaviour("A1");
  describe(&c);
  CHECK_STATUS(D3DKMTCreateAllocation(&c.args), OK);
  CHECK(c.args.hGlobalShare == 0 && c.args.hResource == 0);
  CHECK(c.args.hPrivateRuntimeResourceHandle == (HANDLE)(uintptr_t)0xdeadbeef);
  CHECK_NEXT(c.info.hAllocation);
  behaviour("A2");
  D3DKMT_DESTROYALLOCATION destroy = {.hDevice = g_device};
  CHECK_STATUS(D3DKMTDestroyAllocation(&destroy), OK);
  destroy.AllocationCount = 1;
  CHECK_STATUS(D3DKMTDestroyAllocation(&destroy), IP);
  destroy.phAllocationList = &c.info.hAllocation;
  CHECK_STATUS(D3DKMTDestroyAllocation(&destroy), OK);
  CHECK_STATUS(D3DKMTDestroyAllocation(&destroy), IP);
  behaviour("A3");
  for (int second = 0; second < 2; ++second) {
    describe(&c);
    c.args.pAllocationInfo2 = &c.info2;
    CHECK_STATUS(D3DKMTCreateAllocation2(&c.args), OK);
    CHECK(c.args.hGlobalShare == 0 && c.args.hResource == 0 && c.args.PrivateRuntimeDataSize == 0);
    CHECK(c.args.PrivateDriverDataSize == 0 && c.info2.PrivateDriverDataSize == 0);
    CHECK_NEXT(c.info2.hAllocation);
    D3DKMT_DESTROYALLOCATION2 destroy2 = {
        .hDevice = g_device, .phAllocationList = &c.info2.hAllocation, .AllocationCount = 1};
    CHECK_STATUS(second ? D3DKMTDestroyAllocation2(&destroy2) : destroy_allocation(c.info2.hAllocation), OK);
  }
  behaviour("A4");
  uint8_t driver_data[6] = {1, 2, 3, 4, 5, 6}, runtime_data[4] = {9, 8, 7, 6};
  describe(&c);
  c.info.pPrivateDriverData = driver_data;
  c.info.PrivateDriverDataSize = sizeof(driver_data);
  CHECK_STATUS(D3DKMTCreateAllocation(&c.args), OK);
  CHECK_NEXT(c.info.hAllocation);
  CHECK_STATUS(destroy_allocation(c.info.hAllocation), OK);
  behaviour("A5");
  describe(&c);
  c.args.pPrivateRuntimeData = runtime_data;
  c.args.PrivateRuntimeDataSize = sizeof(runtime_data);
  CHECK_STATUS(D3DKMTCreateAllocation(&c.args), OK);
  CHECK_NEXT(c.info.hAllocation);
  CHECK_STATUS(destroy_allocation(c.info.hAllocation), OK);
}

static void test_refusals(void) {
  CREATION two;
  behaviour("A6");
  REFUSED(c.args.PrivateDriverDataSize = 64, IP);
  behaviour("A7");
  REFUSED(c.args.hDevice = 0, IP);
  behaviour("A8");
  REFUSED(c.args.hResource = POISON, IH);
  behaviour("A9");
  REFUSED(c.args.NumAllocations = 0, IP);
  behaviour("A10");
  REFUSED(memset(&c.standard.Type, 0, sizeof(c.standard.Type)), IP);
  behaviour("A11");
  REFUSED(c.info.pSystemMem = NULL, IP);
  behaviour("A12");
  describe(&two);
  D3DDDI_ALLOCATIONINFO infos[2] = {two.info, two.info};
  two.args.pAllocationInfo = infos;
  two.args.NumAllocations = 2;
  CHECK_STATUS(D3DKMTCreateAllocation(&two.args), IP);
  behaviour("A13");
  REFUSED(c.standard.ExistingHeapData.Size = 0x1100, IP);
  behaviour("A14");
  REFUSED(c.args.Flags.ExistingSysMem = 0, IP);
  behaviour("A15");
  REFUSED(c.args.Flags.StandardAllocation = 0, IP);
  behaviour("A16");
  REFUSED(c.args.Flags.CreateShared = 1, IP);
  behaviour("H3");
  describe(&two);
  CHECK_STATUS(D3DKMTCreateAllocation(&two.args), OK);
  CHECK_NEXT(two.info.hAllocation);
  CHECK_STATUS(destroy_allocation(two.info.hAllocation), OK);
}

static void test_resource_of_one(void) {
  CREATION c;
  behaviour("A17");
  REFUSED((c.args.Flags.CreateResource = 1, c.args.hResource = POISON), IH);
  describe(&c);
  c.args.Flags.CreateResource = 1;
  CHECK_STATUS(D3DKMTCreateAllocation(&c.args), OK);
  CHECK(c.args.hGlobalShare == 0);
  CHECK(c.args.hPrivateRuntimeResourceHandle == (HANDLE)(uintptr_t)0xdeadbeef);
  behaviour("H4");
  CHECK_NEXT(c.args.hResource);
  CHECK_NEXT(c.info.hAllocation);
  behaviour("A18");
  CHECK_STATUS(destroy_allocation(c.info.hAllocation), OK);
  CHECK_STATUS(destroy_resource(c.args.hResource), OK);
  CHECK_STATUS(destroy_resource(c.args.hResource), IP);
  behaviour("A19");
  SHARED made = create_shared(PRIVATE);
  REFUSED(c.args.hResource = made.resource, IP);
  behaviour("A20");
  CHECK_STATUS(destroy_resource(made.resource), OK);
  CHECK_STATUS(destroy_allocation(made.allocation), IP);
  behaviour("A21");
  REFUSED((c.args.Flags.CreateResource = 1, c.args.NumAllocations = 0), IP);
  behaviour("A22");
  made = create_shared(PRIVATE);
  D3DKMT_QUERYRESOURCEINFO query = {.hDevice = g_device, .hGlobalShare = made.resource};
  D3DDDI_OPENALLOCATIONINFO info = {0};
  uint8_t runtime[4], total[0x1000];
  D3DKMT_OPENRESOURCE open = {.hDevice = g_device, .hGlobalShare = made.resource, .NumAllocations = 1};
  open.pOpenAllocationInfo = &info;
  open.pPrivateRuntimeData = runtime;
  open.PrivateRuntimeDataSize = sizeof(runtime);
  open.pTotalPrivateDriverDataBuffer = total;
  open.TotalPrivateDriverDataBufferSize = sizeof(total);
  CHECK_STATUS(D3DKMTQueryResourceInfo(&query), IP);
  CHECK_STATUS(D3DKMTOpenResource(&open), IP);
  CHECK_STATUS(destroy_resource(made.resource), OK);
}

void test_allocations(void) {
  CREATION probe;
  describe(&probe);
  CHECK_STATUS(D3DKMTCreateAllocation(&probe.args), OK);
  g_last = probe.info.hAllocation;
  CHECK_STATUS(destroy_allocation(probe.info.hAllocation), OK);
  test_creating();
  test_refusals();
  test_resource_of_one();
}
