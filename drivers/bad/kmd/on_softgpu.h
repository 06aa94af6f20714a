// The good driver ../../softgpu/kmd, for the wrong ones to stand on that need hardware which runs commands. They are
// linked with its objects, and its call of DxgkInitialize comes here (-Wl,--wrap). Each of them includes this file and
// defines Replace, which puts functions of its own into the driver's table; what stood there is still in Good. A driver
// that gets one thing wrong gets it right when FIXED is defined.
#pragma once

#include <dispmprt.h>
#include <ntddk.h>

#include "softgpu_regs.h"

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table);

static DRIVER_INITIALIZATION_DATA Good;

NTSTATUS __real_DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                               PDRIVER_INITIALIZATION_DATA Table);

NTSTATUS __wrap_DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                               PDRIVER_INITIALIZATION_DATA Table) {
  Good = *Table;
  Replace(Table);
  return __real_DxgkInitialize(DriverObject, RegistryPath, Table);
}
