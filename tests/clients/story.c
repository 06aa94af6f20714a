/* A client of many stories: `story NAME`. Linked against libdxcore.so. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "client.h"

enum { kBytes = 65536 };

static D3DKMT_HANDLE g_adapter, g_device;

static void open_all(void) {
  g_adapter = open_first_adapter();
  g_device = make_device(g_adapter);
}

static void close_all(void) {
  destroy_device(g_device);
  close_adapter(g_adapter);
}

/* Uses everything and leaves nothing. */
static int tidy(void) {
  open_all();
  destroy_allocation(g_device, make_allocation(g_device, kBytes));
  close_all();
  return 0;
}

static void __attribute__((noinline)) forget_allocations(void) {
  for (int i = 0; i < 3; ++i) make_allocation(g_device, kBytes);
}

static int leak(void) {
  open_all();
  forget_allocations();
  return 0;
}

/* Breaks a rule of the documents that Windows lets pass: a standard allocation that is not for other adapters. */
static int __attribute__((noinline)) break_a_rule(void) {
  D3DKMT_CREATESTANDARDALLOCATION standard = {0};
  standard.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
  standard.ExistingHeapData.Size = kBytes;
  D3DDDI_ALLOCATIONINFO2 info = {0};
  info.pSystemMem = aligned_alloc(4096, kBytes);
  D3DKMT_CREATEALLOCATION create = {0};
  create.hDevice = g_device;
  create.NumAllocations = 1;
  create.pStandardAllocation = &standard;
  create.pAllocationInfo2 = &info;
  create.Flags.StandardAllocation = 1;
  create.Flags.ExistingSysMem = 1;
  MUST(D3DKMTCreateAllocation2(&create) == STATUS_SUCCESS);
  destroy_allocation(g_device, info.hAllocation);
  return 0;
}

static int unruly(void) {
  open_all();
  break_a_rule();
  close_all();
  return 0;
}

static int refused(void) {
  open_all();
  D3DKMT_CREATEDEVICE create = {0};
  create.hAdapter = 0x1EADBEED;
  for (int i = 0; i < 2; ++i) MUST(D3DKMTCreateDevice(&create) == STATUS_INVALID_PARAMETER);
  /* Memory that is not there is refused as well, and the process goes on. */
  MUST(D3DKMTCreateDevice((D3DKMT_CREATEDEVICE*)(uintptr_t)0x123000) == STATUS_INVALID_PARAMETER);
  close_all();
  return 0;
}

static pthread_barrier_t g_both_have_one;

static void* work(void* unused) {
  (void)unused;
  for (int i = 0; i < 50; ++i) {
    D3DKMT_HANDLE device = make_device(g_adapter);
    if (i == 0) pthread_barrier_wait(&g_both_have_one);
    destroy_allocation(device, make_allocation(device, kBytes));
    destroy_device(device);
  }
  return NULL;
}

static int threads(void) {
  g_adapter = open_first_adapter();
  MUST(pthread_barrier_init(&g_both_have_one, NULL, 2) == 0);
  pthread_t two[2];
  for (int i = 0; i < 2; ++i) MUST(pthread_create(&two[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 2; ++i) MUST(pthread_join(two[i], NULL) == 0);
  close_adapter(g_adapter);
  return 0;
}

/* The child has nothing of its parent, and its end leaves the parent alone. */
static int fork_story(void) {
  open_all();
  pid_t child = fork();
  if (child == 0) {
    D3DKMT_DESTROYDEVICE destroy = {g_device};
    MUST(D3DKMTDestroyDevice(&destroy) == STATUS_INVALID_HANDLE);
    D3DKMT_ENUMADAPTERS2 list = {0};
    MUST(D3DKMTEnumAdapters2(&list) == STATUS_INVALID_HANDLE);
    exit(0);
  }
  int status = -1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
  close_all();
  return 0;
}

/* A fork before the first call: child and parent have a kernel each. */
static int fork_first(void) {
  pid_t child = fork();
  tidy();
  if (child == 0) exit(0);
  int status = -1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}

static int exit_in_the_middle(void) {
  open_all();
  exit(7);
}

static void clean_up(void) { close_all(); }

/* The exit handler was there before the first call, and has the last word. */
static int exit_handler(void) {
  atexit(clean_up);
  open_all();
  return 0;
}

static int abort_story(void) {
  open_all();
  abort();
}

static int killed(void) {
  open_all();
  kill(getpid(), SIGKILL);
  return 0;
}

static int leave_at_once(void) {
  open_all();
  _exit(0);
}

/* A thread that will not come out of its call. */
static D3DKMT_HANDLE g_mutex;
static _Atomic pid_t g_waiting; /* the thread that is about to */
static void* wait_for_ever(void* unused) {
  D3DKMT_ACQUIREKEYEDMUTEX acquire = {0};
  acquire.hKeyedMutex = g_mutex;
  acquire.Key = 1; /* it is never released to that key */
  (void)unused;
  g_waiting = gettid();
  D3DKMTAcquireKeyedMutex(&acquire);
  return NULL;
}

static int sleeps(pid_t thread) {
  char path[64], state = 0;
  snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
  FILE* file = fopen(path, "r");
  MUST(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
  fclose(file);
  return state == 'S';
}

static int stuck_thread(void) {
  open_all();
  D3DKMT_CREATEKEYEDMUTEX create = {0};
  MUST(D3DKMTCreateKeyedMutex(&create) == STATUS_SUCCESS);
  g_mutex = create.hKeyedMutex;
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
  while (!g_waiting || !sleeps(g_waiting)) sched_yield();
  return 0;
}

static volatile sig_atomic_t g_faults;
static void on_fault(int signal_number) {
  (void)signal_number;
  ++g_faults;
  _exit(g_faults == 1 ? 42 : 43);
}

/* The client's own fault, with a handler of its own from before the first call. */
static int own_fault(void) {
  signal(SIGSEGV, on_fault);
  open_all();
  volatile uintptr_t nowhere = 8; /* the compiler is not to see it coming */
  *(volatile int*)nowhere = 1;
  return 0;
}

/* The names in a client have four bytes a character, in the structures of our own headers too. */
static int names(void) {
  _Static_assert(sizeof(WCHAR) == sizeof(wchar_t) && sizeof(D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME) == 144,
                 "as Microsoft's headers for Linux have it");
  D3DKMT_OPENADAPTERFROMDEVICENAME by_name = {0};
  by_name.pDeviceName = L"\\\\?\\SoftGPU#{1ca05180-a699-450a-9a0c-de4fbe3ddd89}";
  MUST(D3DKMTOpenAdapterFromDeviceName(&by_name) == STATUS_SUCCESS);
  D3DKMT_DRIVER_DESCRIPTION description;
  D3DKMT_QUERYADAPTERINFO query = {by_name.hAdapter, KMTQAITYPE_DRIVER_DESCRIPTION, &description, sizeof(description)};
  MUST(D3DKMTQueryAdapterInfo(&query) == STATUS_SUCCESS);
  printf("description: %ls\n", description.DriverDescription);
  query.PrivateDriverDataSize /= 2; /* what it would be on Windows */
  MUST(D3DKMTQueryAdapterInfo(&query) == STATUS_INVALID_PARAMETER);
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME display = {.DeviceName = L"\\\\.\\DISPLAY1"}; /* softgpu has none */
  MUST(D3DKMTOpenAdapterFromGdiDisplayName(&display) == STATUS_UNSUCCESSFUL);
  close_adapter(by_name.hAdapter);
  return 0;
}

/* An object that is shared under a name is found by it, whatever the case of its letters. */
static int shared_name(void) {
  open_all();
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {0};
  create.hDevice = g_device;
  create.Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX;
  create.Info.Flags.Shared = create.Info.Flags.NtSecuritySharing = 1;
  MUST(D3DKMTCreateSynchronizationObject2(&create) == STATUS_SUCCESS);
  static WCHAR text[] = L"\\BaseNamedObjects\\Drydock", other_case[] = L"\\BaseNamedObjects\\DRYDOCK";
  UNICODE_STRING name = {sizeof(text) - sizeof(WCHAR), sizeof(text), text};
  UNICODE_STRING searched = {sizeof(other_case) - sizeof(WCHAR), sizeof(other_case), other_case};
  OBJECT_ATTRIBUTES attributes = {sizeof(attributes), NULL, &name, 0, NULL, NULL};
  HANDLE shared = NULL;
  MUST(D3DKMTShareObjects(1, &create.hSyncObject, &attributes, 0x10000000, &shared) == STATUS_SUCCESS);
  attributes.ObjectName = &searched;
  D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME open = {0};
  open.dwDesiredAccess = 0x10000000;
  open.pObjAttrib = &attributes;
  MUST(D3DKMTOpenSyncObjectNtHandleFromName(&open) == STATUS_SUCCESS);
  MUST(close((int)(intptr_t)open.hNtHandle) == 0 && close((int)(intptr_t)shared) == 0);
  D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {create.hSyncObject};
  MUST(D3DKMTDestroySynchronizationObject(&destroy) == STATUS_SUCCESS);
  close_all();
  return 0;
}

/* A shared object goes with the last copy of its handle, which is a file descriptor. */
static int shared_handle(void) {
  open_all();
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {0};
  create.hDevice = g_device;
  create.Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX;
  create.Info.Flags.Shared = 1;
  create.Info.Flags.NtSecuritySharing = 1;
  MUST(D3DKMTCreateSynchronizationObject2(&create) == STATUS_SUCCESS);
  HANDLE shared = NULL;
  OBJECT_ATTRIBUTES attributes = {sizeof(attributes), NULL, NULL, 0, NULL, NULL};
  MUST(D3DKMTShareObjects(1, &create.hSyncObject, &attributes, 0x10000000, &shared) == STATUS_SUCCESS);
  D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {create.hSyncObject};
  MUST(D3DKMTDestroySynchronizationObject(&destroy) == STATUS_SUCCESS);

  int copy = dup((int)(intptr_t)shared);
  MUST(close((int)(intptr_t)shared) == 0);
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE open = {(HANDLE)(intptr_t)copy, 0};
  MUST(D3DKMTOpenSyncObjectFromNtHandle(&open) == STATUS_SUCCESS);
  D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy_opened = {open.hSyncObject};
  MUST(D3DKMTDestroySynchronizationObject(&destroy_opened) == STATUS_SUCCESS);
  MUST(close(copy) == 0);
  MUST(D3DKMTOpenSyncObjectFromNtHandle(&open) == STATUS_INVALID_HANDLE);
  close_all();
  return 0;
}

static int nothing(void) { return 0; }

static const struct {
  const char* name;
  int (*tell)(void);
} kStories[] = {
    {"tidy", tidy},
    {"leak", leak},
    {"refused", refused},
    {"unruly", unruly},
    {"threads", threads},
    {"fork", fork_story},
    {"fork-first", fork_first},
    {"exit", exit_in_the_middle},
    {"exit-handler", exit_handler},
    {"abort", abort_story},
    {"killed", killed},
    {"leave-at-once", leave_at_once},
    {"stuck-thread", stuck_thread},
    {"own-fault", own_fault},
    {"names", names},
    {"shared-handle", shared_handle},
    {"shared-name", shared_name},
    {"nothing", nothing},
};

int main(int argc, char** argv) {
  for (size_t i = 0; argc == 2 && i < sizeof(kStories) / sizeof(kStories[0]); ++i) {
    if (strcmp(argv[1], kStories[i].name) == 0) return kStories[i].tell();
  }
  fprintf(stderr, "story: there is no such story\n");
  return 98;
}
