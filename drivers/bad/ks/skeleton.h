// A correct small AVStream minidriver without hardware, for the wrong ones to stand on. Its filter has two pins: pin 0
// captures, a timer fills a frame every ten milliseconds; pin 1 takes frames in, and provides an allocator for them.
// Each wrong driver includes this file and defines Replace, which changes the tables before AVStream sees them. A
// driver that gets one thing wrong gets it right when FIXED is defined.
#pragma once

#include <ks.h>
#include <ksmedia.h>
#include <ntddk.h>

#define BAD_TAG 'daBD'

#define FRAME_BYTES 4096
#define FRAME_COUNT 3
#define FRAME_PERIOD_MS 10
#define LONG_ALIGNMENT (sizeof(ULONG) - 1)  // a mask, as all alignments of frames
#define POOL_ALIGNMENT 16                   // of small blocks

static VOID Replace(VOID);

// --- A capture pin's stream: KSPIN.Context, from Create to Close ---

typedef struct {
  PKSPIN Pin;
  KTIMER Timer;
  KDPC Dpc;
  PIKSREFERENCECLOCK Clock;  // NULL: the graph has none
  // Touched by the DPC, and while the timer is not set.
  LONGLONG Pictures;  // that there were since ACQUIRE, dropped or not
  LONGLONG Dropped;
  BOOLEAN Discontinuity;
  PVOID volatile Clone;  // for drivers that keep one, see clone.h
} STREAM;

static inline STREAM* StreamOf(PKSPIN Pin) { return Pin->Context; }

// Describes the picture that fills a frame; the header may be too short for all there is to say.
static inline VOID DescribePicture(STREAM* Stream, PKSSTREAM_HEADER Header) {
  Header->OptionsFlags = KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT;
  if (Stream->Discontinuity) Header->OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY;
  Stream->Discontinuity = FALSE;
  if (Stream->Clock != NULL) {
    LONGLONG SystemTime;
    Header->PresentationTime.Time = Stream->Clock->lpVtbl->GetCorrelatedTime(Stream->Clock, &SystemTime);
    Header->PresentationTime.Numerator = Header->PresentationTime.Denominator = 1;
    Header->OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
  }
  if (Header->Size >= sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO)) {
    PKS_FRAME_INFO Info = (PKS_FRAME_INFO)(Header + 1);
    Info->ExtendedHeaderSize = sizeof(*Info);
    Info->dwFrameFlags = KS_VIDEO_FLAG_FRAME;
    Info->PictureNumber = Stream->Pictures;
    Info->DropCount = Stream->Dropped;
  }
}

static VOID (*Describe)(STREAM* Stream, PKSSTREAM_HEADER Header) = DescribePicture;

// How many bytes of the frame, which is locked, it filled.
static inline ULONG Fill(STREAM* Stream, PKSSTREAM_POINTER Frame) {
  ULONG Bytes = Frame->OffsetOut.Remaining;

  if (Bytes > FRAME_BYTES) Bytes = FRAME_BYTES;
  RtlFillMemory(Frame->OffsetOut.Data, Bytes, (UCHAR)Stream->Pictures);
  return Bytes;
}

// A picture is there, at DISPATCH_LEVEL. AVStream says DataUsed: it is how far the edge was advanced.
static inline VOID TakePicture(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  ++Stream->Pictures;
  if (Frame == NULL) {
    ++Stream->Dropped;
    Stream->Discontinuity = TRUE;
    return;
  }
  Describe(Stream, Frame->StreamHeader);
  KsStreamPointerAdvanceOffsetsAndUnlock(Frame, 0, Fill(Stream, Frame), TRUE);
}

// What the timer's DPC does.
static VOID (*Picture)(STREAM* Stream) = TakePicture;

static inline VOID PictureDpc(PKDPC Dpc, PVOID Context, PVOID Unused1, PVOID Unused2) {
  UNREFERENCED_PARAMETER(Dpc);
  UNREFERENCED_PARAMETER(Unused1);
  UNREFERENCED_PARAMETER(Unused2);
  Picture(Context);
}

static inline VOID StartPictures(STREAM* Stream) {
  LARGE_INTEGER First;
  First.QuadPart = -10000 * FRAME_PERIOD_MS;
  KeSetTimerEx(&Stream->Timer, First, FRAME_PERIOD_MS, &Stream->Dpc);
}

static inline VOID StopPictures(STREAM* Stream) {
  KeCancelTimer(&Stream->Timer);
  KeFlushQueuedDpcs();
}

static inline VOID ReleaseClock(STREAM* Stream) {
  if (Stream->Clock != NULL) Stream->Clock->lpVtbl->Release(Stream->Clock);
  Stream->Clock = NULL;
}

// --- The capture pin ---

static inline NTSTATUS CreateCapture(PKSPIN Pin, PIRP Irp) {
  STREAM* Stream = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(STREAM), BAD_TAG);
  NTSTATUS Status;

  UNREFERENCED_PARAMETER(Irp);
  if (Stream == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Status = KsAddItemToObjectBag(Pin->Bag, Stream, NULL);
  if (!NT_SUCCESS(Status)) {
    ExFreePoolWithTag(Stream, BAD_TAG);
    return Status;
  }
  Stream->Pin = Pin;
  KeInitializeTimer(&Stream->Timer);
  KeInitializeDpc(&Stream->Dpc, PictureDpc, Stream);
  Pin->StreamHeaderSize = sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);
  Pin->Context = Stream;
  return STATUS_SUCCESS;
}

// The pin may have been pulled out of any state.
static inline NTSTATUS CloseCapture(PKSPIN Pin, PIRP Irp) {
  UNREFERENCED_PARAMETER(Irp);
  StopPictures(StreamOf(Pin));
  ReleaseClock(StreamOf(Pin));
  return STATUS_SUCCESS;
}

static inline NTSTATUS SetCaptureState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  STREAM* Stream = StreamOf(Pin);

  if (ToState == KSSTATE_RUN) {
    StartPictures(Stream);
  } else if (FromState == KSSTATE_RUN) {
    StopPictures(Stream);
  }
  if (ToState == KSSTATE_ACQUIRE && FromState == KSSTATE_STOP) {
    Stream->Pictures = Stream->Dropped = 0;
    Stream->Discontinuity = FALSE;
    if (!NT_SUCCESS(KsPinGetReferenceClockInterface(Pin, &Stream->Clock))) Stream->Clock = NULL;
  } else if (ToState == KSSTATE_STOP) {
    ReleaseClock(Stream);
  }
  return STATUS_SUCCESS;
}

// The timer looks into the queue by itself: processing is never initiated.
static inline NTSTATUS ProcessCapture(PKSPIN Pin) {
  UNREFERENCED_PARAMETER(Pin);
  return STATUS_PENDING;
}

// --- The pin that takes frames in ---

static volatile LONG Sum;  // of what came in

static inline NTSTATUS ProcessRender(PKSPIN Pin) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Pin, KSSTREAM_POINTER_STATE_LOCKED);
  NTSTATUS Status = Frame != NULL ? STATUS_SUCCESS : STATUS_PENDING;

  while (Frame != NULL) {
    if (Frame->OffsetIn.Remaining != 0) InterlockedExchangeAdd(&Sum, Frame->OffsetIn.Data[0]);
    if (!NT_SUCCESS(KsStreamPointerAdvance(Frame))) Frame = NULL;  // that was the last one
  }
  return Status;
}

// --- Its allocator ---

typedef struct {
  KSALLOCATOR_FRAMING Framing;
} ALLOCATOR;

static inline NTSTATUS InitializeAllocator(PKSPIN Pin, PKSALLOCATOR_FRAMING Framing, PVOID* Context) {
  ALLOCATOR* Allocator = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(ALLOCATOR), BAD_TAG);

  UNREFERENCED_PARAMETER(Pin);
  if (Allocator == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Allocator->Framing = *Framing;
  *Context = Allocator;
  return STATUS_SUCCESS;
}

static inline VOID DeleteAllocator(PVOID Context) { ExFreePoolWithTag(Context, BAD_TAG); }

static inline POOL_FLAGS PoolOf(const ALLOCATOR* Allocator) {
  POOL_TYPE Type = Allocator->Framing.PoolType;
  return Type == PagedPool || Type == PagedPoolCacheAligned ? POOL_FLAG_PAGED : POOL_FLAG_NON_PAGED;
}

// Blocks of a page and more begin with one, which is the strictest alignment that there is.
static inline SIZE_T BytesOf(const ALLOCATOR* Allocator) {
  SIZE_T Bytes = Allocator->Framing.FrameSize;

  if (Allocator->Framing.FileAlignment >= POOL_ALIGNMENT && Bytes < PAGE_SIZE) return PAGE_SIZE;
  return Bytes != 0 ? Bytes : 1;
}

static inline PVOID AllocateFrame(PVOID Context) { return ExAllocatePool2(PoolOf(Context), BytesOf(Context), BAD_TAG); }

static inline VOID FreeFrame(PVOID Context, PVOID Frame) {
  UNREFERENCED_PARAMETER(Context);
  ExFreePoolWithTag(Frame, BAD_TAG);
}

// --- The tables, for Replace to change ---

static KSALLOCATOR_DISPATCH Allocator = {InitializeAllocator, DeleteAllocator, AllocateFrame, FreeFrame};

static KSPIN_DISPATCH Capture = {
    .Create = CreateCapture, .Close = CloseCapture, .Process = ProcessCapture, .SetDeviceState = SetCaptureState};
static KSPIN_DISPATCH Render = {.Process = ProcessRender, .Allocator = &Allocator};

#define FRAMING                                                                                     \
  {                                                                                                 \
    .CountItems = 1, .OutputCompression = {1, 1, 0}, .FramingItem = {                               \
      {.MemoryType = {STATICGUIDOF(KSMEMORY_TYPE_KERNEL_NONPAGED)},                                 \
       .Flags = KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY, \
       .Frames = FRAME_COUNT,                                                                       \
       .FileAlignment = LONG_ALIGNMENT,                                                             \
       .PhysicalRange = {0, MAXULONG, 1},                                                           \
       .FramingRange = {{FRAME_BYTES, FRAME_BYTES, 0}, 0, 0}}                                       \
    }                                                                                               \
  }
static KSALLOCATOR_FRAMING_EX CaptureFraming = FRAMING;
static KSALLOCATOR_FRAMING_EX RenderFraming = FRAMING;

static const KSDATARANGE Range = {{sizeof(KSDATARANGE),
                                   0,
                                   FRAME_BYTES,
                                   0,
                                   {STATICGUIDOF(KSDATAFORMAT_TYPE_STREAM)},
                                   {STATICGUIDOF(KSDATAFORMAT_SUBTYPE_NONE)},
                                   {STATICGUIDOF(KSDATAFORMAT_SPECIFIER_NONE)}}};
static const PKSDATARANGE Ranges[] = {(PKSDATARANGE)&Range};

static KSPIN_DESCRIPTOR_EX Pins[] = {
    {.Dispatch = &Capture,
     .PinDescriptor = {.DataRangesCount = SIZEOF_ARRAY(Ranges),
                       .DataRanges = Ranges,
                       .DataFlow = KSPIN_DATAFLOW_OUT,
                       .Communication = KSPIN_COMMUNICATION_BOTH},
     .Flags = KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING | KSPIN_FLAG_IMPLEMENT_CLOCK,
     .InstancesPossible = KSINSTANCE_INDETERMINATE,
     .AllocatorFraming = &CaptureFraming},
    {.Dispatch = &Render,
     .PinDescriptor = {.DataRangesCount = SIZEOF_ARRAY(Ranges),
                       .DataRanges = Ranges,
                       .DataFlow = KSPIN_DATAFLOW_IN,
                       .Communication = KSPIN_COMMUNICATION_SINK},
     .InstancesPossible = KSINSTANCE_INDETERMINATE,
     .AllocatorFraming = &RenderFraming},
};

static const GUID Categories[] = {{STATICGUIDOF(KSCATEGORY_CAPTURE)}};
static KSFILTER_DISPATCH FilterDispatch;
static KSFILTER_DESCRIPTOR Filter = {.Dispatch = &FilterDispatch,
                                     .Version = KSFILTER_DESCRIPTOR_VERSION,
                                     .PinDescriptorsCount = SIZEOF_ARRAY(Pins),
                                     .PinDescriptorSize = sizeof(Pins[0]),
                                     .PinDescriptors = Pins,
                                     .CategoriesCount = SIZEOF_ARRAY(Categories),
                                     .Categories = Categories,
                                     .NodeDescriptorSize = sizeof(KSNODE_DESCRIPTOR)};
static const KSFILTER_DESCRIPTOR* const Filters[] = {&Filter};

static KSDEVICE_DISPATCH DeviceDispatch;
static KSDEVICE_DESCRIPTOR Device = {.Dispatch = &DeviceDispatch,
                                     .FilterDescriptorsCount = SIZEOF_ARRAY(Filters),
                                     .FilterDescriptors = Filters,
                                     .Version = KSDEVICE_DESCRIPTOR_VERSION};

DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  Replace();
  return KsInitializeDriver(DriverObject, RegistryPath, &Device);
}
