// The smallest AVStream minidriver that streams: one filter, one output pin, no hardware. A timer fills a frame every
// ten milliseconds with the number of the picture. What it leaves out is what a real one has to add.
#include <ks.h>
#include <ksmedia.h>
#include <ntddk.h>

#define TAG 'sKkS'
#define FRAME_BYTES 4096
#define PERIOD_MS 10

// What a pin has while it is open: KSPIN.Context.
typedef struct {
  PKSPIN Pin;
  KTIMER Timer;
  KDPC Dpc;
  LONGLONG Pictures;  // touched by the DPC, and while the timer is not set
  BOOLEAN Lost;       // there was no frame for the last picture
} STREAM;

// --- A picture is there, at DISPATCH_LEVEL ---

// How far the pointer is advanced is what the program sees as DataUsed.
static VOID Fill(STREAM* Stream, PKSSTREAM_POINTER Frame) {
  PKSSTREAM_HEADER Header = Frame->StreamHeader;
  ULONG Bytes = Frame->OffsetOut.Remaining < FRAME_BYTES ? Frame->OffsetOut.Remaining : FRAME_BYTES;

  RtlFillMemory(Frame->OffsetOut.Data, Bytes, (UCHAR)Stream->Pictures);
  Header->OptionsFlags = Stream->Lost ? KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY : 0;
  Stream->Lost = FALSE;
#ifndef IGNORES_HEADER_SIZE  // a mistake, for a test to find
  if (Header->Size >= sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO))
#endif
    ((PKS_FRAME_INFO)(Header + 1))->PictureNumber = Stream->Pictures;
  KsStreamPointerAdvanceOffsetsAndUnlock(Frame, 0, Bytes, TRUE);
}

static VOID TakePicture(PKDPC Dpc, PVOID Context, PVOID Unused1, PVOID Unused2) {
  STREAM* Stream = Context;
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);

  ++Stream->Pictures;
  if (Frame != NULL) {
    Fill(Stream, Frame);
  } else {
    Stream->Lost = TRUE;
  }
}

// --- The pin ---

static NTSTATUS CreatePin(PKSPIN Pin, PIRP Irp) {
  STREAM* Stream = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Stream), TAG);
  NTSTATUS Status;

  if (Stream == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Status = KsAddItemToObjectBag(Pin->Bag, Stream, NULL);  // from here on it goes with the pin
  if (!NT_SUCCESS(Status)) {
    ExFreePoolWithTag(Stream, TAG);
    return Status;
  }
  Stream->Pin = Pin;
  KeInitializeTimer(&Stream->Timer);
  KeInitializeDpc(&Stream->Dpc, TakePicture, Stream);
  Pin->StreamHeaderSize = sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);
  Pin->Context = Stream;
  return STATUS_SUCCESS;
}

// When this returns the DPC does not run any more.
static VOID StopTimer(STREAM* Stream) {
  KeCancelTimer(&Stream->Timer);
  KeFlushQueuedDpcs();
}

// A pin that is pulled out is closed in whatever state it was.
static NTSTATUS ClosePin(PKSPIN Pin, PIRP Irp) { return StopTimer(Pin->Context), STATUS_SUCCESS; }

static NTSTATUS SetState(PKSPIN Pin, KSSTATE To, KSSTATE From) {
  STREAM* Stream = Pin->Context;
  LARGE_INTEGER First = {.QuadPart = -10000 * PERIOD_MS};

  if (From == KSSTATE_STOP) Stream->Pictures = Stream->Lost = 0;
  if (From == KSSTATE_RUN) StopTimer(Stream);
  if (To == KSSTATE_RUN) KeSetTimerEx(&Stream->Timer, First, PERIOD_MS, &Stream->Dpc);
  return STATUS_SUCCESS;
}

// The timer looks into the queue by itself.
static NTSTATUS Process(PKSPIN Pin) { return STATUS_PENDING; }

// --- The tables ---

static const KSPIN_DISPATCH PinDispatch = {
    .Create = CreatePin, .Close = ClosePin, .Process = Process, .SetDeviceState = SetState};

static const KSDATARANGE Range = {{.FormatSize = sizeof(KSDATARANGE),
                                   .SampleSize = FRAME_BYTES,
                                   .MajorFormat = {STATICGUIDOF(KSDATAFORMAT_TYPE_STREAM)},
                                   .SubFormat = {STATICGUIDOF(KSDATAFORMAT_SUBTYPE_NONE)},
                                   .Specifier = {STATICGUIDOF(KSDATAFORMAT_SPECIFIER_NONE)}}};
static const PKSDATARANGE Ranges[] = {(PKSDATARANGE)&Range};

static const KSALLOCATOR_FRAMING_EX Framing = {
    .CountItems = 1,
    .OutputCompression = {1, 1, 0},
    .FramingItem = {{.MemoryType = {STATICGUIDOF(KSMEMORY_TYPE_KERNEL_NONPAGED)},
                     .Flags = KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY,
                     .Frames = 3,
                     .FileAlignment = FILE_LONG_ALIGNMENT,
                     .PhysicalRange = {0, MAXULONG, 1},
                     .FramingRange = {{FRAME_BYTES, FRAME_BYTES, 0}, 0, 0}}}};

static const KSPIN_DESCRIPTOR_EX Pins[] = {{.Dispatch = &PinDispatch,
                                            .PinDescriptor = {.DataRangesCount = SIZEOF_ARRAY(Ranges),
                                                              .DataRanges = Ranges,
                                                              .DataFlow = KSPIN_DATAFLOW_OUT,
                                                              .Communication = KSPIN_COMMUNICATION_BOTH},
                                            .Flags = KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING,
                                            .InstancesPossible = 1,
                                            .AllocatorFraming = &Framing}};

static const GUID Categories[] = {{STATICGUIDOF(KSCATEGORY_CAPTURE)}};
static const KSFILTER_DISPATCH FilterDispatch;
static const KSFILTER_DESCRIPTOR Filter = {.Dispatch = &FilterDispatch,
                                           .Version = KSFILTER_DESCRIPTOR_VERSION,
                                           .PinDescriptorsCount = SIZEOF_ARRAY(Pins),
                                           .PinDescriptorSize = sizeof(Pins[0]),
                                           .PinDescriptors = Pins,
                                           .CategoriesCount = SIZEOF_ARRAY(Categories),
                                           .Categories = Categories,
                                           .NodeDescriptorSize = sizeof(KSNODE_DESCRIPTOR)};
static const KSFILTER_DESCRIPTOR* const Filters[] = {&Filter};
static const KSDEVICE_DISPATCH DeviceDispatch;
static const KSDEVICE_DESCRIPTOR Device = {.Dispatch = &DeviceDispatch,
                                           .FilterDescriptorsCount = SIZEOF_ARRAY(Filters),
                                           .FilterDescriptors = Filters,
                                           .Version = KSDEVICE_DESCRIPTOR_VERSION};

DRIVER_INITIALIZE DriverEntry;
NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  return KsInitializeDriver(DriverObject, RegistryPath, &Device);
}
