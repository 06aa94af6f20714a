#include "ks/testing/fuzz_minidriver.h"

#include <cstring>
#include <iterator>

#include "abi/km/wdm.h"
#include "ks/property/automation.h"

namespace ks::testing {
namespace {

constexpr ULONG kTag = 'f';

// --- Properties, methods, events ---

ULONG g_number = 7;

ULONG room_of(PIRP irp) { return IoGetCurrentIrpStackLocation(irp)->Parameters.DeviceIoControl.OutputBufferLength; }

NTSTATUS get_number(PIRP, PKSIDENTIFIER, PVOID data) {
  *static_cast<ULONG*>(data) = g_number;
  return STATUS_SUCCESS;
}
NTSTATUS set_number(PIRP, PKSIDENTIFIER, PVOID data) {
  g_number = *static_cast<ULONG*>(data);
  return STATUS_SUCCESS;
}
NTSTATUS get_list(PIRP irp, PKSIDENTIFIER, PVOID) {
  static const ULONG kItems[] = {11, 22, 33};
  return KsHandleSizedListQuery(irp, 3, sizeof(ULONG), kItems);
}
// Begins with its size, which a client that serialises it asks for first.
NTSTATUS get_sized(PIRP irp, PKSIDENTIFIER, PVOID data) {
  struct {
    KSMULTIPLE_ITEM head{sizeof(*this), 1};
    ULONG number = g_number;
  } const whole;
  ULONG bytes = room_of(irp) < sizeof(whole) ? sizeof(whole.head) : sizeof(whole);
  memcpy(data, &whole, bytes);
  irp->IoStatus.Information = bytes;
  return STATUS_SUCCESS;
}
NTSTATUS set_sized(PIRP, PKSIDENTIFIER, PVOID) { return STATUS_SUCCESS; }
NTSTATUS method(PIRP irp, PKSIDENTIFIER, PVOID data) {
  if (data) irp->IoStatus.Information = sizeof(ULONG);
  return STATUS_SUCCESS;
}
NTSTATUS support(PIRP, PKSIDENTIFIER, PVOID) { return STATUS_SOME_NOT_MAPPED; }

const LONG kBounds[] = {0, 100};
const KSPROPERTY_MEMBERSLIST kLists[] = {{{KSPROPERTY_MEMBER_RANGES, sizeof(kBounds), 1, 0}, kBounds}};
const KSPROPERTY_VALUES kValues = {{{{KSPROPTYPESETID_General, 3, 0}}}, 1, kLists};
const KSPROPERTY kRelations[] = {{{{kFuzzSet, 1, 0}}}};
const KSPROPERTY_ITEM kProperties[] = {
    DEFINE_KSPROPERTY_ITEM(0, get_number, sizeof(KSPROPERTY), sizeof(ULONG), set_number, &kValues, 1, kRelations,
                           nullptr, sizeof(ULONG)),
    DEFINE_KSPROPERTY_ITEM(1, get_list, sizeof(KSPROPERTY), 0, nullptr, nullptr, 0, nullptr, nullptr, 0),
    DEFINE_KSPROPERTY_ITEM(2, get_number, sizeof(KSP_NODE), sizeof(ULONG), nullptr, nullptr, 0, nullptr, nullptr, 0),
    DEFINE_KSPROPERTY_ITEM(3, get_sized, sizeof(KSPROPERTY), sizeof(KSMULTIPLE_ITEM), set_sized, nullptr, 0, nullptr,
                           support, 1),
};
const KSPROPERTY_SET kPropertySets[] = {
    DEFINE_KSPROPERTY_SET(&kFuzzSet, std::size(kProperties), kProperties, 0, nullptr)};
const KSMETHOD_ITEM kMethods[] = {
    DEFINE_KSMETHOD_ITEM(0, KSMETHOD_TYPE_NONE, method, sizeof(KSMETHOD), 0, nullptr),
    DEFINE_KSMETHOD_ITEM(1, KSMETHOD_TYPE_READ, method, sizeof(KSMETHOD), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(2, KSMETHOD_TYPE_WRITE, method, sizeof(KSMETHOD), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(3, KSMETHOD_TYPE_MODIFY, method, sizeof(KSM_NODE), sizeof(ULONG), nullptr),
    DEFINE_KSMETHOD_ITEM(4, KSMETHOD_TYPE_MODIFY | KSMETHOD_TYPE_SOURCE, method, sizeof(KSMETHOD), sizeof(ULONG),
                         nullptr),
};
const KSMETHOD_SET kMethodSets[] = {DEFINE_KSMETHOD_SET(&kFuzzSet, std::size(kMethods), kMethods, 0, nullptr)};
const KSEVENT_ITEM kEvents[] = {
    DEFINE_KSEVENT_ITEM(0, sizeof(KSEVENTDATA), 0, nullptr, nullptr, nullptr),
    DEFINE_KSEVENT_ITEM(1, sizeof(KSEVENTDATA), sizeof(ULONG), nullptr, nullptr, nullptr),
    DEFINE_KSEVENT_ITEM(2, sizeof(KSEVENTDATA), 0, &KsDefaultAddEventHandler, nullptr, support),
};
const KSEVENT_SET kEventSets[] = {DEFINE_KSEVENT_SET(&kFuzzSet, std::size(kEvents), kEvents)};
const KSAUTOMATION_TABLE kTable = {DEFINE_KSAUTOMATION_PROPERTIES(kPropertySets),
                                   DEFINE_KSAUTOMATION_METHODS(kMethodSets), DEFINE_KSAUTOMATION_EVENTS(kEventSets)};
const GUID kNodeType = KSCATEGORY_BRIDGE;
const KSNODE_DESCRIPTOR kNodes[] = {{nullptr, &kNodeType, nullptr}, {&kTable, &kNodeType, nullptr}};
const KSTOPOLOGY_CONNECTION kConnections[] = {{KSFILTER_NODE, 1, 0, 0}, {0, 1, 1, 0}, {1, 1, KSFILTER_NODE, 0}};

// --- Pins ---

// How many frames the device still has work for. Two pins that are connected hand the same frames on and on: a real
// device takes time for each, this one has an end.
constexpr int kMostFrames = 200;
int g_frames_left;

// Whether the device works on a frame after it has gone on to the next: a clone keeps it.
bool g_keeps;

void cancelled(PKSSTREAM_POINTER clone) { KsStreamPointerDelete(clone); }

void keep_frame(PKSPIN pin, PKSSTREAM_POINTER leading) {
  PKSSTREAM_POINTER oldest = KsPinGetFirstCloneStreamPointer(pin);
  PKSSTREAM_POINTER clone = nullptr;
  if (!NT_SUCCESS(KsStreamPointerClone(leading, &cancelled, 0, &clone))) return;
  KsStreamPointerUnlock(clone, FALSE);
  if (oldest) KsStreamPointerDelete(oldest);
}

// Uses up the frames that it is given, and generates an event for each.
NTSTATUS process(PKSPIN pin) {
  for (;;) {
    if (g_frames_left-- <= 0) return STATUS_PENDING;
    PKSSTREAM_POINTER leading = KsPinGetLeadingEdgeStreamPointer(pin, KSSTREAM_POINTER_STATE_LOCKED);
    if (!leading) return STATUS_PENDING;
    if (pin->DataFlow == KSPIN_DATAFLOW_OUT) leading->StreamHeader->DataUsed = leading->StreamHeader->FrameExtent;
    if (g_keeps) keep_frame(pin, leading);
    KsStreamPointerUnlock(leading, TRUE);
    KsGenerateEvents(pin, &kFuzzSet, 1, sizeof(g_number), &g_number, nullptr, nullptr);
  }
}

NTSTATUS set_state(PKSPIN pin, KSSTATE to, KSSTATE) {
  if (to != KSSTATE_STOP) return STATUS_SUCCESS;
  while (PKSSTREAM_POINTER clone = KsPinGetFirstCloneStreamPointer(pin)) KsStreamPointerDelete(clone);
  return STATUS_SUCCESS;
}

NTSTATUS create(PKSPIN, PIRP) { return STATUS_SUCCESS; }
NTSTATUS succeed(PKSPIN) { return STATUS_SUCCESS; }

// Knows formats of one size, refuses samples of an odd one.
NTSTATUS set_format(PKSPIN pin, PKSDATAFORMAT, PKSMULTIPLE_ITEM, const KSDATARANGE*, const KSATTRIBUTE_LIST*) {
  if (pin->ConnectionFormat->FormatSize != sizeof(KSDATAFORMAT)) return STATUS_NO_MATCH;
  return pin->ConnectionFormat->SampleSize % 2 ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

NTSTATUS intersect(PVOID, PIRP, PKSP_PIN, PKSDATARANGE clients, PKSDATARANGE pins, ULONG room, PVOID data,
                   PULONG bytes) {
  if (clients->SampleSize % 2) return STATUS_NO_MATCH;
  *bytes = sizeof(KSDATAFORMAT);
  if (!room) return STATUS_BUFFER_OVERFLOW;
  if (room < sizeof(KSDATAFORMAT)) return STATUS_BUFFER_TOO_SMALL;
  KSDATAFORMAT format = *pins;
  format.FormatSize = sizeof(format);
  memcpy(data, &format, sizeof(format));
  return STATUS_SUCCESS;
}

// --- Frames of its own, from pool ---

NTSTATUS initialize_allocator(PKSPIN, PKSALLOCATOR_FRAMING framing, PVOID* context) {
  bool possible = framing->PoolType == NonPagedPool && framing->FileAlignment < 16 && framing->FrameSize <= 65536;
  if (!possible) return STATUS_INVALID_DEVICE_REQUEST;
  auto* bytes = static_cast<ULONG*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(ULONG), kTag));
  if (!bytes) return STATUS_INSUFFICIENT_RESOURCES;
  *bytes = framing->FrameSize;
  *context = bytes;
  return STATUS_SUCCESS;
}
void delete_allocator(PVOID context) { ExFreePoolWithTag(context, kTag); }
PVOID allocate_frame(PVOID context) {
  return ExAllocatePool2(POOL_FLAG_NON_PAGED, *static_cast<ULONG*>(context), kTag);
}
void free_frame(PVOID, PVOID frame) { ExFreePoolWithTag(frame, kTag); }
const KSALLOCATOR_DISPATCH kAllocator = {initialize_allocator, delete_allocator, allocate_frame, free_frame};

}  // namespace

void set_up_minidriver(FakeDriver& driver, base::testing::FuzzInput& input) {
  g_number = 7;
  g_frames_left = kMostFrames;
  driver.filter_descriptor.AutomationTable = &kTable;
  driver.filter_descriptor.NodeDescriptorsCount = std::size(kNodes);
  driver.filter_descriptor.NodeDescriptorSize = sizeof(KSNODE_DESCRIPTOR);
  driver.filter_descriptor.NodeDescriptors = kNodes;
  driver.filter_descriptor.ConnectionsCount = std::size(kConnections);
  driver.filter_descriptor.Connections = kConnections;
  bool works = !input.rarely(3);
  g_keeps = input.rarely(3);
  if (input.rarely(2)) driver.range.MajorFormat = KSDATAFORMAT_TYPE_VIDEO;
  for (int i = 0; i < 2; ++i) {
    KSPIN_DISPATCH& dispatch = driver.pin[i];
    driver.pins[i].AutomationTable = &kTable;
    if (works) dispatch.Process = &process;
    dispatch.SetDeviceState = &set_state;
    if (input.rarely(2)) dispatch.Create = &create;
    if (input.rarely(2)) dispatch.Allocator = &kAllocator;
    if (input.rarely(2)) dispatch.Connect = &succeed;
    if (input.rarely(2)) dispatch.SetDataFormat = &set_format;
    if (input.rarely(2)) driver.pins[i].IntersectHandler = &intersect;
    driver.pins[i].Flags |= KSPIN_FLAG_IMPLEMENT_CLOCK;
    if (input.rarely(6)) driver.pins[i].Flags |= KSPIN_FLAG_FIXED_FORMAT;
  }
}

}  // namespace ks::testing
