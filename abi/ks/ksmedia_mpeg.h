// Compressed video and images: MPEG-1, MPEG-2, H.264.
#pragma once
#pragma GCC system_header

#include "ks.h"
#include "ksmedia_video.h"

#define KS_MAX_SIZE_MPEG1_SEQUENCE_INFO 140

#define KS_MPEG2_DoPanScan 1
#define KS_MPEG2_DVDLine21Field1 2
#define KS_MPEG2_DVDLine21Field2 4
#define KS_MPEG2_SourceIsLetterboxed 8
#define KS_MPEG2_FilmCameraMode 0x10
#define KS_MPEG2_LetterboxAnalogOut 0x20
#define KS_MPEG2_27MhzTimebase 0x100
#define KS_MPEG2_WidescreenAnalogOut 0x200
#define KS_MPEG2_DSS_UserData 0x40
#define KS_MPEG2_DVB_UserData 0x80

typedef enum { KS_MPEG2Level_Low, KS_MPEG2Level_Main, KS_MPEG2Level_High1440, KS_MPEG2Level_High } KS_MPEG2Level;

typedef enum {
  KS_MPEG2Profile_Simple,
  KS_MPEG2Profile_Main,
  KS_MPEG2Profile_SNRScalable,
  KS_MPEG2Profile_SpatiallyScalable,
  KS_MPEG2Profile_High
} KS_MPEG2Profile;

typedef struct tagKS_H264VIDEOINFO {
  WORD wWidth;
  WORD wHeight;
  WORD wSARwidth;
  WORD wSARheight;
  WORD wProfile;
  BYTE bLevelIDC;
  WORD wConstrainedToolset;
  DWORD bmSupportedUsages;
  WORD bmCapabilities;
  DWORD bmSVCCapabilities;
  DWORD bmMVCCapabilities;
  DWORD dwFrameInterval;
  BYTE bMaxCodecConfigDelay;
  BYTE bmSupportedSliceModes;
  BYTE bmSupportedSyncFrameTypes;
  UCHAR bResolutionScaling;
  BYTE bSimulcastSupport;
  BYTE bmSupportedRateControlModes;
  USHORT wMaxMBperSecOneResolutionNoScalability;
  USHORT wMaxMBperSecTwoResolutionsNoScalability;
  USHORT wMaxMBperSecThreeResolutionsNoScalability;
  USHORT wMaxMBperSecFourResolutionsNoScalability;
  USHORT wMaxMBperSecOneResolutionTemporalScalability;
  USHORT wMaxMBperSecTwoResolutionsTemporalScalablility;
  USHORT wMaxMBperSecThreeResolutionsTemporalScalability;
  USHORT wMaxMBperSecFourResolutionsTemporalScalability;
  USHORT wMaxMBperSecOneResolutionTemporalQualityScalability;
  USHORT wMaxMBperSecTwoResolutionsTemporalQualityScalability;
  USHORT wMaxMBperSecThreeResolutionsTemporalQualityScalablity;
  USHORT wMaxMBperSecFourResolutionsTemporalQualityScalability;
  USHORT wMaxMBperSecOneResolutionTemporalSpatialScalability;
  USHORT wMaxMBperSecTwoResolutionsTemporalSpatialScalability;
  USHORT wMaxMBperSecThreeResolutionsTemporalSpatialScalablity;
  USHORT wMaxMBperSecFourResolutionsTemporalSpatialScalability;
  USHORT wMaxMBperSecOneResolutionFullScalability;
  USHORT wMaxMBperSecTwoResolutionsFullScalability;
  USHORT wMaxMBperSecThreeResolutionsFullScalability;
  USHORT wMaxMBperSecFourResolutionsFullScalability;
} KS_H264VIDEOINFO, *PKS_H264VIDEOINFO;

typedef struct tagKS_DATAFORMAT_H264VIDEOINFO {
  KSDATAFORMAT DataFormat;
  KS_H264VIDEOINFO H264VideoInfoHeader;
} KS_DATAFORMAT_H264VIDEOINFO, *PKS_DATAFORMAT_H264VIDEOINFO;

typedef struct tagKS_DATAFORMAT_IMAGEINFO {
  KSDATAFORMAT DataFormat;
  KS_BITMAPINFOHEADER ImageInfoHeader;
} KS_DATAFORMAT_IMAGEINFO, *PKS_DATAFORMAT_IMAGEINFO;

typedef struct tagKS_MPEGVIDEOINFO2 {
  KS_VIDEOINFOHEADER2 hdr;
  DWORD dwStartTimeCode;
  DWORD cbSequenceHeader;
  DWORD dwProfile;
  DWORD dwLevel;
  DWORD dwFlags;
  DWORD bSequenceHeader[1];
} KS_MPEGVIDEOINFO2, *PKS_MPEGVIDEOINFO2;

typedef struct {
  KSDATAFORMAT DataFormat;
  KS_MPEGVIDEOINFO2 MpegVideoInfoHeader2;
} KS_DATAFORMAT_MPEGVIDEOINFO2, *PKS_DATAFORMAT_MPEGVIDEOINFO2;

typedef struct tagKS_DATARANGE_H264_VIDEO {
  KSDATARANGE DataRange;
  BOOL bFixedSizeSamples;
  BOOL bTemporalCompression;
  DWORD StreamDescriptionFlags;
  DWORD MemoryAllocationFlags;
  KS_VIDEO_STREAM_CONFIG_CAPS ConfigCaps;
  KS_H264VIDEOINFO VideoInfoHeader;
} KS_DATARANGE_H264_VIDEO, *PKS_DATARANGE_H264_VIDEO;

typedef struct tagKS_DATARANGE_IMAGE {
  KSDATARANGE DataRange;
  KS_VIDEO_STREAM_CONFIG_CAPS ConfigCaps;
  KS_BITMAPINFOHEADER ImageInfoHeader;
} KS_DATARANGE_IMAGE, *PKS_DATARANGE_IMAGE;

typedef struct tagKS_MPEG1VIDEOINFO {
  KS_VIDEOINFOHEADER hdr;
  DWORD dwStartTimeCode;
  DWORD cbSequenceHeader;
  BYTE bSequenceHeader[1];
} KS_MPEG1VIDEOINFO, *PKS_MPEG1VIDEOINFO;

typedef struct tagKS_DATARANGE_MPEG1_VIDEO {
  KSDATARANGE DataRange;
  BOOL bFixedSizeSamples;
  BOOL bTemporalCompression;
  DWORD StreamDescriptionFlags;
  DWORD MemoryAllocationFlags;
  KS_VIDEO_STREAM_CONFIG_CAPS ConfigCaps;
  KS_MPEG1VIDEOINFO VideoInfoHeader;
} KS_DATARANGE_MPEG1_VIDEO, *PKS_DATARANGE_MPEG1_VIDEO;

typedef struct tagKS_DATARANGE_MPEG2_VIDEO {
  KSDATARANGE DataRange;
  BOOL bFixedSizeSamples;
  BOOL bTemporalCompression;
  DWORD StreamDescriptionFlags;
  DWORD MemoryAllocationFlags;
  KS_VIDEO_STREAM_CONFIG_CAPS ConfigCaps;
  KS_MPEGVIDEOINFO2 VideoInfoHeader;
} KS_DATARANGE_MPEG2_VIDEO, *PKS_DATARANGE_MPEG2_VIDEO;
