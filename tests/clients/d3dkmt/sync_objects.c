/* Synchronization objects (2.3). S20, which takes two processes on one kernel, is tested in src/kmt. */
#include <poll.h>
#include <sys/eventfd.h>

#include "oracle.h"

static NTSTATUS create1(D3DKMT_HANDLE device, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, D3DKMT_HANDLE* made) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT args = {.hDevice = device};
  args.Info.Type = type;
  args.hSyncObject = POISON;
  NTSTATUS status = D3DKMTCreateSynchronizationObject(&args);
  *made = args.hSyncObject;
  return status;
}

static D3DKMT_CREATESYNCHRONIZATIONOBJECT2 describe2(D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args = {.hDevice = g_device};
  args.Info.Type = type;
  args.Info.SharedHandle = POISON;
  return args;
}

static void test_first_version(void) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT zeroed = {0};
  D3DKMT_HANDLE a, b, c;
  behaviour("S1");
  CHECK_STATUS(D3DKMTCreateSynchronizationObject(NULL), IP);
  behaviour("S2");
  CHECK_STATUS(D3DKMTCreateSynchronizationObject(&zeroed), IP);
  behaviour("S3");
  CHECK_STATUS(create1(g_device, (D3DDDI_SYNCHRONIZATIONOBJECT_TYPE)0, &a), IP);
  CHECK(a == POISON);
  behaviour("S4");
  CHECK_STATUS(create1(0, D3DDDI_SYNCHRONIZATION_MUTEX, &a), IP);
  behaviour("S5");
  CHECK_STATUS(create1(g_device, D3DDDI_SYNCHRONIZATION_MUTEX, &a), OK);
  CHECK_NEXT(a);
  behaviour("S6");
  CHECK_STATUS(create1(g_device, D3DDDI_SYNCHRONIZATION_MUTEX, &b), OK);
  CHECK_NEXT(b);
  behaviour("S7");
  CHECK_STATUS(create1(g_device, D3DDDI_SEMAPHORE, &c), OK);
  CHECK_NEXT(c);
  behaviour("S8");
  D3DKMT_HANDLE none;
  CHECK_STATUS(create1(g_device, D3DDDI_FENCE, &none), IP);
  behaviour("S9");
  CHECK_STATUS(destroy_sync(a), OK);
  CHECK_STATUS(destroy_sync(a), IP);
  CHECK_STATUS(destroy_sync(b), OK);
  CHECK_STATUS(destroy_sync(c), OK);
}

static void test_second_version(void) {
  behaviour("S10");
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 zeroed = {0}, of_no_type = {.hDevice = g_device};
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 of_no_device = describe2(D3DDDI_SYNCHRONIZATION_MUTEX);
  of_no_device.hDevice = 0;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(NULL), IP);
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&zeroed), IP);
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&of_no_type), IP);
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&of_no_device), IP);
  behaviour("S11");
  const D3DDDI_SYNCHRONIZATIONOBJECT_TYPE types[] = {D3DDDI_SYNCHRONIZATION_MUTEX, D3DDDI_SEMAPHORE, D3DDDI_FENCE,
                                                     D3DDDI_MONITORED_FENCE};
  for (int i = 0; i < 4; ++i) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args = describe2(types[i]);
    CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&args), OK);
    CHECK_NEXT(args.hSyncObject);
    CHECK_STATUS(destroy_sync(args.hSyncObject), OK);
  }
  behaviour("S12");
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 notify = describe2(D3DDDI_CPU_NOTIFICATION);
  notify.Info.CPUNotification.Event = NULL;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&notify), IH);
  int event = eventfd(0, EFD_NONBLOCK);
  notify.Info.CPUNotification.Event = (HANDLE)(intptr_t)event;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&notify), OK);
  CHECK_NEXT(notify.hSyncObject);
  CHECK_STATUS(destroy_sync(notify.hSyncObject), OK);
  CHECK(close(event) == 0);
}

static NTSTATUS open_global(D3DKMT_HANDLE global, D3DKMT_HANDLE* opened) {
  D3DKMT_OPENSYNCHRONIZATIONOBJECT args = {.hSharedHandle = global, .hSyncObject = *opened};
  NTSTATUS status = D3DKMTOpenSynchronizationObject(&args);
  *opened = args.hSyncObject;
  return status;
}

static void test_global_handles(void) {
  behaviour("S13");
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 first = describe2(D3DDDI_SYNCHRONIZATION_MUTEX), second = first;
  first.Info.Flags.Shared = second.Info.Flags.Shared = 1;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&first), OK);
  CHECK_NEXT(first.hSyncObject);
  CHECK(is_global(first.Info.SharedHandle));
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&second), OK);
  CHECK_NEXT(second.hSyncObject);
  CHECK(is_global(second.Info.SharedHandle) && second.Info.SharedHandle != first.Info.SharedHandle);
  behaviour("S14");
  CHECK_STATUS(destroy_sync(first.Info.SharedHandle), IP);
  behaviour("S15");
  D3DKMT_HANDLE opened = POISON, again = POISON;
  CHECK_STATUS(open_global(POISON, &opened), IP);
  CHECK_STATUS(open_global(0, &opened), IP);
  opened = first.hSyncObject;
  CHECK_STATUS(open_global(0, &opened), IP);
  CHECK_STATUS(open_global(first.Info.SharedHandle, &opened), OK);
  CHECK_NEXT(opened);
  behaviour("S16");
  CHECK_STATUS(destroy_sync(opened), OK);
  CHECK_STATUS(destroy_sync(opened), IP);
  CHECK_STATUS(open_global(first.Info.SharedHandle, &again), OK);
  CHECK_NEXT(again);
  behaviour("S17");
  CHECK_STATUS(destroy_sync(again), OK);
  CHECK_STATUS(destroy_sync(first.hSyncObject), OK);
  CHECK_STATUS(open_global(first.Info.SharedHandle, &again), IP);
  CHECK_STATUS(destroy_sync(second.hSyncObject), OK);
  behaviour("S18");
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 secure = describe2(D3DDDI_SYNCHRONIZATION_MUTEX);
  secure.Info.Flags.NtSecuritySharing = 1;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&secure), IP);
  behaviour("S19");
  secure.Info.Flags.Shared = 1;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&secure), OK);
  CHECK_NEXT(secure.hSyncObject);
  CHECK(secure.Info.SharedHandle == POISON || secure.Info.SharedHandle == 0);
  CHECK_STATUS(destroy_sync(secure.hSyncObject), OK);
}

static int g_event;
static NTSTATUS wait_for(D3DKMT_HANDLE object, UINT64 value) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args = {
      .hDevice = g_device, .ObjectCount = 1, .ObjectHandleArray = &object, .FenceValueArray = &value};
  args.hAsyncEvent = (HANDLE)(intptr_t)g_event;
  return D3DKMTWaitForSynchronizationObjectFromCpu(&args);
}
static NTSTATUS signal_to(D3DKMT_HANDLE object, UINT64 value, UINT rewind) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args = {
      .hDevice = g_device, .ObjectCount = 1, .ObjectHandleArray = &object, .FenceValueArray = &value};
  args.Flags.AllowFenceRewind = rewind;
  return D3DKMTSignalSynchronizationObjectFromCpu(&args);
}
/* Whether the event was set; it is not any more. */
static int was_set(int milliseconds) {
  struct pollfd one = {.fd = g_event, .events = POLLIN};
  uint64_t count;
  return poll(&one, 1, milliseconds) == 1 && read(g_event, &count, sizeof(count)) == sizeof(count);
}

static void test_from_cpu(void) {
  g_event = eventfd(0, EFD_NONBLOCK);
  behaviour("S22");
  const D3DDDI_SYNCHRONIZATIONOBJECT_TYPE others[] = {D3DDDI_SYNCHRONIZATION_MUTEX, D3DDDI_SEMAPHORE, D3DDDI_FENCE};
  for (int i = 0; i < 3; ++i) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args = describe2(others[i]);
    CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&args), OK);
    CHECK_STATUS(wait_for(args.hSyncObject, 0), IP);
    CHECK_STATUS(signal_to(args.hSyncObject, 1, 0), IP);
    CHECK_STATUS(destroy_sync(args.hSyncObject), OK);
  }
  behaviour("S23");
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = describe2(D3DDDI_MONITORED_FENCE);
  fence.Info.MonitoredFence.InitialFenceValue = 1;
  CHECK_STATUS(D3DKMTCreateSynchronizationObject2(&fence), OK);
  for (UINT64 value = 0; value < 2; ++value) {
    CHECK_STATUS(wait_for(fence.hSyncObject, value), OK);
    CHECK(was_set(5000));
  }
  CHECK_STATUS(wait_for(fence.hSyncObject, 2), OK);
  CHECK(!was_set(0));
  behaviour("S24");
  CHECK_STATUS(signal_to(fence.hSyncObject, 2, 0), OK);
  CHECK(was_set(5000));
  CHECK_STATUS(signal_to(fence.hSyncObject, 1, 0), IP);
  CHECK_STATUS(signal_to(fence.hSyncObject, 1, 1), OK);
  CHECK_STATUS(wait_for(fence.hSyncObject, 2), OK);
  CHECK(!was_set(0));
  CHECK_STATUS(signal_to(fence.hSyncObject, 2, 0), OK);
  CHECK(was_set(5000));
  CHECK_STATUS(destroy_sync(fence.hSyncObject), OK);
  close(g_event);
}

void test_sync_objects(void) {
  D3DKMT_HANDLE probe;
  CHECK_STATUS(create1(g_device, D3DDDI_SYNCHRONIZATION_MUTEX, &probe), OK);
  g_last = probe;
  CHECK_STATUS(destroy_sync(probe), OK);
  test_first_version();
  test_second_version();
  test_global_handles();
  test_from_cpu();
}
