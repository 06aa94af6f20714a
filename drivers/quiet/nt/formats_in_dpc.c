// Makes a text in a DPC routine, with numbers and ANSI strings only: nothing in it has to be converted, and no table
// that may be paged out is needed. It is advised against, and no more.
#include <ntstrsafe.h>

#include "skeleton.h"

static KDPC Dpc;
static CHAR Text[48];
static NTSTATUS Made;

static VOID MakeText(PKDPC Unused, PVOID Context, PVOID First, PVOID Second) {
  UNREFERENCED_PARAMETER(Unused);
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(First);
  UNREFERENCED_PARAMETER(Second);
  Made = RtlStringCbPrintfA(Text, sizeof(Text), "%s %u: %08x", "unit", 1, 0xBEEF);
}

static NTSTATUS Start(VOID) {
  Made = STATUS_UNSUCCESSFUL;
  KeInitializeDpc(&Dpc, MakeText, NULL);
  KeInsertQueueDpc(&Dpc, NULL, NULL);
  KeFlushQueuedDpcs();
  return Made;
}

static VOID Stop(VOID) {}
