/* What Windows was seen to answer to D3DKMT calls (Wine's conformance test, whose values these are), asked of whatever
 * driver lies below libdxcore.so. Each behaviour has a number; a number that failed is printed with the line. */
#ifndef D3DKMT_ORACLE_H
#define D3DKMT_ORACLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/shared/d3dkmthk.h"
#include "abi/shared/ntstatus.h"

#define POISON 0x1EADBEEDu
#define HEAP_BYTES 0x10000u
#define STANDARD_RIGHTS_READ 0x00020000u
#define STANDARD_RIGHTS_WRITE 0x00020000u
#define STANDARD_RIGHTS_ALL 0x001F0000u
#define GENERIC_ALL_ACCESS 0x10000000u

#define OK STATUS_SUCCESS
#define IP STATUS_INVALID_PARAMETER
#define IH STATUS_INVALID_HANDLE

extern int g_failed;
extern D3DKMT_HANDLE g_adapter, g_device, g_last;

/* A behaviour begins; what is checked from here on counts for it. */
void behaviour(const char* id);
void check_that(int holds, const char* what, int line);
void check_status(NTSTATUS got, NTSTATUS wanted, const char* call, int line);
#define CHECK(condition) check_that((condition) != 0, #condition, __LINE__)
#define CHECK_STATUS(call, wanted) check_status(call, wanted, #call, __LINE__)

/* A local handle (L), the one after the last that was asked about (seq, H1 to H3), a global one (G), an NT handle. */
static inline int is_local(D3DKMT_HANDLE handle) { return (handle & 0xC0000000u) && !(handle & 0x3F); }
static inline int is_global(D3DKMT_HANDLE handle) { return (handle & 0xC0000000u) && (handle & 0x3F) == 2; }
static inline int is_nt(HANDLE handle) { return handle && !((uintptr_t)handle & 0xC0000000u); }
void check_next(D3DKMT_HANDLE handle, int line);
#define CHECK_NEXT(handle) check_next(handle, __LINE__)

NTSTATUS destroy_sync(D3DKMT_HANDLE handle);
NTSTATUS destroy_mutex(D3DKMT_HANDLE handle);
NTSTATUS destroy_resource(D3DKMT_HANDLE resource);
NTSTATUS destroy_allocation(D3DKMT_HANDLE allocation);

/* The usual allocation: standard, over 64 KiB of the client's. */
typedef struct {
  D3DKMT_CREATEALLOCATION args;
  D3DKMT_CREATESTANDARDALLOCATION standard;
  D3DDDI_ALLOCATIONINFO info;
  D3DDDI_ALLOCATIONINFO2 info2;
} CREATION;
void describe(CREATION* creation);

/* A resource with 4 bytes of runtime data and 10 of the allocation's private data. */
typedef struct {
  D3DKMT_HANDLE resource, allocation, global;
} SHARED;
typedef enum { PRIVATE, BY_GLOBAL_HANDLE, BY_NT_HANDLE } SHARING;
SHARED create_shared(SHARING sharing);

typedef struct {
  OBJECT_ATTRIBUTES attributes;
  UNICODE_STRING name;
  WCHAR text[64];
} NAME;
OBJECT_ATTRIBUTES* named(NAME* name, const WCHAR* text); /* NULL: without a name */
NTSTATUS share(const D3DKMT_HANDLE* objects, UINT count, OBJECT_ATTRIBUTES* attributes, UINT access, HANDLE* nt);
static inline void close_nt(HANDLE handle) { close((int)(intptr_t)handle); }

void test_adapters(void);
void test_sync_objects(void);
void test_keyed_mutexes(void);
void test_allocations(void);
void test_resources(void);
void test_sharing(void);
void test_dxcore(void);

#endif
