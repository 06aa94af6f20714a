// Interfaces by which the driver serves a panel: brightness, the I2C bus, and wireless (Miracast) displays.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"
#include "wdm.h"

DEFINE_GUID(GUID_DEVINTERFACE_I2C, 0x2564aa4f, 0xdddb, 0x4495, 0xb4, 0x97, 0x6a, 0xd4, 0xa8, 0x41, 0x63, 0xd7);
DEFINE_GUID(GUID_DEVINTERFACE_BRIGHTNESS, 0xfde5bba4, 0xb3f9, 0x46fb, 0xbd, 0xaa, 0x07, 0x28, 0xce, 0x31, 0x00, 0xb4);

#define DXGK_I2C_INTERFACE_VERSION_1 0x01
#define DXGK_BRIGHTNESS_INTERFACE_VERSION_1 0x01
#define DXGK_BRIGHTNESS_INTERFACE_VERSION_2 0x02
#define DXGK_BRIGHTNESS_INTERFACE_VERSION_3 0x03
#define DXGK_MIRACAST_DISPLAY_INTERFACE_VERSION_1 0x01

// The values are ours: the documentation gives only the names.
#define I2C_NO_FLAGS 0x0
#define I2C_DEVICE_TRANSMITS_DATA_LENGTH 0x1

typedef struct _DXGK_MIRACAST_CAPS {
  ULONG MaxChunkPrivateDriverDataSize;
  union {
    struct {
      UINT HdcpSupport : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  } Flags;
} DXGK_MIRACAST_CAPS, *PDXGK_MIRACAST_CAPS;

EXTERN_C_START
typedef NTSTATUS (*DXGKDDI_I2C_TRANSMIT_DATA_TO_DISPLAY)(PVOID MiniportDeviceContext,
                                                         D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
                                                         ULONG SevenBitI2CAddress, ULONG DataLength, const PVOID Data);
typedef NTSTATUS (*DXGKDDI_I2C_RECEIVE_DATA_FROM_DISPLAY)(PVOID MiniportDeviceContext,
                                                          D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
                                                          ULONG SevenBitI2CAddress, ULONG Flags, ULONG DataLength,
                                                          PVOID Data);

typedef NTSTATUS (*DXGK_BRIGHTNESS_GET_POSSIBLE)(PVOID Context, ULONG BufferSize, PUCHAR LevelCount,
                                                 PUCHAR BrightnessLevels);
typedef NTSTATUS (*DXGK_BRIGHTNESS_SET)(PVOID Context, UCHAR Brightness);
typedef NTSTATUS (*DXGK_BRIGHTNESS_GET)(PVOID Context, PUCHAR Brightness);
typedef NTSTATUS (*DXGK_BRIGHTNESS_GET_CAPS)(PVOID Context, DXGK_BRIGHTNESS_CAPS* BrightnessCaps);
typedef NTSTATUS (*DXGK_BRIGHTNESS_SET_STATE)(PVOID Context, DXGK_BRIGHTNESS_STATE* BrightnessState);
typedef NTSTATUS (*DXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION)(PVOID Context,
                                                               DXGK_BACKLIGHT_OPTIMIZATION_LEVEL OptimizationLevel);
typedef NTSTATUS (*DXGK_BRIGHTNESS_GET_BACKLIGHT_REDUCTION)(PVOID Context, DXGK_BACKLIGHT_INFO* BacklightInfo);
typedef NTSTATUS (*DXGK_BRIGHTNESS_SET_3)(PVOID Context, ULONG ChildUid, PDXGK_BRIGHTNESS_SET_IN pIn);
typedef NTSTATUS (*DXGK_BRIGHTNESS_GET_3)(PVOID Context, ULONG ChildUid, PDXGK_BRIGHTNESS_GET_OUT pOut);
typedef NTSTATUS (*DXGK_BRIGHTNESS_GET_CAPS_3)(PVOID Context, ULONG ChildUid, DXGK_BRIGHTNESS_CAPS* pBrightnessCaps);
typedef NTSTATUS (*DXGK_BRIGHTNESS_GET_NIT_RANGES)(PVOID Context, ULONG ChildUid,
                                                   PDXGK_BRIGHTNESS_GET_NIT_RANGES_OUT pOut);
typedef NTSTATUS (*DXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION_3)(PVOID Context, ULONG ChildUid,
                                                                 DXGK_BACKLIGHT_OPTIMIZATION_LEVEL OptimizationLevel);

typedef VOID (*DXGKCB_MIRACAST_SEND_MESSAGE_CALLBACK)(PVOID CallbackContext, PIO_STATUS_BLOCK pIoStatusBlock);
typedef NTSTATUS (*DXGKCB_MIRACAST_SEND_MESSAGE)(HANDLE MiracastHandle, ULONG InputBufferSize, VOID* pInputBuffer,
                                                 ULONG OutBufferSize, VOID* pOutputBuffer,
                                                 DXGKCB_MIRACAST_SEND_MESSAGE_CALLBACK pCallback,
                                                 PVOID pCallbackContext);
typedef NTSTATUS (*DXGKCB_MIRACAST_REPORT_CHUNK_INFO)(HANDLE MiracastHandle, DXGK_MIRACAST_CHUNK_INFO* pChunkInfo,
                                                      PVOID pPrivateDriverData, UINT PrivateDataDriverSize);
EXTERN_C_END

typedef struct _DXGK_MIRACAST_DISPLAY_CALLBACKS {
  HANDLE MiracastHandle;
  DXGKCB_MIRACAST_SEND_MESSAGE DxgkCbMiracastSendMessage;
  DXGKCB_MIRACAST_REPORT_CHUNK_INFO DxgkCbReportChunkInfo;
} DXGK_MIRACAST_DISPLAY_CALLBACKS, *PDXGK_MIRACAST_DISPLAY_CALLBACKS;

EXTERN_C_START
typedef NTSTATUS (*DXGKDDI_MIRACAST_QUERY_CAPS)(PVOID DriverContext, ULONG MiracastCapsSize,
                                                DXGK_MIRACAST_CAPS* MiracastCaps);
typedef NTSTATUS (*DXGKDDI_MIRACAST_CREATE_CONTEXT)(PVOID DriverContext,
                                                    DXGK_MIRACAST_DISPLAY_CALLBACKS* MiracastCallbacks,
                                                    PVOID* MiracastContext, ULONG* TargetId);
typedef NTSTATUS (*DXGKDDI_MIRACAST_HANDLE_IO_CONTROL)(PVOID DriverContext, PVOID MiracastContext,
                                                       ULONG InputBufferSize, VOID* pInputBuffer, ULONG OutBufferSize,
                                                       VOID* pOutputBuffer, ULONG* BytesReturned);
typedef VOID (*DXGKDDI_MIRACAST_DESTROY_CONTEXT)(PVOID DriverContext, PVOID MiracastContext);
EXTERN_C_END

typedef struct _DXGK_I2C_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGKDDI_I2C_TRANSMIT_DATA_TO_DISPLAY DxgkDdiI2CTransmitDataToDisplay;
  DXGKDDI_I2C_RECEIVE_DATA_FROM_DISPLAY DxgkDdiI2CReceiveDataFromDisplay;
} DXGK_I2C_INTERFACE, *PDXGK_I2C_INTERFACE;

typedef struct {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGK_BRIGHTNESS_GET_POSSIBLE GetPossibleBrightness;
  DXGK_BRIGHTNESS_SET SetBrightness;
  DXGK_BRIGHTNESS_GET GetBrightness;
} DXGK_BRIGHTNESS_INTERFACE, *PDXGK_BRIGHTNESS_INTERFACE;

typedef struct {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGK_BRIGHTNESS_GET_POSSIBLE GetPossibleBrightness;
  DXGK_BRIGHTNESS_SET SetBrightness;
  DXGK_BRIGHTNESS_GET GetBrightness;
  DXGK_BRIGHTNESS_GET_CAPS GetBrightnessCaps;
  DXGK_BRIGHTNESS_SET_STATE SetBrightnessState;
  DXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION SetBacklightOptimization;
  DXGK_BRIGHTNESS_GET_BACKLIGHT_REDUCTION GetBacklightReduction;
} DXGK_BRIGHTNESS_INTERFACE_2, *PDXGK_BRIGHTNESS_INTERFACE_2;

typedef struct {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGK_BRIGHTNESS_SET_3 SetBrightness;
  DXGK_BRIGHTNESS_GET_3 GetBrightness;
  DXGK_BRIGHTNESS_GET_CAPS_3 GetBrightnessCaps;
  DXGK_BRIGHTNESS_GET_NIT_RANGES GetNitRanges;
  DXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION_3 SetBacklightOptimization;
} DXGK_BRIGHTNESS_INTERFACE_3, *PDXGK_BRIGHTNESS_INTERFACE_3;

typedef struct _DXGK_MIRACAST_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGKDDI_MIRACAST_QUERY_CAPS DxgkDdiMiracastQueryCaps;
  DXGKDDI_MIRACAST_CREATE_CONTEXT DxgkDdiMiracastCreateContext;
  DXGKDDI_MIRACAST_HANDLE_IO_CONTROL DxgkDdiMiracastIoControl;
  DXGKDDI_MIRACAST_DESTROY_CONTEXT DxgkDdiMiracastDestroyContext;
} DXGK_MIRACAST_DISPLAY_INTERFACE, *PDXGK_MIRACAST_DISPLAY_INTERFACE;
