/* Adapters, devices and what is asked of them (2.1), and the first rules of handles (2.0). */
#include "oracle.h"

static void test_opening(void) {
  behaviour("OpenAdapterFromGdiDisplayName");
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME display = {0};
  CHECK_STATUS(D3DKMTOpenAdapterFromGdiDisplayName(NULL), STATUS_UNSUCCESSFUL);
  CHECK_STATUS(D3DKMTOpenAdapterFromGdiDisplayName(&display), STATUS_UNSUCCESSFUL);
  behaviour("OpenAdapterFromDeviceName");
  D3DKMT_OPENADAPTERFROMDEVICENAME name = {0};
  CHECK_STATUS(D3DKMTOpenAdapterFromDeviceName(NULL), IP);
  CHECK_STATUS(D3DKMTOpenAdapterFromDeviceName(&name), IP);
  behaviour("EnumAdapters2");
  D3DKMT_ADAPTERINFO adapters[64] = {0};
  D3DKMT_ENUMADAPTERS2 list = {0};
  CHECK_STATUS(D3DKMTEnumAdapters2(NULL), IP);
  CHECK_STATUS(D3DKMTEnumAdapters2(&list), OK);
  CHECK(list.NumAdapters == 34);
  list.pAdapters = adapters;
  CHECK_STATUS(D3DKMTEnumAdapters2(&list), OK);
  CHECK(list.NumAdapters > 0 && list.NumAdapters < 34);
  g_last = adapters[0].hAdapter - 0x40;
  for (UINT i = 0; i < list.NumAdapters; ++i) {
    CHECK_NEXT(adapters[i].hAdapter);
    CHECK(adapters[i].AdapterLuid.LowPart || adapters[i].AdapterLuid.HighPart);
  }
  D3DKMT_ENUMADAPTERS2 no_room = {0, adapters};
  CHECK_STATUS(D3DKMTEnumAdapters2(&no_room), STATUS_BUFFER_TOO_SMALL);
  behaviour("CloseAdapter");
  D3DKMT_CLOSEADAPTER nothing = {0};
  CHECK_STATUS(D3DKMTCloseAdapter(NULL), IP);
  CHECK_STATUS(D3DKMTCloseAdapter(&nothing), IP);
  for (UINT i = 0; i < list.NumAdapters; ++i) {
    D3DKMT_CLOSEADAPTER one = {adapters[i].hAdapter};
    CHECK_STATUS(D3DKMTCloseAdapter(&one), OK);
  }
  behaviour("H2");
  for (int i = 0; i < 3; ++i) {
    D3DKMT_OPENADAPTERFROMLUID open = {.AdapterLuid = adapters[0].AdapterLuid};
    CHECK_STATUS(D3DKMTOpenAdapterFromLuid(&open), OK);
    CHECK_NEXT(open.hAdapter);
    D3DKMT_CLOSEADAPTER one = {open.hAdapter};
    CHECK_STATUS(D3DKMTCloseAdapter(&one), OK);
  }
}

static void test_devices(void) {
  behaviour("CreateDevice");
  D3DKMT_CREATEDEVICE create = {0};
  CHECK_STATUS(D3DKMTCreateDevice(NULL), IP);
  CHECK_STATUS(D3DKMTCreateDevice(&create), IP);
  create.hAdapter = g_adapter;
  CHECK_STATUS(D3DKMTCreateDevice(&create), OK);
  behaviour("H1");
  CHECK_NEXT(create.hDevice);
  behaviour("CreateDeviceBuffers");
  CHECK(!create.pCommandBuffer && !create.CommandBufferSize && !create.pAllocationList);
  CHECK(!create.AllocationListSize && !create.pPatchLocationList && !create.PatchLocationListSize);
  behaviour("DestroyDevice");
  D3DKMT_DESTROYDEVICE destroy = {0};
  CHECK_STATUS(D3DKMTDestroyDevice(NULL), IP);
  CHECK_STATUS(D3DKMTDestroyDevice(&destroy), IP);
  destroy.hDevice = create.hDevice;
  CHECK_STATUS(D3DKMTDestroyDevice(&destroy), OK);
}

static NTSTATUS ask(KMTQUERYADAPTERINFOTYPE type, void* data, UINT bytes) {
  D3DKMT_QUERYADAPTERINFO args = {g_adapter, type, data, bytes};
  return D3DKMTQueryAdapterInfo(&args);
}

static void test_queries(void) {
  behaviour("QueryAdapterInfo");
  BOOL updating = TRUE;
  UINT version = 0;
  CHECK_STATUS(ask(KMTQAITYPE_CHECKDRIVERUPDATESTATUS, NULL, sizeof(updating)), IP);
  CHECK_STATUS(ask(KMTQAITYPE_CHECKDRIVERUPDATESTATUS, &updating, sizeof(updating) - 1), IP);
  CHECK_STATUS(ask(KMTQAITYPE_CHECKDRIVERUPDATESTATUS, &updating, sizeof(updating)), OK);
  CHECK(updating == FALSE);
  CHECK_STATUS(ask(KMTQAITYPE_DRIVERVERSION, NULL, sizeof(version)), IP);
  CHECK_STATUS(ask(KMTQAITYPE_DRIVERVERSION, &version, sizeof(version) - 1), IP);
  CHECK_STATUS(ask(KMTQAITYPE_DRIVERVERSION, &version, sizeof(version)), OK);
  CHECK(version >= KMT_DRIVERVERSION_WDDM_2_0); /* Windows' own adapters say 3.1; it is the driver's version */
  behaviour("QueryVideoMemoryInfo");
  for (UINT group = 0; group < 3; ++group) {
    D3DKMT_QUERYVIDEOMEMORYINFO memory = {.hAdapter = g_adapter,
                                          .MemorySegmentGroup = (D3DKMT_MEMORY_SEGMENT_GROUP)group};
    CHECK_STATUS(D3DKMTQueryVideoMemoryInfo(&memory), group < 2 ? OK : IP);
    if (group == 2) continue;
    CHECK(memory.Budget >= memory.AvailableForReservation && memory.CurrentUsage <= memory.Budget);
    CHECK(memory.CurrentReservation == 0);
  }
  D3DKMT_QUERYVIDEOMEMORYINFO wrong = {.hAdapter = 0xdeadbeef};
  CHECK_STATUS(D3DKMTQueryVideoMemoryInfo(&wrong), IP);
  wrong.hAdapter = g_adapter;
  wrong.PhysicalAdapterIndex = 99;
  CHECK_STATUS(D3DKMTQueryVideoMemoryInfo(&wrong), IP);
  behaviour("Escape");
  D3DKMT_ESCAPE escape = {0};
  CHECK_STATUS(D3DKMTEscape(&escape), IP);
  for (UINT type = 0x80000000u; type <= 0x80000001u; ++type) {
    escape.Type = (D3DKMT_ESCAPETYPE)type;
    escape.hContext = POISON;
    CHECK_STATUS(D3DKMTEscape(&escape), IP);
  }
}

void test_adapters(void) {
  test_opening();
  test_devices();
  test_queries();
}
