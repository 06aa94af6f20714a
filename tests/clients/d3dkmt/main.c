#include "oracle.h"

int g_failed;
D3DKMT_HANDLE g_adapter, g_device, g_last;
static const char* g_behaviour = "";
static int g_behaviours;

void behaviour(const char* id) {
  g_behaviour = id;
  ++g_behaviours;
  printf("behaviour %s\n", id);
}

void check_that(int holds, const char* what, int line) {
  if (holds) return;
  ++g_failed;
  printf("FAILED %s, line %d: %s\n", g_behaviour, line, what);
}

void check_status(NTSTATUS got, NTSTATUS wanted, const char* call, int line) {
  if (got == wanted) return;
  ++g_failed;
  printf("FAILED %s, line %d: %s answers 0x%08X, not 0x%08X\n", g_behaviour, line, call, (unsigned)got,
         (unsigned)wanted);
}

void check_next(D3DKMT_HANDLE handle, int line) {
  if (!is_local(handle) || handle != g_last + 0x40) {
    ++g_failed;
    printf("FAILED %s, line %d: handle 0x%X after 0x%X\n", g_behaviour, line, handle, g_last);
  }
  g_last = handle;
}

NTSTATUS destroy_sync(D3DKMT_HANDLE handle) {
  D3DKMT_DESTROYSYNCHRONIZATIONOBJECT args = {handle};
  return D3DKMTDestroySynchronizationObject(&args);
}

NTSTATUS destroy_mutex(D3DKMT_HANDLE handle) {
  D3DKMT_DESTROYKEYEDMUTEX args = {handle};
  return D3DKMTDestroyKeyedMutex(&args);
}

NTSTATUS destroy_resource(D3DKMT_HANDLE resource) {
  D3DKMT_DESTROYALLOCATION args = {.hDevice = g_device, .hResource = resource};
  return D3DKMTDestroyAllocation(&args);
}

NTSTATUS destroy_allocation(D3DKMT_HANDLE allocation) {
  D3DKMT_DESTROYALLOCATION args = {.hDevice = g_device, .phAllocationList = &allocation, .AllocationCount = 1};
  return D3DKMTDestroyAllocation(&args);
}

void describe(CREATION* creation) {
  static void* heap;
  if (!heap) heap = mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(creation, 0, sizeof(*creation));
  creation->standard.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
  creation->standard.ExistingHeapData.Size = HEAP_BYTES;
  creation->info.pSystemMem = creation->info2.pSystemMem = heap;
  creation->info.hAllocation = creation->info2.hAllocation = POISON;
  creation->args.hDevice = g_device;
  creation->args.hGlobalShare = POISON;
  creation->args.pStandardAllocation = &creation->standard;
  creation->args.NumAllocations = 1;
  creation->args.pAllocationInfo = &creation->info;
  creation->args.Flags.StandardAllocation = creation->args.Flags.ExistingSysMem = 1;
  creation->args.hPrivateRuntimeResourceHandle = (HANDLE)(uintptr_t)0xdeadbeef;
}

SHARED create_shared(SHARING sharing) {
  static const uint8_t runtime[4] = {9, 8, 7, 6};
  static uint8_t driver_data[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  CREATION creation;
  describe(&creation);
  creation.info.pPrivateDriverData = driver_data;
  creation.info.PrivateDriverDataSize = sizeof(driver_data);
  creation.args.pPrivateRuntimeData = runtime;
  creation.args.PrivateRuntimeDataSize = sizeof(runtime);
  creation.args.Flags.CreateResource = 1;
  creation.args.Flags.CreateShared = sharing != PRIVATE;
  creation.args.Flags.NtSecuritySharing = sharing == BY_NT_HANDLE;
  CHECK_STATUS(D3DKMTCreateAllocation(&creation.args), OK);
  SHARED made = {creation.args.hResource, creation.info.hAllocation, creation.args.hGlobalShare};
  return made;
}

OBJECT_ATTRIBUTES* named(NAME* name, const WCHAR* text) {
  memset(name, 0, sizeof(*name));
  name->attributes.Length = sizeof(name->attributes);
  if (!text) return &name->attributes;
  size_t count = 0;
  for (; text[count]; ++count) name->text[count] = text[count];
  name->name.Buffer = name->text;
  name->name.Length = (USHORT)(count * sizeof(WCHAR));
  name->name.MaximumLength = sizeof(name->text);
  name->attributes.ObjectName = &name->name;
  return &name->attributes;
}

NTSTATUS share(const D3DKMT_HANDLE* objects, UINT count, OBJECT_ATTRIBUTES* attributes, UINT access, HANDLE* nt) {
  *nt = NULL;
  return D3DKMTShareObjects(count, objects, attributes, access, nt);
}

int main(void) {
  D3DKMT_ADAPTERINFO adapters[64];
  D3DKMT_ENUMADAPTERS2 list = {64, adapters};
  if (D3DKMTEnumAdapters2(&list) != OK || list.NumAdapters == 0) return 2;
  g_adapter = adapters[0].hAdapter;
  D3DKMT_CREATEDEVICE device = {.hAdapter = g_adapter};
  if (D3DKMTCreateDevice(&device) != OK) return 2;
  g_device = g_last = device.hDevice;
  test_adapters();
  test_sync_objects();
  test_keyed_mutexes();
  test_allocations();
  test_resources();
  test_sharing();
  test_dxcore();
  behaviour("S21");
  D3DKMT_DESTROYDEVICE destroy = {g_device};
  D3DKMT_CLOSEADAPTER close_adapter = {g_adapter};
  CHECK_STATUS(D3DKMTDestroyDevice(&destroy), OK);
  CHECK_STATUS(D3DKMTCloseAdapter(&close_adapter), OK);
  printf("%d behaviours, %d failed\n", g_behaviours, g_failed);
  return g_failed ? 1 : 0;
}
