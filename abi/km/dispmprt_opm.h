// The output protection manager's interface to the driver, in all its versions.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"
#include "wdm.h"

DEFINE_GUID(GUID_DEVINTERFACE_OPM, 0xbf4672de, 0x6b4e, 0x4be4, 0xa3, 0x25, 0x68, 0xa9, 0x1e, 0xa4, 0x9c, 0x09);

#define DXGK_OPM_INTERFACE_VERSION_1 0x01
#define DXGK_OPM_INTERFACE_VERSION_2 0x02
#define DXGK_OPM_INTERFACE_VERSION_3 0x03

EXTERN_C_START
typedef NTSTATUS (*DXGKDDI_OPM_GET_CERTIFICATE_SIZE)(PVOID MiniportDeviceContext,
                                                     DXGKMDT_CERTIFICATE_TYPE CertificateType, PULONG CertificateSize);
typedef NTSTATUS (*DXGKDDI_OPM_GET_CERTIFICATE)(PVOID MiniportDeviceContext, DXGKMDT_CERTIFICATE_TYPE CertificateType,
                                                ULONG CertificateSize, PVOID CertificateBuffer);
typedef NTSTATUS (*DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT)(PVOID MiniportDeviceContext,
                                                        D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
                                                        DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics,
                                                        PHANDLE NewProtectedOutputHandle);
typedef NTSTATUS (*DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_VIRTUAL_MODE_JTP)(
    PVOID MiniportDeviceContext, D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics, DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT* pActualOutputFormat,
    PHANDLE NewProtectedOutputHandle);
typedef NTSTATUS (*DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY)(
    PVOID MiniportDeviceContext, DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics, UINT64 OPMEncoderContext,
    DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT* pActualOutputFormat, UINT64 NonLocalOutputId,
    DXGKMDT_OPM_CONNECTOR_TYPE NonLocalConnectorType, PHANDLE NewProtectedOutputHandle);
typedef NTSTATUS (*DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY_JTP)(
    PVOID MiniportDeviceContext, DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics, UINT64 OPMEncoderContext,
    DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT* pActualOutputFormat, UINT64 NonLocalOutputId, PHANDLE NewProtectedOutputHandle);
typedef NTSTATUS (*DXGKDDI_OPM_GET_RANDOM_NUMBER)(PVOID MiniportDeviceContext, HANDLE ProtectedOutputHandle,
                                                  PDXGKMDT_OPM_RANDOM_NUMBER RandomNumber);
typedef NTSTATUS (*DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS)(
    PVOID MiniportDeviceContext, HANDLE ProtectedOutputHandle,
    const PDXGKMDT_OPM_ENCRYPTED_PARAMETERS EncryptedParameters);
typedef NTSTATUS (*DXGKDDI_OPM_GET_INFORMATION)(PVOID MiniportDeviceContext, HANDLE ProtectedOutputHandle,
                                                const PDXGKMDT_OPM_GET_INFO_PARAMETERS Parameters,
                                                PDXGKMDT_OPM_REQUESTED_INFORMATION RequestedInformation);
typedef NTSTATUS (*DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION)(
    PVOID MiniportDeviceContext, HANDLE ProtectedOutputHandle,
    const PDXGKMDT_OPM_COPP_COMPATIBLE_GET_INFO_PARAMETERS Parameters,
    PDXGKMDT_OPM_REQUESTED_INFORMATION RequestedInformation);
typedef NTSTATUS (*DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT)(PVOID MiniportDeviceContext, HANDLE ProtectedOutputHandle,
                                                           const PDXGKMDT_OPM_CONFIGURE_PARAMETERS Parameters,
                                                           ULONG AdditionalParametersSize,
                                                           const PVOID AdditionalParameters);
typedef NTSTATUS (*DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT)(PVOID MiniportDeviceContext, HANDLE ProtectedOutputHandle);
typedef NTSTATUS (*DXGKDDI_OPM_SET_SRM_LIST)(PVOID MiniportDeviceContext, ULONG SrmListSize, const PVOID SrmListBuffer);
typedef NTSTATUS (*DXGKDDI_OPM_GET_SRM_LIST_VERSION)(PVOID MiniportDeviceContext, ULONG SrmListVersionSize,
                                                     PVOID SrmListVersionBuffer);
EXTERN_C_END

typedef struct _DXGK_OPM_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGKDDI_OPM_GET_CERTIFICATE_SIZE DxgkDdiOPMGetCertificateSize;
  DXGKDDI_OPM_GET_CERTIFICATE DxgkDdiOPMGetCertificate;
  DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT DxgkDdiOPMCreateProtectedOutput;
  DXGKDDI_OPM_GET_RANDOM_NUMBER DxgkDdiOPMGetRandomNumber;
  DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
  DXGKDDI_OPM_GET_INFORMATION DxgkDdiOPMGetInformation;
  DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION DxgkDdiOPMGetCOPPCompatibleInformation;
  DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT DxgkDdiOPMConfigureProtectedOutput;
  DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT DxgkDdiOPMDestroyProtectedOutput;
} DXGK_OPM_INTERFACE, *PDXGK_OPM_INTERFACE;

typedef struct _DXGK_OPM_INTERFACE_2_JTP {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGKDDI_OPM_GET_CERTIFICATE_SIZE DxgkDdiOPMGetCertificateSize;
  DXGKDDI_OPM_GET_CERTIFICATE DxgkDdiOPMGetCertificate;
  DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT DxgkDdiOPMCreateProtectedOutput;
  DXGKDDI_OPM_GET_RANDOM_NUMBER DxgkDdiOPMGetRandomNumber;
  DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
  DXGKDDI_OPM_GET_INFORMATION DxgkDdiOPMGetInformation;
  DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION DxgkDdiOPMGetCOPPCompatibleInformation;
  DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT DxgkDdiOPMConfigureProtectedOutput;
  DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT DxgkDdiOPMDestroyProtectedOutput;
  DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_VIRTUAL_MODE_JTP DxgkDdiOPMCreateProtectedOutputVirtualMode;
  DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY_JTP DxgkDdiOPMCreateProtectedOutputNonLocalDisplay;
} DXGK_OPM_INTERFACE_2_JTP, *PDXGK_OPM_INTERFACE_2_JTP;

typedef struct _DXGK_OPM_INTERFACE_2 {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGKDDI_OPM_GET_CERTIFICATE_SIZE DxgkDdiOPMGetCertificateSize;
  DXGKDDI_OPM_GET_CERTIFICATE DxgkDdiOPMGetCertificate;
  DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT DxgkDdiOPMCreateProtectedOutput;
  DXGKDDI_OPM_GET_RANDOM_NUMBER DxgkDdiOPMGetRandomNumber;
  DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
  DXGKDDI_OPM_GET_INFORMATION DxgkDdiOPMGetInformation;
  DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION DxgkDdiOPMGetCOPPCompatibleInformation;
  DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT DxgkDdiOPMConfigureProtectedOutput;
  DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT DxgkDdiOPMDestroyProtectedOutput;
  DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY DxgkDdiOPMCreateProtectedOutputNonLocalDisplay;
} DXGK_OPM_INTERFACE_2, *PDXGK_OPM_INTERFACE_2;

typedef struct _DXGK_OPM_INTERFACE_3 {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGKDDI_OPM_GET_CERTIFICATE_SIZE DxgkDdiOPMGetCertificateSize;
  DXGKDDI_OPM_GET_CERTIFICATE DxgkDdiOPMGetCertificate;
  DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT DxgkDdiOPMCreateProtectedOutput;
  DXGKDDI_OPM_GET_RANDOM_NUMBER DxgkDdiOPMGetRandomNumber;
  DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
  DXGKDDI_OPM_GET_INFORMATION DxgkDdiOPMGetInformation;
  DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION DxgkDdiOPMGetCOPPCompatibleInformation;
  DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT DxgkDdiOPMConfigureProtectedOutput;
  DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT DxgkDdiOPMDestroyProtectedOutput;
  DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY DxgkDdiOPMCreateProtectedOutputNonLocalDisplay;
  DXGKDDI_OPM_SET_SRM_LIST DxgkDdiOPMSetSrmList;
  DXGKDDI_OPM_GET_SRM_LIST_VERSION DxgkDdiOPMGetSrmListVersion;
} DXGK_OPM_INTERFACE_3, *PDXGK_OPM_INTERFACE_3;
