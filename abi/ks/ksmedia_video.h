// Uncompressed video: headers, ranges and formats, and what goes with each frame.
#pragma once
#pragma GCC system_header

#include "../shared/windef.h"
#include "ks.h"
#include "ksmedia_base.h"

#define KS_iRED 0
#define KS_iGREEN 1
#define KS_iBLUE 2
#define KS_iMAXBITS 8
#define KS_iPALETTE 8
#define KS_iTRUECOLOR 16

#define KS_AMCONTROL_USED 1
#define KS_AMCONTROL_COLORINFO_PRESENT 0x80

#define KS_AMCONTROL_PAD_TO_4x3 2
#define KS_AMCONTROL_PAD_TO_16x9 4

#define KS_BI_RGB 0
#define KS_BI_RLE8 1
#define KS_BI_RLE4 2
#define KS_BI_BITFIELDS 3
#define KS_BI_JPEG 4

#define KS_INTERLACE_DisplayModeBobOnly 0
#define KS_INTERLACE_FieldPatField1Only 0
#define KS_INTERLACE_IsInterlaced 1
#define KS_INTERLACE_1FieldPerSample 2
#define KS_INTERLACE_Field1First 4
#define KS_INTERLACE_UNUSED 8
#define KS_INTERLACE_FieldPatField2Only 0x10
#define KS_INTERLACE_FieldPatBothRegular 0x20
#define KS_INTERLACE_FieldPatBothIrregular 0x30
#define KS_INTERLACE_FieldPatternMask 0x30
#define KS_INTERLACE_DisplayModeWeaveOnly 0x40
#define KS_INTERLACE_DisplayModeBobOrWeave 0x80
#define KS_INTERLACE_DisplayModeMask 0xC0

#define KS_VIDEOSTREAM_PREVIEW 1
#define KS_VIDEOSTREAM_CAPTURE 2
#define KS_VIDEOSTREAM_VBI 0x10
#define KS_VIDEOSTREAM_NABTS 0x20
#define KS_VIDEOSTREAM_CC 0x100
#define KS_VIDEOSTREAM_EDS 0x200
#define KS_VIDEOSTREAM_TELETEXT 0x400
#define KS_VIDEOSTREAM_STILL 0x1000
#define KS_VIDEOSTREAM_IS_VPE 0x8000

#define KS_VIDEO_ALLOC_VPE_SYSTEM 1
#define KS_VIDEO_ALLOC_VPE_DISPLAY 2
#define KS_VIDEO_ALLOC_VPE_AGP 4

#define KS_VIDEO_FLAG_FRAME 0
#define KS_VIDEO_FLAG_I_FRAME 0
#define KS_VIDEO_FLAG_FIELD1 1
#define KS_VIDEO_FLAG_FIELD2 2
#define KS_VIDEO_FLAG_FIELD_MASK 3
#define KS_VIDEO_FLAG_FIELD1FIRST 4
#define KS_VIDEO_FLAG_WEAVE 8
#define KS_VIDEO_FLAG_P_FRAME 0x10
#define KS_VIDEO_FLAG_B_FRAME 0x20
#define KS_VIDEO_FLAG_IPB_MASK 0x30
#define KS_VIDEO_FLAG_REPEAT_FIELD 0x40

#define KS_iEGA_COLORS 16

#define KS_iMASK_COLORS 3

#define KS_iPALETTE_COLORS 256

typedef struct tagKS_AnalogVideoInfo {
  RECT rcSource;
  RECT rcTarget;
  DWORD dwActiveWidth;
  DWORD dwActiveHeight;
  REFERENCE_TIME AvgTimePerFrame;
} KS_ANALOGVIDEOINFO, *PKS_ANALOGVIDEOINFO;

typedef struct tagKS_BITMAPINFOHEADER {
  DWORD biSize;
  LONG biWidth;
  LONG biHeight;
  WORD biPlanes;
  WORD biBitCount;
  DWORD biCompression;
  DWORD biSizeImage;
  LONG biXPelsPerMeter;
  LONG biYPelsPerMeter;
  DWORD biClrUsed;
  DWORD biClrImportant;
} KS_BITMAPINFOHEADER, *PKS_BITMAPINFOHEADER;

typedef struct tagKS_VIDEOINFOHEADER {
  RECT rcSource;
  RECT rcTarget;
  DWORD dwBitRate;
  DWORD dwBitErrorRate;
  REFERENCE_TIME AvgTimePerFrame;
  KS_BITMAPINFOHEADER bmiHeader;
} KS_VIDEOINFOHEADER, *PKS_VIDEOINFOHEADER;

typedef struct tagKS_DATAFORMAT_VIDEOINFOHEADER {
  KSDATAFORMAT DataFormat;
  KS_VIDEOINFOHEADER VideoInfoHeader;
} KS_DATAFORMAT_VIDEOINFOHEADER, *PKS_DATAFORMAT_VIDEOINFOHEADER;

typedef struct tagKS_VIDEOINFOHEADER2 {
  RECT rcSource;
  RECT rcTarget;
  DWORD dwBitRate;
  DWORD dwBitErrorRate;
  REFERENCE_TIME AvgTimePerFrame;
  DWORD dwInterlaceFlags;
  DWORD dwCopyProtectFlags;
  DWORD dwPictAspectRatioX;
  DWORD dwPictAspectRatioY;
  union {
    DWORD dwControlFlags;
    DWORD dwReserved1;
  };
  DWORD dwReserved2;
  KS_BITMAPINFOHEADER bmiHeader;
} KS_VIDEOINFOHEADER2, *PKS_VIDEOINFOHEADER2;

typedef struct tagKS_DATAFORMAT_VIDEOINFOHEADER2 {
  KSDATAFORMAT DataFormat;
  KS_VIDEOINFOHEADER2 VideoInfoHeader2;
} KS_DATAFORMAT_VIDEOINFOHEADER2, *PKS_DATAFORMAT_VIDEOINFOHEADER2;

typedef struct tagKS_RGBQUAD {
  BYTE rgbBlue;
  BYTE rgbGreen;
  BYTE rgbRed;
  BYTE rgbReserved;
} KS_RGBQUAD, *PKS_RGBQUAD;

typedef struct tag_KS_TRUECOLORINFO {
  DWORD dwBitMasks[3];
  KS_RGBQUAD bmiColors[256];
} KS_TRUECOLORINFO, *PKS_TRUECOLORINFO;

typedef struct tagKS_VIDEOINFO {
  RECT rcSource;
  RECT rcTarget;
  DWORD dwBitRate;
  DWORD dwBitErrorRate;
  REFERENCE_TIME AvgTimePerFrame;
  KS_BITMAPINFOHEADER bmiHeader;
  union {
    KS_RGBQUAD bmiColors[256];
    DWORD dwBitMasks[3];
    KS_TRUECOLORINFO TrueColorInfo;
  };
} KS_VIDEOINFO, *PKS_VIDEOINFO;

typedef struct tagKS_DATAFORMAT_VIDEOINFO_PALETTE {
  KSDATAFORMAT DataFormat;
  KS_VIDEOINFO VideoInfo;
} KS_DATAFORMAT_VIDEOINFO_PALETTE, *PKS_DATAFORMAT_VIDEOINFO_PALETTE;

typedef struct tagKS_DATARANGE_ANALOGVIDEO {
  KSDATARANGE DataRange;
  KS_ANALOGVIDEOINFO AnalogVideoInfo;
} KS_DATARANGE_ANALOGVIDEO, *PKS_DATARANGE_ANALOGVIDEO;

typedef struct _KS_VIDEO_STREAM_CONFIG_CAPS {
  GUID guid;
  ULONG VideoStandard;
  SIZE InputSize;
  SIZE MinCroppingSize;
  SIZE MaxCroppingSize;
  int CropGranularityX;
  int CropGranularityY;
  int CropAlignX;
  int CropAlignY;
  SIZE MinOutputSize;
  SIZE MaxOutputSize;
  int OutputGranularityX;
  int OutputGranularityY;
  int StretchTapsX;
  int StretchTapsY;
  int ShrinkTapsX;
  int ShrinkTapsY;
  LONGLONG MinFrameInterval;
  LONGLONG MaxFrameInterval;
  LONG MinBitsPerSecond;
  LONG MaxBitsPerSecond;
} KS_VIDEO_STREAM_CONFIG_CAPS, *PKS_VIDEO_STREAM_CONFIG_CAPS;

typedef struct tagKS_DATARANGE_VIDEO {
  KSDATARANGE DataRange;
  BOOL bFixedSizeSamples;
  BOOL bTemporalCompression;
  DWORD StreamDescriptionFlags;
  DWORD MemoryAllocationFlags;
  KS_VIDEO_STREAM_CONFIG_CAPS ConfigCaps;
  KS_VIDEOINFOHEADER VideoInfoHeader;
} KS_DATARANGE_VIDEO, *PKS_DATARANGE_VIDEO;

typedef struct tagKS_DATARANGE_VIDEO2 {
  KSDATARANGE DataRange;
  BOOL bFixedSizeSamples;
  BOOL bTemporalCompression;
  DWORD StreamDescriptionFlags;
  DWORD MemoryAllocationFlags;
  KS_VIDEO_STREAM_CONFIG_CAPS ConfigCaps;
  KS_VIDEOINFOHEADER2 VideoInfoHeader;
} KS_DATARANGE_VIDEO2, *PKS_DATARANGE_VIDEO2;

typedef struct tagKS_DATARANGE_VIDEO_PALETTE {
  KSDATARANGE DataRange;
  BOOL bFixedSizeSamples;
  BOOL bTemporalCompression;
  DWORD StreamDescriptionFlags;
  DWORD MemoryAllocationFlags;
  KS_VIDEO_STREAM_CONFIG_CAPS ConfigCaps;
  KS_VIDEOINFO VideoInfo;
} KS_DATARANGE_VIDEO_PALETTE, *PKS_DATARANGE_VIDEO_PALETTE;

typedef struct tagKS_FRAME_INFO {
  ULONG ExtendedHeaderSize;
  DWORD dwFrameFlags;
  LONGLONG PictureNumber;
  LONGLONG DropCount;
  HANDLE hDirectDraw;
  HANDLE hSurfaceHandle;
  RECT DirectDrawRect;
  union {
    LONG lSurfacePitch;
    DWORD Reserved1;
  };
  DWORD Reserved2;
  union {
    struct {
      DWORD Reserved3;
      DWORD Reserved4;
    };
    ULONGLONG FrameCompletionNumber;
  };
} KS_FRAME_INFO, *PKS_FRAME_INFO;

// Bytes of a video header whose bitmap header says its own size, colours included.
#define KS_SIZE_PREHEADER (FIELD_OFFSET(KS_VIDEOINFOHEADER, bmiHeader))
#define KS_SIZE_VIDEOHEADER(pbmi) ((pbmi)->bmiHeader.biSize + KS_SIZE_PREHEADER)

// Bytes of an uncompressed picture: rows are multiples of four bytes, a negative height means top-down.
#define KS_DIBSIZE(bi)                                                        \
  (((((DWORD)(bi).biWidth * (DWORD)(bi).biBitCount + 31) & ~(DWORD)31) / 8) * \
   ((bi).biHeight < 0 ? (DWORD)0 - (DWORD)(bi).biHeight : (DWORD)(bi).biHeight))
