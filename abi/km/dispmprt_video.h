// What display miniport drivers share with the older video miniport interface: I/O requests, interface queries.
#pragma once
#pragma GCC system_header

#include "wdm.h"

// The device that is the display adapter itself, where a child's identifier is expected. The value is ours: no child
// may have it.
#define DISPLAY_ADAPTER_HW_ID 0xffffffffu

typedef LONG VP_STATUS, *PVP_STATUS;

typedef struct _STATUS_BLOCK {
  union {
    VP_STATUS Status;
    PVOID Pointer;
  };
  ULONG_PTR Information;
} STATUS_BLOCK, *PSTATUS_BLOCK;

typedef struct _VIDEO_REQUEST_PACKET {
  ULONG IoControlCode;
  PSTATUS_BLOCK StatusBlock;
  PVOID InputBuffer;
  ULONG InputBufferLength;
  PVOID OutputBuffer;
  ULONG OutputBufferLength;
} VIDEO_REQUEST_PACKET, *PVIDEO_REQUEST_PACKET;

typedef struct _QUERY_INTERFACE {
  const GUID* InterfaceType;
  USHORT Size;
  USHORT Version;
  PINTERFACE Interface;
  PVOID InterfaceSpecificData;
} QUERY_INTERFACE, *PQUERY_INTERFACE;

typedef enum _DEBUG_LEVEL { DlDebugError, DlDebugWarning, DlDebugTrace, DlDebugInfo } DEBUG_LEVEL, *PDEBUG_LEVEL;

#define EMULATOR_READ_ACCESS 0x01
#define EMULATOR_WRITE_ACCESS 0x02

typedef enum _EMULATOR_PORT_ACCESS_TYPE { Uchar, Ushort, Ulong } EMULATOR_PORT_ACCESS_TYPE, *PEMULATOR_PORT_ACCESS_TYPE;

typedef struct _EMULATOR_ACCESS_ENTRY {
  ULONG BasePort;
  ULONG NumConsecutivePorts;
  EMULATOR_PORT_ACCESS_TYPE AccessType;
  UCHAR AccessMode;
  UCHAR StringSupport;
  PVOID Routine;
} EMULATOR_ACCESS_ENTRY, *PEMULATOR_ACCESS_ENTRY;

EXTERN_C_START
typedef VOID (*PBANKED_SECTION_ROUTINE)(ULONG ReadBank, ULONG WriteBank, PVOID Context);
EXTERN_C_END

typedef PVIDEO_REQUEST_PACKET IN_PVIDEO_REQUEST_PACKET;
typedef PQUERY_INTERFACE IN_PQUERY_INTERFACE;
