// Intrusive lists: the inline doubly and singly linked ones, and the host's interlocked and SLIST calls.
#pragma once
#pragma GCC system_header

#include "wdm_types.h"

typedef ULONG_PTR KSPIN_LOCK, *PKSPIN_LOCK;

FORCEINLINE VOID InitializeListHead(PLIST_ENTRY head) { head->Flink = head->Blink = head; }

FORCEINLINE BOOLEAN IsListEmpty(const LIST_ENTRY* head) { return (BOOLEAN)(head->Flink == head); }

// Inconsistent neighbours are a corrupted list: RtlFailFast on Windows, a trap here.
FORCEINLINE VOID DrydockCheckList(const LIST_ENTRY* entry) {
  if (entry->Flink->Blink != entry || entry->Blink->Flink != entry) __builtin_trap();
}

FORCEINLINE BOOLEAN RemoveEntryList(PLIST_ENTRY entry) {
  PLIST_ENTRY next = entry->Flink;
  PLIST_ENTRY previous = entry->Blink;
  DrydockCheckList(entry);
  previous->Flink = next;
  next->Blink = previous;
  return (BOOLEAN)(next == previous);
}

// An empty list gives back its head, as documented.
FORCEINLINE PLIST_ENTRY RemoveHeadList(PLIST_ENTRY head) {
  PLIST_ENTRY entry = head->Flink;
  RemoveEntryList(entry);
  return entry;
}

FORCEINLINE PLIST_ENTRY RemoveTailList(PLIST_ENTRY head) {
  PLIST_ENTRY entry = head->Blink;
  RemoveEntryList(entry);
  return entry;
}

FORCEINLINE VOID InsertTailList(PLIST_ENTRY head, PLIST_ENTRY entry) {
  PLIST_ENTRY last = head->Blink;
  DrydockCheckList(head);
  entry->Flink = head;
  entry->Blink = last;
  last->Flink = entry;
  head->Blink = entry;
}

FORCEINLINE VOID InsertHeadList(PLIST_ENTRY head, PLIST_ENTRY entry) {
  PLIST_ENTRY first = head->Flink;
  DrydockCheckList(head);
  entry->Flink = first;
  entry->Blink = head;
  first->Blink = entry;
  head->Flink = entry;
}

FORCEINLINE VOID AppendTailList(PLIST_ENTRY head, PLIST_ENTRY to_append) {
  PLIST_ENTRY last = head->Blink;
  DrydockCheckList(head);
  DrydockCheckList(to_append);
  head->Blink->Flink = to_append;
  head->Blink = to_append->Blink;
  to_append->Blink->Flink = head;
  to_append->Blink = last;
}

FORCEINLINE PSINGLE_LIST_ENTRY PopEntryList(PSINGLE_LIST_ENTRY head) {
  PSINGLE_LIST_ENTRY first = head->Next;
  if (first != NULL) head->Next = first->Next;
  return first;
}

FORCEINLINE VOID PushEntryList(PSINGLE_LIST_ENTRY head, PSINGLE_LIST_ENTRY entry) {
  entry->Next = head->Next;
  head->Next = entry;
}

// SLIST_HEADER is opaque: the fields are ours. Entries must be 16-byte aligned, as documented for x64.
typedef struct _SLIST_ENTRY {
  DRYDOCK_ALIGN(16) struct _SLIST_ENTRY* Next;
} SLIST_ENTRY, *PSLIST_ENTRY;

typedef struct _SLIST_HEADER {
  DRYDOCK_ALIGN(16) PSLIST_ENTRY First;
  USHORT Depth;
  USHORT Reserved;
  ULONG Sequence;
} SLIST_HEADER, *PSLIST_HEADER;

EXTERN_C_START

PLIST_ENTRY ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock);
PLIST_ENTRY ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock);
PLIST_ENTRY ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock);
PSINGLE_LIST_ENTRY ExInterlockedPushEntryList(PSINGLE_LIST_ENTRY ListHead, PSINGLE_LIST_ENTRY ListEntry,
                                              PKSPIN_LOCK Lock);
PSINGLE_LIST_ENTRY ExInterlockedPopEntryList(PSINGLE_LIST_ENTRY ListHead, PKSPIN_LOCK Lock);

VOID InitializeSListHead(PSLIST_HEADER SListHead);
PSLIST_ENTRY ExInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry, PKSPIN_LOCK Lock);
PSLIST_ENTRY ExInterlockedPopEntrySList(PSLIST_HEADER ListHead, PKSPIN_LOCK Lock);
PSLIST_ENTRY ExInterlockedFlushSList(PSLIST_HEADER ListHead);
USHORT ExQueryDepthSList(PSLIST_HEADER SListHead);

LARGE_INTEGER ExInterlockedAddLargeInteger(PLARGE_INTEGER Addend, LARGE_INTEGER Increment, PKSPIN_LOCK Lock);
ULONG ExInterlockedAddUlong(PULONG Addend, ULONG Increment, PKSPIN_LOCK Lock);

EXTERN_C_END

#define ExInitializeSListHead InitializeSListHead
#define InterlockedPushEntrySList(head, entry) ExInterlockedPushEntrySList((head), (entry), NULL)
#define InterlockedPopEntrySList(head) ExInterlockedPopEntrySList((head), NULL)
#define InterlockedFlushSList(head) ExInterlockedFlushSList(head)
#define QueryDepthSList(head) ExQueryDepthSList(head)
