// Shared power components, for kernel drivers of other devices.
#pragma once
#pragma GCC system_header

#include "../km/wdm_power.h"
#include "d3dukmdt.h"

#define DXGK_GRAPHICSPOWER_VERSION 0x1002
#define DXGK_GRAPHICSPOWER_VERSION_1_0 0x1000
#define DXGK_GRAPHICSPOWER_VERSION_1_1 0x1001
#define DXGK_GRAPHICSPOWER_VERSION_1_2 0x1002
#define IOCTL_INTERNAL_GRAPHICSPOWER_REGISTER 0x232807

DEFINE_GUID(GUID_DEVINTERFACE_GRAPHICSPOWER, 0xea5c6870, 0xe93c, 0x4588, 0xbe, 0xf1, 0xfe, 0xc4, 0x2f, 0xc9, 0x42,
            0x9a);

typedef enum _DXGKMT_POWER_SHARED_TYPE {
  DXGKMT_POWER_SHARED_TYPE_AUDIO = 0,
} DXGKMT_POWER_SHARED_TYPE;

typedef void(APIENTRY* PDXGK_FSTATE_NOTIFICATION)(void* GraphicsDeviceHandle, UINT ComponentIndex, UINT NewFState,
                                                  BOOLEAN PreNotification, void* PrivateHandle);

typedef void(APIENTRY* PDXGK_INITIAL_COMPONENT_STATE)(void* GraphicsDeviceHandle, void* PrivateHandle,
                                                      UINT ComponentIndex, BOOLEAN IsBlockingType, UINT InitialFState,
                                                      GUID ComponentGuid, UINT PowerComponentMappingFlag);

typedef void(APIENTRY* PDXGK_POWER_NOTIFICATION)(void* GraphicsDeviceHandle, DEVICE_POWER_STATE NewGrfxPowerState,
                                                 BOOLEAN PreNotification, void* PrivateHandle);

typedef void(APIENTRY* PDXGK_REMOVAL_NOTIFICATION)(void* GraphicsDeviceHandle, void* PrivateHandle);

typedef struct _DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2 {
  UINT Version;
  void* PrivateHandle;
  PDXGK_POWER_NOTIFICATION PowerNotificationCb;
  PDXGK_REMOVAL_NOTIFICATION RemovalNotificationCb;
  PDXGK_FSTATE_NOTIFICATION FStateNotificationCb;
  PDXGK_INITIAL_COMPONENT_STATE InitialComponentStateCb;
} DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2, *PDXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2;

typedef NTSTATUS(APIENTRY* PDXGK_GRAPHICSPOWER_UNREGISTER)(void* DeviceHandle, void* PrivateHandle);

typedef NTSTATUS(APIENTRY* PDXGK_SET_SHARED_POWER_COMPONENT_STATE)(void* DeviceHandle, void* PrivateHandle,
                                                                   UINT ComponentIndex, BOOLEAN Active);

typedef struct _DXGK_GRAPHICSPOWER_REGISTER_OUTPUT {
  void* DeviceHandle;
  DEVICE_POWER_STATE InitialGrfxPowerState;
  PDXGK_SET_SHARED_POWER_COMPONENT_STATE SetSharedPowerComponentStateCb;
  PDXGK_GRAPHICSPOWER_UNREGISTER UnregisterCb;
} DXGK_GRAPHICSPOWER_REGISTER_OUTPUT, *PDXGK_GRAPHICSPOWER_REGISTER_OUTPUT;

typedef DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2 DXGK_GRAPHICSPOWER_REGISTER_INPUT, *PDXGK_GRAPHICSPOWER_REGISTER_INPUT;
