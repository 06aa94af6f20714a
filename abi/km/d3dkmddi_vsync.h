// Switching the vertical sync interrupt, and any other, on and off.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_interrupt.h"

typedef enum _DXGK_INTERRUPT_STATE { DXGK_INTERRUPT_ENABLE = 0, DXGK_INTERRUPT_DISABLE = 1 } DXGK_INTERRUPT_STATE;

typedef enum _DXGK_CRTC_VSYNC_STATE {
  DXGK_VSYNC_ENABLE = 0,
  DXGK_VSYNC_DISABLE_KEEP_PHASE = 1,
  DXGK_VSYNC_DISABLE_NO_PHASE = 2
} DXGK_CRTC_VSYNC_STATE;

typedef NTSTATUS APIENTRY DXGKDDI_CONTROLINTERRUPT(const HANDLE hAdapter, IN_CONST_DXGK_INTERRUPT_TYPE InterruptType,
                                                   BOOLEAN EnableInterrupt);
typedef DXGKDDI_CONTROLINTERRUPT* PDXGKDDI_CONTROLINTERRUPT;

// Which state counts depends on the type: the vertical sync one for DXGK_INTERRUPT_CRTC_VSYNC, the other for the rest.
typedef struct _DXGKARG_CONTROLINTERRUPT2 {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    DXGK_INTERRUPT_STATE InterruptState;
    DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
  };
} DXGKARG_CONTROLINTERRUPT2;

// By value, as documented.
typedef NTSTATUS APIENTRY DXGKDDI_CONTROLINTERRUPT2(const HANDLE hAdapter,
                                                    const DXGKARG_CONTROLINTERRUPT2 InterruptControl);
typedef DXGKDDI_CONTROLINTERRUPT2* PDXGKDDI_CONTROLINTERRUPT2;

typedef struct _DXGKARG_CONTROLINTERRUPT3 {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    DXGK_INTERRUPT_STATE InterruptState;
    DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
  };
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} DXGKARG_CONTROLINTERRUPT3;

typedef NTSTATUS APIENTRY DXGKDDI_CONTROLINTERRUPT3(const HANDLE hAdapter,
                                                    const DXGKARG_CONTROLINTERRUPT3 InterruptControl);
typedef DXGKDDI_CONTROLINTERRUPT3* PDXGKDDI_CONTROLINTERRUPT3;
