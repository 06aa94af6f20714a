// The display port driver's interface: how a display miniport driver registers, and what both sides call, by noun.
#pragma once
#pragma GCC system_header

#include "d3dkmddi.h"
#include "dispmprt_adapter.h"
#include "dispmprt_callback.h"
#include "dispmprt_child.h"
#include "dispmprt_diagnostic.h"
#include "dispmprt_displaystate.h"
#include "dispmprt_hwqueue.h"
#include "dispmprt_link.h"
#include "dispmprt_opm.h"
#include "dispmprt_panel.h"
#include "dispmprt_service.h"
#include "dispmprt_table.h"
#include "dispmprt_video.h"
#include "dispmprt_virtualgpu.h"
#include "wdm.h"

DEFINE_GUID(GUID_DEVINTERFACE_DISPLAY_ADAPTER, 0x5b45201d, 0xf2f2, 0x4f3b, 0x85, 0xbb, 0x30, 0xff, 0x1f, 0x95, 0x35,
            0x99);

#define _Function_class_DXGK_(param)
#define _IRQL_requires_DXGK_(param)
#define _Field_size_bytes_DXGK_(param)

EXTERN_C_START
NTSTATUS DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                        PDRIVER_INITIALIZATION_DATA DriverInitializationData);
NTSTATUS DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                         PKMDDOD_INITIALIZATION_DATA KmdDodInitializationData);
NTSTATUS DxgkUnInitialize(PDRIVER_OBJECT DriverObject);
EXTERN_C_END
