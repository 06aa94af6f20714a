/* Keyed mutexes (2.4). K15 takes drivers of two interfaces and is no behaviour of D3DKMT alone. */
#include <pthread.h>

#include "oracle.h"

static NTSTATUS open1(D3DKMT_HANDLE global, D3DKMT_HANDLE* opened) {
  D3DKMT_OPENKEYEDMUTEX args = {.hSharedHandle = global, .hKeyedMutex = *opened};
  NTSTATUS status = D3DKMTOpenKeyedMutex(&args);
  *opened = args.hKeyedMutex;
  return status;
}

static D3DKMT_OPENKEYEDMUTEX2 opening2(D3DKMT_HANDLE global, void* data, UINT bytes) {
  D3DKMT_OPENKEYEDMUTEX2 args = {.hSharedHandle = global};
  args.pPrivateRuntimeData = data;
  args.PrivateRuntimeDataSize = bytes;
  return args;
}

static NTSTATUS create2(D3DKMT_CREATEKEYEDMUTEX2* args, void* data, UINT bytes) {
  memset(args, 0, sizeof(*args));
  args->pPrivateRuntimeData = data;
  args->PrivateRuntimeDataSize = bytes;
  return D3DKMTCreateKeyedMutex2(args);
}

static void test_life(void) {
  behaviour("K1");
  D3DKMT_CREATEKEYEDMUTEX create = {0};
  CHECK_STATUS(D3DKMTCreateKeyedMutex(NULL), IP);
  CHECK_STATUS(D3DKMTCreateKeyedMutex(&create), OK);
  CHECK_NEXT(create.hKeyedMutex);
  CHECK(is_global(create.hSharedHandle));
  behaviour("K2");
  D3DKMT_HANDLE opened = 0;
  CHECK_STATUS(open1(0, &opened), IP);
  opened = create.hKeyedMutex;
  CHECK_STATUS(open1(0, &opened), IP);
  CHECK_STATUS(open1(create.hSharedHandle, &opened), OK);
  CHECK_NEXT(opened);
  behaviour("K3");
  CHECK_STATUS(destroy_mutex(0), IP);
  CHECK_STATUS(destroy_mutex(create.hSharedHandle), IP);
  CHECK_STATUS(destroy_mutex(opened), OK);
  CHECK_STATUS(destroy_mutex(opened), IP);
  CHECK_STATUS(destroy_mutex(create.hKeyedMutex), OK);
  CHECK_STATUS(open1(create.hSharedHandle, &opened), IP);
  behaviour("K4");
  D3DKMT_CREATEKEYEDMUTEX2 first, second;
  CHECK_STATUS(D3DKMTCreateKeyedMutex2(NULL), IP);
  CHECK_STATUS(create2(&first, NULL, 0), OK);
  CHECK_NEXT(first.hKeyedMutex);
  CHECK_STATUS(create2(&second, NULL, 0), OK);
  CHECK_NEXT(second.hKeyedMutex);
  CHECK(is_global(first.hSharedHandle) && is_global(second.hSharedHandle));
  CHECK(first.hSharedHandle != second.hSharedHandle);
  D3DKMT_OPENKEYEDMUTEX2 open = opening2(0, NULL, 0);
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), IP);
  open.hKeyedMutex = first.hKeyedMutex;
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), IP);
  open = opening2(first.hSharedHandle, NULL, 0);
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), OK);
  CHECK_NEXT(open.hKeyedMutex);
  behaviour("K5");
  CHECK_STATUS(destroy_mutex(first.hKeyedMutex), OK);
  CHECK_STATUS(destroy_mutex(second.hKeyedMutex), OK);
  CHECK_STATUS(destroy_mutex(open.hKeyedMutex), OK);
}

static void test_data(void) {
  uint8_t data[6] = {1, 2, 3, 4, 5, 6}, buffer[64];
  D3DKMT_CREATEKEYEDMUTEX2 without, with;
  memset(buffer, 0xCD, sizeof(buffer));
  behaviour("K6");
  CHECK_STATUS(create2(&without, NULL, 0), OK);
  D3DKMT_OPENKEYEDMUTEX2 open = opening2(without.hSharedHandle, NULL, 64);
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), IP);
  open = opening2(without.hSharedHandle, buffer, 64);
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), OK);
  CHECK(open.PrivateRuntimeDataSize == 64);
  CHECK_STATUS(destroy_mutex(open.hKeyedMutex), OK);
  CHECK_STATUS(destroy_mutex(without.hKeyedMutex), OK);
  behaviour("K7");
  CHECK_STATUS(create2(&with, data, sizeof(data)), OK);
  open = opening2(with.hSharedHandle, NULL, 0);
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), OK);
  CHECK(open.PrivateRuntimeDataSize == 0);
  CHECK_STATUS(destroy_mutex(open.hKeyedMutex), OK);
  open = opening2(with.hSharedHandle, NULL, 64);
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), IP);
  open = opening2(with.hSharedHandle, buffer, 5);
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), IP);
  open = opening2(with.hSharedHandle, buffer, 6);
  CHECK_STATUS(D3DKMTOpenKeyedMutex2(&open), OK);
  CHECK(open.PrivateRuntimeDataSize == 6 && buffer[0] == 0xCD);
  CHECK_STATUS(destroy_mutex(open.hKeyedMutex), OK);
  CHECK_STATUS(destroy_mutex(with.hKeyedMutex), OK);
  behaviour("K8");
  D3DKMT_CREATEKEYEDMUTEX2 secure = {0};
  secure.Flags.NtSecuritySharing = 1;
  CHECK_STATUS(D3DKMTCreateKeyedMutex2(&secure), OK);
  CHECK(is_local(secure.hKeyedMutex) && secure.hSharedHandle == 0);
  CHECK_STATUS(destroy_mutex(secure.hKeyedMutex), OK);
}

static NTSTATUS acquire(D3DKMT_HANDLE mutex, UINT64 key, UINT64* fence, LONGLONG milliseconds) {
  LARGE_INTEGER timeout = {.QuadPart = -10000 * milliseconds};
  D3DKMT_ACQUIREKEYEDMUTEX args = {.hKeyedMutex = mutex, .Key = key, .pTimeout = &timeout, .FenceValue = *fence};
  NTSTATUS status = D3DKMTAcquireKeyedMutex(&args);
  CHECK(args.Key == key);
  *fence = args.FenceValue;
  return status;
}
static NTSTATUS release(D3DKMT_HANDLE mutex, UINT64 key, UINT64 fence) {
  D3DKMT_RELEASEKEYEDMUTEX args = {.hKeyedMutex = mutex, .Key = key, .FenceValue = fence};
  NTSTATUS status = D3DKMTReleaseKeyedMutex(&args);
  CHECK(args.Key == key && args.FenceValue == fence);
  return status;
}

typedef struct {
  D3DKMT_HANDLE mutex;
  NTSTATUS status;
  UINT64 fence;
} WAITER;
static void* wait_for_mutex(void* waiter_of) {
  WAITER* waiter = waiter_of;
  waiter->fence = POISON;
  waiter->status = acquire(waiter->mutex, 0, &waiter->fence, 60000);
  return NULL;
}

static void test_ownership(void) {
  D3DKMT_CREATEKEYEDMUTEX create = {0};
  CHECK_STATUS(D3DKMTCreateKeyedMutex(&create), OK);
  D3DKMT_HANDLE mutex = create.hKeyedMutex;
  UINT64 fence = 7;
  behaviour("K9");
  CHECK_STATUS(D3DKMTAcquireKeyedMutex(NULL), IP);
  CHECK_STATUS(acquire(POISON, 0, &fence, 0), IP);
  CHECK(fence == 7);
  behaviour("K10");
  CHECK_STATUS(acquire(mutex, 0xdeadbeef, &fence, 10), STATUS_TIMEOUT);
  CHECK(fence == 0);
  fence = 7;
  CHECK_STATUS(acquire(mutex, 0, &fence, 10), OK);
  CHECK(fence == 0);
  behaviour("K11");
  CHECK_STATUS(D3DKMTReleaseKeyedMutex(NULL), IP);
  CHECK_STATUS(release(POISON, 1, 1234), IP);
  CHECK_STATUS(release(mutex, 1, 1234), OK);
  CHECK_STATUS(release(mutex, 1, 1234), IP);
  behaviour("K12");
  fence = 7;
  CHECK_STATUS(acquire(mutex, 0, &fence, 10), STATUS_TIMEOUT);
  CHECK(fence == 0);
  CHECK_STATUS(acquire(mutex, 1, &fence, 10), OK);
  CHECK(fence == 1234);
  behaviour("K13");
  CHECK_STATUS(release(mutex, 0, 0), OK);
  CHECK_STATUS(acquire(mutex, 0, &fence, 10), OK);
  CHECK(fence == 0);
  behaviour("K14");
  D3DKMT_HANDLE opened = 0;
  CHECK_STATUS(open1(create.hSharedHandle, &opened), OK);
  WAITER waiter = {.mutex = opened};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_for_mutex, &waiter) == 0);
  CHECK_STATUS(destroy_mutex(mutex), OK);
  pthread_join(thread, NULL);
  CHECK_STATUS(waiter.status, STATUS_ABANDONED);
  fence = 7;
  CHECK_STATUS(acquire(opened, 5, &fence, 0), STATUS_ABANDONED);
  CHECK(fence == 0);
  CHECK_STATUS(destroy_mutex(opened), OK);
}

void test_keyed_mutexes(void) {
  D3DKMT_CREATEKEYEDMUTEX probe = {0};
  CHECK_STATUS(D3DKMTCreateKeyedMutex(&probe), OK);
  g_last = probe.hKeyedMutex;
  CHECK_STATUS(destroy_mutex(probe.hKeyedMutex), OK);
  test_life();
  test_data();
  test_ownership();
}
