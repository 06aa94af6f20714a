/* Sharing by NT handles (2.6), which are file descriptors here: their types have no names, so those are not asked for.
 * N31 takes Direct3D. */
#include "oracle.h"

#define NAME_TEXT L"\\BaseNamedObjects\\__WineTest_D3DKMT"
#define LOWER_TEXT L"\\BaseNamedObjects\\__winetest_d3dkmt"
#define OTHER_TEXT L"\\BaseNamedObjects\\__WineTest_D3DKMT_2"
#define UNKNOWN_TEXT L"\\BaseNamedObjects\\__winetest_unknown"

static D3DKMT_HANDLE create_sync(UINT shared, UINT secure) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args = {.hDevice = g_device};
  args.Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX;
  args.Info.Flags.Shared = shared;
  args.Info.Flags.NtSecuritySharing = secure;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&args), OK);
  return args.hSyncObject;
}

static NTSTATUS open_nt(HANDLE nt, D3DKMT_HANDLE* opened) {
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE args = {.hNtHandle = nt, .hSyncObject = POISON};
  NTSTATUS status = D3DKMTOpenSyncObjectFromNtHandle(&args);
  *opened = args.hSyncObject;
  return status;
}
static NTSTATUS open_nt2(HANDLE nt, D3DKMT_HANDLE device, D3DKMT_HANDLE* opened) {
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 args = {.hNtHandle = nt, .hDevice = device};
  NTSTATUS status = D3DKMTOpenSyncObjectFromNtHandle2(&args);
  CHECK(!args.Flags.Shared && !args.Flags.NtSecuritySharing);
  *opened = args.hSyncObject;
  return status;
}
static NTSTATUS find_sync(OBJECT_ATTRIBUTES* attributes, UINT access, HANDLE* nt) {
  D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME args = {.dwDesiredAccess = access, .pObjAttrib = attributes};
  NTSTATUS status = D3DKMTOpenSyncObjectNtHandleFromName(&args);
  *nt = args.hNtHandle;
  return status;
}

static void test_sync_by_handle(HANDLE* second, D3DKMT_HANDLE* live) {
  NAME name;
  HANDLE nt, first;
  D3DKMT_HANDLE old, opened;
  behaviour("N1");
  D3DKMT_CREATESYNCHRONIZATIONOBJECT create = {.hDevice = g_device};
  create.Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject(&create), OK);
  CHECK_STATUS(share(&create.hSyncObject, 1, named(&name, NULL), STANDARD_RIGHTS_WRITE, &nt), IP);
  CHECK_STATUS(destroy_sync(create.hSyncObject), OK);
  behaviour("N2");
  old = create_sync(0, 0);
  CHECK_STATUS(share(&old, 1, named(&name, NULL), STANDARD_RIGHTS_WRITE, &nt), IP);
  CHECK_STATUS(destroy_sync(old), OK);
  behaviour("N3");
  old = create_sync(1, 0);
  CHECK_STATUS(share(&old, 1, named(&name, NULL), STANDARD_RIGHTS_WRITE, &nt), IP);
  CHECK_STATUS(destroy_sync(old), OK);
  behaviour("N4");
  old = create_sync(1, 1);
  CHECK_STATUS(share(&old, 1, named(&name, NAME_TEXT), STANDARD_RIGHTS_WRITE, &first), OK);
  behaviour("H6");
  CHECK(is_nt(first));
  behaviour("N5");
  CHECK_STATUS(destroy_sync((D3DKMT_HANDLE)(uintptr_t)first), IP);
  CHECK_STATUS(destroy_sync(old), OK);
  behaviour("N6");
  CHECK_STATUS(open_nt(NULL, &opened), IH);
  CHECK_STATUS(open_nt(first, &opened), OK);
  CHECK(is_local(opened));
  CHECK_STATUS(destroy_sync(opened), OK);
  behaviour("N7");
  CHECK_STATUS(share(&old, 1, named(&name, OTHER_TEXT), STANDARD_RIGHTS_READ, &nt), IP);
  behaviour("N8");
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 zeroed = {0};
  CHECK_STATUS(D3DKMTOpenSyncObjectFromNtHandle2(&zeroed), IP);
  CHECK_STATUS(open_nt2(first, 0, &opened), IP);
  CHECK_STATUS(open_nt2(first, g_device, live), OK);
  CHECK(is_local(*live));
  CHECK_STATUS(share(live, 1, named(&name, OTHER_TEXT), STANDARD_RIGHTS_READ, second), OK);
  behaviour("N9");
  HANDLE by_name;
  CHECK_STATUS(find_sync(NULL, STANDARD_RIGHTS_WRITE, &nt), IP);
  CHECK_STATUS(find_sync(named(&name, UNKNOWN_TEXT), STANDARD_RIGHTS_WRITE, &nt), STATUS_OBJECT_NAME_NOT_FOUND);
  CHECK_STATUS(find_sync(named(&name, LOWER_TEXT), 0, &nt), STATUS_ACCESS_DENIED);
  CHECK_STATUS(find_sync(named(&name, LOWER_TEXT), STANDARD_RIGHTS_WRITE, &by_name), OK);
  CHECK(is_nt(by_name));
  behaviour("N10");
  close_nt(first);
  CHECK_STATUS(open_nt2(first, g_device, &opened), IH);
  CHECK_STATUS(open_nt2(by_name, g_device, &opened), OK);
  CHECK(is_local(opened));
  CHECK_STATUS(destroy_sync(opened), OK);
  close_nt(by_name);
}

static void test_sync_names(HANDLE second, D3DKMT_HANDLE live) {
  NAME name;
  HANDLE nt, found;
  behaviour("N11");
  close_nt(second);
  CHECK_STATUS(find_sync(named(&name, OTHER_TEXT), STANDARD_RIGHTS_READ, &nt), STATUS_OBJECT_NAME_NOT_FOUND);
  CHECK_STATUS(share(&live, 1, named(&name, OTHER_TEXT), STANDARD_RIGHTS_READ, &nt), OK);
  CHECK_STATUS(find_sync(named(&name, OTHER_TEXT), STANDARD_RIGHTS_READ, &found), OK);
  close_nt(found);
  close_nt(nt);
  CHECK_STATUS(destroy_sync(live), OK);
  behaviour("N12");
  D3DKMT_CREATEKEYEDMUTEX first = {0};
  D3DKMT_CREATEKEYEDMUTEX2 secure = {0};
  secure.Flags.NtSecuritySharing = 1;
  CHECK_STATUS(D3DKMTCreateKeyedMutex(&first), OK);
  CHECK_STATUS(D3DKMTCreateKeyedMutex2(&secure), OK);
  CHECK_STATUS(share(&first.hKeyedMutex, 1, named(&name, NULL), STANDARD_RIGHTS_READ, &nt), IP);
  CHECK_STATUS(share(&first.hSharedHandle, 1, named(&name, NULL), STANDARD_RIGHTS_READ, &nt), IP);
  CHECK_STATUS(share(&secure.hKeyedMutex, 1, named(&name, NULL), STANDARD_RIGHTS_READ, &nt), IP);
  CHECK_STATUS(destroy_mutex(first.hKeyedMutex), OK);
  CHECK_STATUS(destroy_mutex(secure.hKeyedMutex), OK);
}

/* --- Resources --- */

typedef struct {
  D3DKMT_OPENRESOURCEFROMNTHANDLE args;
  D3DDDI_OPENALLOCATIONINFO2 info;
  uint8_t runtime[4], total[0x1000];
} OPENING;

static D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query_of(HANDLE nt, void* buffer, UINT bytes) {
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query = {.hDevice = g_device, .hNtHandle = nt};
  query.pPrivateRuntimeData = buffer;
  query.PrivateRuntimeDataSize = bytes;
  query.TotalPrivateDriverDataSize = query.ResourcePrivateDriverDataSize = query.NumAllocations = 0xdeadbeef;
  CHECK_STATUS(D3DKMTQueryResourceInfoFromNtHandle(&query), OK);
  CHECK(query.PrivateRuntimeDataSize == 4 && query.ResourcePrivateDriverDataSize == 0 && query.NumAllocations == 1);
  CHECK(query.TotalPrivateDriverDataSize > 0 && query.TotalPrivateDriverDataSize < 0x1000);
  return query;
}

static void describe_opening(OPENING* o, HANDLE nt) {
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query = query_of(nt, NULL, 0xdeadbeef);
  memset(o, 0, sizeof(*o));
  o->args.hDevice = g_device;
  o->args.hNtHandle = nt;
  o->args.NumAllocations = 1;
  o->args.pOpenAllocationInfo2 = &o->info;
  o->args.pPrivateRuntimeData = o->runtime;
  o->args.PrivateRuntimeDataSize = 4;
  o->args.pTotalPrivateDriverDataBuffer = o->total;
  o->args.TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize;
  o->args.hResource = o->args.hKeyedMutex = o->args.hSyncObject = POISON;
}

#define OPEN_REFUSED(change, wanted)                                   \
  do {                                                                 \
    describe_opening(&o, nt);                                          \
    change;                                                            \
    CHECK_STATUS(D3DKMTOpenResourceFromNtHandle(&o.args), wanted);     \
    CHECK(o.args.hResource == POISON && o.args.hKeyedMutex == POISON); \
  } while (0)

static void test_resource_handles(void) {
  static OPENING o;
  static const uint8_t runtime[4] = {9, 8, 7, 6};
  NAME name;
  HANDLE nt, found;
  for (int shared = 0; shared < 2; ++shared) {
    behaviour(shared ? "N14" : "N13");
    SHARED made = create_shared(shared ? BY_GLOBAL_HANDLE : PRIVATE);
    CHECK(shared ? is_global(made.global) : made.global == 0);
    CHECK_STATUS(share(&made.allocation, 1, named(&name, NULL), STANDARD_RIGHTS_READ, &nt), IP);
    CHECK_STATUS(share(&made.resource, 1, named(&name, NULL), STANDARD_RIGHTS_READ, &nt), IP);
    CHECK_STATUS(destroy_resource(made.resource), OK);
  }
  behaviour("N15");
  SHARED made = create_shared(BY_NT_HANDLE);
  CHECK(made.global == 0);
  CHECK_STATUS(share(&made.allocation, 1, named(&name, NULL), STANDARD_RIGHTS_READ, &nt), IP);
  CHECK_STATUS(share(&made.resource, 1, named(&name, NAME_TEXT), STANDARD_RIGHTS_READ, &nt), OK);
  CHECK(is_nt(nt));
  behaviour("N16");
  D3DKMT_OPENNTHANDLEFROMNAME open = {.dwDesiredAccess = STANDARD_RIGHTS_READ};
  CHECK_STATUS(D3DKMTOpenNtHandleFromName(&open), IP);
  open.pObjAttrib = named(&name, UNKNOWN_TEXT);
  CHECK_STATUS(D3DKMTOpenNtHandleFromName(&open), STATUS_OBJECT_NAME_NOT_FOUND);
  open.pObjAttrib = named(&name, LOWER_TEXT);
  open.dwDesiredAccess = 0;
  CHECK_STATUS(D3DKMTOpenNtHandleFromName(&open), STATUS_ACCESS_DENIED);
  open.dwDesiredAccess = GENERIC_ALL_ACCESS;
  CHECK_STATUS(D3DKMTOpenNtHandleFromName(&open), OK);
  found = open.hNtHandle;
  CHECK(is_nt(found));
  close_nt(found);
  behaviour("N17");
  for (UINT bytes = 0; bytes <= 0x100; bytes += 0x100) {
    uint8_t buffer[0x100];
    memset(buffer, 0xCD, sizeof(buffer));
    query_of(nt, buffer, bytes);
    CHECK(buffer[0] == 0xCD && buffer[3] == 0xCD);
  }
  query_of(nt, NULL, 0xdeadbeef);
  behaviour("N18");
  describe_opening(&o, nt);
  CHECK_STATUS(D3DKMTOpenResourceFromNtHandle(&o.args), OK);
  CHECK(o.args.NumAllocations == 1 && o.args.PrivateRuntimeDataSize == 4 && o.args.ResourcePrivateDriverDataSize == 0);
  CHECK(o.args.TotalPrivateDriverDataBufferSize > 0 && o.args.TotalPrivateDriverDataBufferSize < 0x1000);
  CHECK(is_local(o.args.hResource) && is_local(o.info.hAllocation) && o.info.PrivateDriverDataSize > 0);
  CHECK(o.args.hKeyedMutex == 0 && o.args.KeyedMutexPrivateRuntimeDataSize == 0 && o.args.hSyncObject == 0);
  CHECK(memcmp(o.runtime, runtime, 4) == 0);
  CHECK_STATUS(destroy_resource(o.args.hResource), OK);
  behaviour("N19");
  OPEN_REFUSED(o.args.pOpenAllocationInfo2 = NULL, IP);
  behaviour("N20");
  OPEN_REFUSED(o.args.NumAllocations = 0, IP);
  behaviour("N21");
  OPEN_REFUSED(o.args.pPrivateRuntimeData = NULL, IP);
  behaviour("N22");
  OPEN_REFUSED(++o.args.PrivateRuntimeDataSize, IP);
  behaviour("N23");
  OPEN_REFUSED(o.args.pTotalPrivateDriverDataBuffer = NULL, IP);
  behaviour("N24");
  OPEN_REFUSED(--o.args.TotalPrivateDriverDataBufferSize, STATUS_NO_MEMORY);
  close_nt(nt);
  CHECK_STATUS(destroy_resource(made.resource), OK);
}

static void test_bundles(void) {
  static OPENING o;
  uint8_t mutex_data[20] = {1, 2, 3};
  NAME name;
  HANDLE nt;
  behaviour("N25");
  D3DKMT_CREATEKEYEDMUTEX2 mutex = {0};
  mutex.Flags.NtSecuritySharing = 1;
  mutex.pPrivateRuntimeData = mutex_data;
  mutex.PrivateRuntimeDataSize = sizeof(mutex_data);
  CHECK_STATUS(D3DKMTCreateKeyedMutex2(&mutex), OK);
  D3DKMT_HANDLE r = create_shared(BY_NT_HANDLE).resource, m = mutex.hKeyedMutex, s = create_sync(1, 1);
  const struct {
    D3DKMT_HANDLE set[4];
    UINT count;
  } wrong[] = {{{r, r, r}, 3}, {{r, m}, 2}, {{r, s}, 2}, {{m, s}, 2}, {{r, m, s, s}, 4}, {{r, s, m}, 3}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
    CHECK_STATUS(share(wrong[i].set, wrong[i].count, named(&name, LOWER_TEXT), STANDARD_RIGHTS_ALL, &nt), IP);
  }
  const D3DKMT_HANDLE right[3] = {r, m, s};
  CHECK_STATUS(share(right, 3, named(&name, LOWER_TEXT), STANDARD_RIGHTS_ALL, &nt), OK);
  behaviour("N26");
  CHECK_STATUS(destroy_mutex(m), OK);
  CHECK_STATUS(destroy_sync(s), OK);
  CHECK_STATUS(destroy_resource(r), OK);
  behaviour("N27");
  query_of(nt, NULL, 0xdeadbeef);
  for (UINT bytes = 20; bytes <= 20; bytes -= 20) {
    behaviour("N28");
    describe_opening(&o, nt);
    o.args.pKeyedMutexPrivateRuntimeData = bytes ? mutex_data : NULL;
    o.args.KeyedMutexPrivateRuntimeDataSize = bytes;
    CHECK_STATUS(D3DKMTOpenResourceFromNtHandle(&o.args), OK);
    CHECK(is_local(o.args.hResource) && is_local(o.args.hKeyedMutex) && is_local(o.args.hSyncObject));
    CHECK(is_local(o.info.hAllocation) && o.args.KeyedMutexPrivateRuntimeDataSize == bytes);
    behaviour("N29");
    CHECK_STATUS(destroy_resource(o.args.hResource), OK);
    CHECK_STATUS(destroy_mutex(o.args.hKeyedMutex), OK);
    CHECK_STATUS(destroy_sync(o.args.hSyncObject), OK);
    if (bytes == 0) break;
  }
  behaviour("N30");
  D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE open = {.hNtHandle = nt};
  CHECK_STATUS(D3DKMTOpenKeyedMutexFromNtHandle(&open), STATUS_OBJECT_TYPE_MISMATCH);
  close_nt(nt);
}

void test_sharing(void) {
  HANDLE second = NULL;
  D3DKMT_HANDLE live = 0;
  test_sync_by_handle(&second, &live);
  test_sync_names(second, live);
  test_resource_handles();
  test_bundles();
}
