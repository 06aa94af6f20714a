// Memory segments as a driver reports them, in the three generations of the query.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_types.h"

typedef struct _DXGK_SEGMENTFLAGS {
  union {
    struct {
      UINT Aperture : 1;
      UINT Agp : 1;
      UINT CpuVisible : 1;
      UINT UseBanking : 1;
      UINT CacheCoherent : 1;
      UINT PitchAlignment : 1;
      UINT PopulatedFromSystemMemory : 1;
      UINT PreservedDuringStandby : 1;
      UINT PreservedDuringHibernate : 1;
      UINT PartiallyPreservedDuringHibernate : 1;
      UINT DirectFlip : 1;
      UINT Use64KBPages : 1;
      UINT ReservedSysMem : 1;
      UINT SupportsCpuHostAperture : 1;
      UINT SupportsCachedCpuHostAperture : 1;
      UINT ApplicationTarget : 1;
      UINT VprSupported : 1;
      UINT VprPreservedDuringStandby : 1;
      UINT EncryptedPagingSupported : 1;
      UINT LocalBudgetGroup : 1;
      UINT NonLocalBudgetGroup : 1;
      UINT PopulatedByReservedDDRByFirmware : 1;
      UINT Reserved : 10;
    };
    UINT Value;
  };
} DXGK_SEGMENTFLAGS;

typedef D3DDDI_SEGMENTPREFERENCE DXGK_SEGMENTPREFERENCE;

typedef struct _DXGK_SEGMENTBANKPREFERENCE {
  union {
    struct {
      UINT Bank0 : 7;
      UINT Direction0 : 1;
      UINT Bank1 : 7;
      UINT Direction1 : 1;
      UINT Bank2 : 7;
      UINT Direction2 : 1;
      UINT Bank3 : 7;
      UINT Direction3 : 1;
    };
    UINT Value;
  };
} DXGK_SEGMENTBANKPREFERENCE;

typedef struct _DXGK_QUERYSEGMENTIN {
  PHYSICAL_ADDRESS AgpApertureBase;
  LARGE_INTEGER AgpApertureSize;
  DXGK_SEGMENTFLAGS AgpFlags;
} DXGK_QUERYSEGMENTIN;

typedef struct _DXGK_SEGMENTDESCRIPTOR {
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
  SIZE_T Size;
  UINT NbOfBanks;
  SIZE_T* pBankRangeTable;
  SIZE_T CommitLimit;
  DXGK_SEGMENTFLAGS Flags;
} DXGK_SEGMENTDESCRIPTOR;

typedef struct _DXGK_QUERYSEGMENTOUT {
  UINT NbSegment;
  DXGK_SEGMENTDESCRIPTOR* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT;

typedef struct _DXGK_SEGMENTDESCRIPTOR3 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
  SIZE_T Size;
  UINT NbOfBanks;
  SIZE_T* pBankRangeTable;
  SIZE_T CommitLimit;
  SIZE_T SystemMemoryEndAddress;
  SIZE_T Reserved;
} DXGK_SEGMENTDESCRIPTOR3;

typedef struct _DXGK_QUERYSEGMENTOUT3 {
  UINT NbSegment;
  DXGK_SEGMENTDESCRIPTOR3* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT3;
C_ASSERT(sizeof(DXGK_QUERYSEGMENTOUT3) == 0x20);

typedef struct _DXGK_QUERYSEGMENTIN4 {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYSEGMENTIN4;

typedef struct _DXGK_CPUHOSTAPERTURE {
  UINT64 PhysicalAddress;
  UINT32 SizeInPages;
} DXGK_CPUHOSTAPERTURE;

// The stride that Windows passes is 104. The widths of the Vpr fields are ours; other choices reach 104 as well.
typedef struct _DXGK_SEGMENTDESCRIPTOR4 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  SIZE_T Size;
  SIZE_T CommitLimit;
  SIZE_T SystemMemoryEndAddress;
  union {
    PHYSICAL_ADDRESS CpuTranslatedAddress;
    DXGK_CPUHOSTAPERTURE CpuHostAperture;
  };
  UINT NumInvalidMemoryRanges;
  SIZE_T VprRangeStartOffset;
  SIZE_T VprRangeSize;
  UINT VprAlignment;
  UINT NumVprSupported;
  SIZE_T VprReserveSize;
  UINT NumUEFIFrameBufferRanges;
} DXGK_SEGMENTDESCRIPTOR4;
C_ASSERT(sizeof(DXGK_SEGMENTDESCRIPTOR4) == 104);

typedef struct _DXGK_QUERYSEGMENTOUT4 {
  UINT NbSegment;
  BYTE* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
  SIZE_T SegmentDescriptorStride;
} DXGK_QUERYSEGMENTOUT4;

typedef struct _DXGK_MEMORYRANGE {
  UINT64 SegmentOffset;
  UINT64 SizeInBytes;
} DXGK_MEMORYRANGE;

// One structure serves two queries: bad memory ranges and UEFI frame buffer ranges.
typedef struct _DXGK_QUERYSEGMENTMEMORYSTATE {
  WORD DriverSegmentId;
  WORD PhysicalAdapterIndex;
  union {
    UINT NumInvalidMemoryRanges;
    UINT NumUEFIFrameBufferRanges;
  };
  DXGK_MEMORYRANGE* pMemoryRanges;
} DXGK_QUERYSEGMENTMEMORYSTATE, DXGK_SEGMENTMEMORYSTATE;
