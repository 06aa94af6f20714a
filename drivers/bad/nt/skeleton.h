// A correct minimal driver, for the wrong ones to stand on. Each of them includes this file and defines Start, which
// DriverEntry calls, and Stop, which the unload routine calls when Start has succeeded. A driver that gets one thing
// wrong gets it right when FIXED is defined.
#pragma once

#include <ntddk.h>

#define BAD_TAG 'daBD'

// The device that every scenario has: a page of registers that keep what is written to them.
#define DEVICE_ADDRESS 0xF0000000
#define DEVICE_BYTES 4096
#define DEVICE_VECTOR 0x31
#define DEVICE_IRQL 5

// A count written to the second register makes the device zero that many bytes at the physical address in the first.
#define DEVICE_DMA_ADDRESS 0xFE0
#define DEVICE_DMA_BYTES 0xFE8

static NTSTATUS Start(VOID);
static VOID Stop(VOID);

static PDRIVER_OBJECT TheDriver;

static VOID Unload(PDRIVER_OBJECT DriverObject) {
  UNREFERENCED_PARAMETER(DriverObject);
  Stop();
}

DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  UNREFERENCED_PARAMETER(RegistryPath);
  TheDriver = DriverObject;
  DriverObject->DriverUnload = Unload;
  return Start();
}

// A thread of the driver. Thread receives a reference to it, for JoinThread.
static inline NTSTATUS StartThread(PKSTART_ROUTINE Routine, PVOID Context, PVOID* Thread) {
  OBJECT_ATTRIBUTES Attributes;
  HANDLE Handle;
  NTSTATUS Status;

  InitializeObjectAttributes(&Attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
  Status = PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, &Attributes, NULL, NULL, Routine, Context);
  if (!NT_SUCCESS(Status)) return Status;
  Status = ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, Thread, NULL);
  NT_ASSERT(NT_SUCCESS(Status));  // the handle is ours and open
  ZwClose(Handle);
  return STATUS_SUCCESS;
}

// Waits for a dispatcher object, for as long as it takes.
static inline VOID WaitFor(PVOID Object) { KeWaitForSingleObject(Object, Executive, KernelMode, FALSE, NULL); }

static inline VOID JoinThread(PVOID Thread) {
  WaitFor(Thread);
  ObDereferenceObject(Thread);
}

static inline LARGE_INTEGER Milliseconds(LONGLONG Count) {
  LARGE_INTEGER Relative;
  Relative.QuadPart = -10000 * Count;
  return Relative;
}

static inline VOID Sleep(LONGLONG Count) {
  LARGE_INTEGER Interval = Milliseconds(Count);
  KeDelayExecutionThread(KernelMode, FALSE, &Interval);
}

static inline PVOID MapDevice(VOID) {
  PHYSICAL_ADDRESS Address;
  Address.QuadPart = DEVICE_ADDRESS;
  return MmMapIoSpace(Address, DEVICE_BYTES, MmNonCached);
}
